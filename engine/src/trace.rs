//! Trace events of a processor, in a buffer of fixed-size records that is written out after the search.

use std::io::{self, Write};

use crate::control::Control;
use crate::dts::pool::Handle;

/// What happened at a split block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// A split block was made.
    Split,
    /// The processor joined it.
    Join,
    /// The processor handed in its part.
    Merge,
    /// The processor was the last one and took the block down.
    Unsplit,
    /// The processor cut the block off, or closed it from above.
    Cutoff,
    /// The processor was without work from here on.
    Idle,
    /// The processor had work from here on.
    Busy,
}

impl Event {
    /// The event's name in a trace file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Event::Split => "split",
            Event::Join => "join",
            Event::Merge => "merge",
            Event::Unsplit => "unsplit",
            Event::Cutoff => "cutoff",
            Event::Idle => "idle",
            Event::Busy => "busy",
        }
    }
}

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// Nanoseconds since the search began.
    pub at: u64,
    /// What happened.
    pub event: Event,
    /// The split block's place in the pool.
    pub block: u32,
    /// Tells uses of the same place apart.
    pub generation: u64,
    /// The ply.
    pub ply: u32,
}

/// A processor's trace; empty unless tracing is on.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    events: Vec<TraceEvent>,
    capacity: usize,
}

impl Trace {
    pub(crate) fn new() -> Self {
        Trace::default()
    }

    /// Begins a search: keeps up to `capacity` events of it, none if that is zero.
    pub(crate) fn begin(&mut self, capacity: usize) {
        self.capacity = capacity;
        self.events.clear();
        self.events.reserve(capacity.min(1 << 16));
    }

    /// Notes an event at `block`, split at `ply`; what comes when the buffer is full is left out.
    #[inline]
    pub(crate) fn record(&mut self, control: &Control, event: Event, block: Handle, ply: usize) {
        if self.events.len() < self.capacity {
            let at = u64::try_from(control.elapsed().as_nanos()).unwrap_or(u64::MAX);
            let Handle { index, generation } = block;
            self.events.push(TraceEvent { at, event, block: index, generation, ply: ply as u32 });
        }
    }

    /// Notes an event that belongs to no block.
    pub(crate) fn note(&mut self, control: &Control, event: Event) {
        self.record(control, event, Handle { index: 0, generation: 0 }, 0);
    }

    pub(crate) fn take(&mut self) -> Vec<TraceEvent> {
        std::mem::take(&mut self.events)
    }
}

/// Writes the traces of all processors as a Chrome trace-event file (JSON), which Perfetto and Chrome show as a timeline: one row a
/// processor, a bar while it has work, a mark for everything that happens at a split block.
///
/// # Errors
/// If `out` cannot be written.
pub fn write_chrome_trace(traces: &[Vec<TraceEvent>], out: &mut impl Write) -> io::Result<()> {
    write!(out, "[")?;
    let mut separator = "\n";
    for (processor, events) in traces.iter().enumerate() {
        write!(
            out,
            "{separator}{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":{processor},\
             \"args\":{{\"name\":\"processor {processor}\"}}}}"
        )?;
        separator = ",\n";
        let mut working = false;
        let mut last = 0;
        for event in events {
            let at = event.at as f64 / 1_000.0;
            last = event.at;
            match event.event {
                Event::Busy if !working => {
                    write!(
                        out,
                        "{separator}{{\"name\":\"search\",\"ph\":\"B\",\"ts\":{at:.3},\"pid\":0,\"tid\":{processor}}}"
                    )?;
                    working = true;
                }
                Event::Idle if working => {
                    write!(out, "{separator}{{\"ph\":\"E\",\"ts\":{at:.3},\"pid\":0,\"tid\":{processor}}}")?;
                    working = false;
                }
                Event::Busy | Event::Idle => {}
                Event::Split | Event::Join | Event::Merge | Event::Unsplit | Event::Cutoff => write!(
                    out,
                    "{separator}{{\"name\":\"{}\",\"ph\":\"i\",\"s\":\"t\",\"ts\":{at:.3},\"pid\":0,\"tid\":{processor},\
                     \"args\":{{\"block\":{},\"generation\":{},\"ply\":{}}}}}",
                    event.event.name(),
                    event.block,
                    event.generation,
                    event.ply
                )?,
            }
        }
        if working {
            write!(
                out,
                "{separator}{{\"ph\":\"E\",\"ts\":{:.3},\"pid\":0,\"tid\":{processor}}}",
                last as f64 / 1_000.0
            )?;
        }
    }
    writeln!(out, "\n]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_written_as_chrome_events() {
        let event = |at, event| TraceEvent { at, event, block: 3, generation: 7, ply: 2 };
        let traces = [
            vec![event(1_500, Event::Busy), event(2_000, Event::Split), event(9_000, Event::Idle)],
            Vec::new(),
        ];
        let mut out = Vec::new();
        write_chrome_trace(&traces, &mut out).expect("memory takes everything");
        let text = String::from_utf8(out).expect("text");
        assert!(text.starts_with("[\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":0,"));
        assert!(text.contains("{\"name\":\"search\",\"ph\":\"B\",\"ts\":1.500,\"pid\":0,\"tid\":0}"));
        assert!(text.contains("\"name\":\"split\",\"ph\":\"i\",\"s\":\"t\",\"ts\":2.000"));
        assert!(text.contains("{\"ph\":\"E\",\"ts\":9.000,\"pid\":0,\"tid\":0}"));
        assert!(text.ends_with("\n]\n"));
    }
}
