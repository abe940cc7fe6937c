//! What each processor did when: read from a record of trace events, drawn as one row a processor.
//!
//! The record is the file that a search writes with `--trace`, in the trace event format of the Chrome browser, or
//! the same inside an object that says which search it is of.

mod page;
mod picture;
mod read;

use serde::{Deserialize, Serialize};

use crate::Backend;

/// What the processors of one search did when.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// Which search it was, if the record says so.
    pub about: Option<About>,
    /// Each processor, by its number.
    tracks: Vec<Track>,
    /// The last moment of all, in microseconds or node times.
    end: f64,
}

/// Which search a record is of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The position's name.
    pub position: String,
    /// The strategy.
    pub strategy: String,
    /// How many processors searched.
    pub processors: usize,
    /// What searched.
    pub backend: Backend,
    /// The seed of the run.
    pub seed: u64,
    /// How long the search took: seconds, or virtual node times.
    pub time: f64,
    /// Whether the record ends before the search did, because there was no room for more.
    pub cut: bool,
}

/// What the numbers of a record count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Microseconds of a search on threads.
    Microseconds,
    /// Node times of a simulated search.
    NodeTimes,
    /// The record does not say which.
    Unknown,
}

/// One processor.
#[derive(Clone, Debug, Default, PartialEq)]
struct Track {
    /// When it had work, in order and without overlaps.
    bars: Vec<Bar>,
    /// What happened when.
    marks: Vec<(f64, Happening)>,
}

/// A time with work, all of it in one split block or in none.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bar {
    from: f64,
    to: f64,
    /// The colour of the innermost split block that the processor had made or joined itself.
    colour: Option<u8>,
}

/// Something that happened at a split block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Happening {
    Split,
    Join,
    Merge,
    Unsplit,
    Cutoff,
}

impl Happening {
    const ALL: [Happening; 5] =
        [Happening::Split, Happening::Join, Happening::Merge, Happening::Unsplit, Happening::Cutoff];

    /// Its name in a record.
    fn name(self) -> &'static str {
        match self {
            Happening::Split => "split",
            Happening::Join => "join",
            Happening::Merge => "merge",
            Happening::Unsplit => "unsplit",
            Happening::Cutoff => "cutoff",
        }
    }

    fn plural(self) -> &'static str {
        match self {
            Happening::Split => "splits",
            Happening::Join => "joins",
            Happening::Merge => "merges",
            Happening::Unsplit => "unsplits",
            Happening::Cutoff => "cutoffs",
        }
    }
}

/// Split blocks take turns with so many colours.
const COLOURS: usize = 6;

impl Track {
    fn busy(&self) -> f64 {
        // Not `sum`, which makes -0 of nothing.
        self.bars.iter().fold(0.0, |busy, bar| busy + (bar.to - bar.from))
    }

    fn count(&self, what: Happening) -> usize {
        self.marks.iter().filter(|(_, mark)| *mark == what).count()
    }
}

impl Timeline {
    /// How many processors searched.
    pub fn processors(&self) -> usize {
        self.tracks.len()
    }

    /// The share of the time that each processor had work.
    pub fn busy_shares(&self) -> Vec<f64> {
        self.tracks.iter().map(|track| if self.end > 0.0 { track.busy() / self.end } else { 0.0 }).collect()
    }

    /// What the times count.
    pub fn unit(&self) -> Unit {
        match self.about.as_ref().map(|about| about.backend) {
            Some(Backend::Threads) => Unit::Microseconds,
            Some(Backend::Simulated) => Unit::NodeTimes,
            None => Unit::Unknown,
        }
    }

    fn count(&self, what: Happening) -> usize {
        self.tracks.iter().map(|track| track.count(what)).sum()
    }

    /// The search in words.
    pub fn title(&self) -> String {
        match &self.about {
            Some(about) => {
                format!("{}, {} at {} processors", about.position, about.strategy, about.processors)
            }
            None => "Processors over time".to_owned(),
        }
    }

    /// How busy the processors were and what happened, in words.
    pub fn caption(&self) -> String {
        let shares = self.busy_shares();
        let busy = 100.0 * shares.iter().sum::<f64>() / shares.len().max(1) as f64;
        let happened = Happening::ALL.map(|what| {
            let count = self.count(what);
            format!("{} {}", grouped(count as f64), if count == 1 { what.name() } else { what.plural() })
        });
        let plural = if shares.len() == 1 { "" } else { "s" };
        format!("{} processor{plural}, busy {busy:.1} % of the time; {}", shares.len(), happened.join(", "))
    }

    /// What part of the search the record holds, if there was no room for all of it: the share of its time.
    pub fn part(&self) -> Option<f64> {
        let about = self.about.as_ref().filter(|about| about.cut)?;
        let whole = match about.backend {
            Backend::Threads => about.time * 1e6,
            Backend::Simulated => about.time,
        };
        Some(self.end / whole)
    }
}

/// A whole number with its thousands apart.
fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = if value < 0.0 { "-".to_owned() } else { String::new() };
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests;
