//! Trace events of a processor, in a buffer of fixed-size records that is written out after the search.

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

    pub(crate) fn take(&mut self) -> Vec<TraceEvent> {
        std::mem::take(&mut self.events)
    }
}
