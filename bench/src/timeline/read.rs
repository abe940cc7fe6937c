//! Reads a record. It may have millions of events, so that none is kept longer than it takes to follow it.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::{About, Bar, COLOURS, Happening, Timeline, Track};
use crate::Error;

/// No search has more.
const MOST_PROCESSORS: usize = 1024;

/// One event as the record has it.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    ph: Cow<'a, str>,
    ts: Option<f64>,
    tid: usize,
    args: Option<Arguments>,
}

#[derive(Default, Deserialize)]
struct Arguments {
    #[serde(default)]
    block: u64,
    #[serde(default)]
    generation: u64,
}

impl Timeline {
    /// Reads the record that stands in a file: an array of trace events, or an object with `traceEvents`.
    pub fn read(path: &Path, text: &[u8]) -> Result<Timeline, Error> {
        let mut reader = serde_json::Deserializer::from_slice(text);
        let read = Record.deserialize(&mut reader).and_then(|timeline| reader.end().map(|()| timeline));
        read.map_err(|error| Error::Malformed {
            path: path.to_owned(),
            line: (error.line() > 0).then_some(error.line() as u64),
            what: format!("not a trace ({error}); accepted: what a search writes with --trace"),
        })
    }
}

/// Follows the events, whichever of the two forms they stand in.
struct Record;

impl<'de> DeserializeSeed<'de> for Record {
    type Value = Timeline;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Timeline, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Record {
    type Value = Timeline;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array of trace events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut events: A) -> Result<Timeline, A::Error> {
        let mut followed = Vec::<Followed>::new();
        while events.next_element_seed(OneEvent(&mut followed))?.is_some() {}
        if followed.is_empty() {
            return Err(A::Error::custom("no processor in it"));
        }
        let end = followed.iter().map(|one| one.last).fold(0.0, f64::max);
        let tracks = followed.into_iter().map(Followed::into_track).collect();
        Ok(Timeline { about: None, tracks, end })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Timeline, A::Error> {
        let (mut about, mut timeline) = (None, None);
        while let Some(field) = fields.next_key::<Cow<'de, str>>()? {
            match field.as_ref() {
                "otherData" => about = Some(fields.next_value::<About>()?),
                "traceEvents" => timeline = Some(fields.next_value_seed(Record)?),
                _ => {
                    fields.next_value::<IgnoredAny>()?;
                }
            }
        }
        let timeline = timeline.ok_or_else(|| A::Error::custom("no traceEvents in it"))?;
        Ok(Timeline { about, ..timeline })
    }
}

/// Follows one event while it is read, so that what is wrong with it is found in its line.
struct OneEvent<'a>(&'a mut Vec<Followed>);

impl<'de> DeserializeSeed<'de> for OneEvent<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for OneEvent<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a trace event")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<(), A::Error> {
        let event = Event::deserialize(MapAccessDeserializer::new(fields))?;
        if event.tid >= MOST_PROCESSORS {
            let most = MOST_PROCESSORS - 1;
            return Err(A::Error::custom(format!("processor {}; known: 0 to {most}", event.tid)));
        }
        if self.0.len() <= event.tid {
            self.0.resize_with(event.tid + 1, Followed::default);
        }
        self.0[event.tid].follow(&event).map_err(A::Error::custom)
    }
}

/// A processor while its events are followed.
#[derive(Default)]
struct Followed {
    track: Track,
    last: f64,
    working: bool,
    /// Since when it does what it does.
    since: f64,
    /// The split blocks it has made or joined and not left yet, as (place, generation), the innermost last.
    blocks: Vec<(u64, u64)>,
}

impl Followed {
    fn follow(&mut self, event: &Event<'_>) -> Result<(), String> {
        if event.ph == "M" {
            return Ok(());
        }
        let at = event.ts.ok_or("an event without ts")?;
        if !(at.is_finite() && at >= self.last) {
            let (tid, last) = (event.tid, self.last);
            return Err(format!("processor {tid} goes back in time, from {last} to {at}"));
        }
        self.last = at;
        match (event.ph.as_ref(), self.working) {
            ("B", false) => {
                self.working = true;
                self.since = at;
            }
            ("E", true) => {
                self.close_bar(at);
                self.working = false;
                self.blocks.clear();
            }
            ("B", true) => return Err(format!("processor {} begins what it has begun", event.tid)),
            ("E", false) => return Err(format!("processor {} ends what it has not begun", event.tid)),
            ("i", _) => {
                let name = event.name.as_deref().unwrap_or_default();
                // What a later version notes besides is no reason to draw nothing.
                if let Some(what) = Happening::ALL.into_iter().find(|what| what.name() == name) {
                    self.track.marks.push((at, what));
                    self.enter_or_leave(what, event.args.as_ref(), at);
                }
            }
            (phase, _) => return Err(format!("unknown phase `{phase}`; known: B, E, i, M")),
        }
        Ok(())
    }

    fn enter_or_leave(&mut self, what: Happening, block: Option<&Arguments>, at: f64) {
        let block = block.map_or((0, 0), |arguments| (arguments.block, arguments.generation));
        self.close_bar(at);
        match what {
            Happening::Split | Happening::Join => self.blocks.push(block),
            // One that it was brought into by a processor above: it leaves all that it knew below.
            Happening::Merge | Happening::Unsplit | Happening::Cutoff => {
                let place = self.blocks.iter().rposition(|known| *known == block).unwrap_or(0);
                self.blocks.truncate(place);
            }
        }
    }

    /// What was done until now was done in the innermost block.
    fn close_bar(&mut self, at: f64) {
        if !self.working || at <= self.since {
            return;
        }
        // Neighbours in the pool, and one use of a place and the next, differ in colour.
        let colour =
            self.blocks.last().map(|(place, use_of)| (place.wrapping_add(*use_of) % COLOURS as u64) as u8);
        match self.track.bars.last_mut() {
            Some(bar) if bar.to == self.since && bar.colour == colour => bar.to = at,
            _ => self.track.bars.push(Bar { from: self.since, to: at, colour }),
        }
        self.since = at;
    }

    /// A record that ends with its processor at work ends there.
    fn into_track(mut self) -> Track {
        self.close_bar(self.last);
        self.track
    }
}
