//! Draws a timeline as SVG.
//!
//! What is thinner than a pixel is merged: each row is divided into cells, and a cell says which share of it was busy
//! and in which split block for the most part. So the picture's size depends on its own width and not on the number
//! of events. With many processors several share a row.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use super::{COLOURS, Happening, Timeline, Track, Unit, grouped};
use crate::page::escape;

/// The picture's width, and what is left of it for the rows.
const WIDTH: f64 = 1000.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 58.0;
const ROOM: f64 = WIDTH - LEFT - RIGHT;
/// Height above the rows and below them.
const TOP: f64 = 50.0;
const BOTTOM: f64 = 68.0;
/// With more processors than this, several share a row.
const MOST_ROWS: usize = 128;
/// No more cells than this altogether: a picture of a megabyte is one that nobody sends.
const MOST_CELLS: usize = 60_000;
/// A kind of mark is drawn if a row has no more of them than this on average.
const MOST_MARKS: usize = 45;
/// Shares of a cell that are told apart.
const LEVELS: u8 = 4;

/// Colours on light and on dark ground that people with any colour vision can tell apart (after Okabe and Ito); the
/// two last ones are for work outside of all blocks and for several blocks in one cell.
const LIGHT: [&str; COLOURS + 2] =
    ["#4da3dc", "#e8a33d", "#35b58c", "#d98fb8", "#d8c93a", "#e27446", "#93a1b0", "#6f5fa8"];
const DARK: [&str; COLOURS + 2] =
    ["#3f8fc5", "#c98a2b", "#2a9a76", "#b8749b", "#b5a72e", "#c45f35", "#7b8794", "#8d7cc8"];
/// Their places.
const OUTSIDE: usize = COLOURS;
const SEVERAL: usize = COLOURS + 1;

impl Timeline {
    /// Draws the timeline: a bar while a processor has work, split blocks as colours, and marks for what happens
    /// where they do not hide the bars.
    pub fn draw(&self) -> String {
        let mut svg = String::new();
        Picture::new(self).draw(&mut svg).expect("writing to a string succeeds");
        svg
    }
}

/// Where things are.
struct Picture<'a> {
    timeline: &'a Timeline,
    /// Processors of one row.
    group: usize,
    rows: usize,
    /// From one row to the next, and how much of it is bar.
    pitch: f64,
    bar: f64,
    cells: usize,
}

impl Picture<'_> {
    fn new(timeline: &Timeline) -> Picture<'_> {
        let group = timeline.tracks.len().div_ceil(MOST_ROWS).max(1);
        let rows = timeline.tracks.len().div_ceil(group);
        let (pitch, bar) = match rows {
            ..=16 => (24.0, 18.0),
            17..=32 => (17.0, 13.0),
            33..=64 => (10.0, 8.0),
            _ => (6.0, 5.0),
        };
        let cells = (MOST_CELLS / rows.max(1)).min(ROOM as usize);
        Picture { timeline, group, rows, pitch, bar, cells }
    }

    fn x(&self, at: f64) -> f64 {
        LEFT + if self.timeline.end > 0.0 { at / self.timeline.end * ROOM } else { 0.0 }
    }

    /// The middle of a row's bar.
    fn y(&self, row: usize) -> f64 {
        TOP + self.pitch * row as f64 + self.pitch / 2.0
    }

    fn bottom(&self) -> f64 {
        TOP + self.pitch * self.rows as f64
    }

    fn draw(&self, svg: &mut String) -> fmt::Result {
        let height = self.bottom() + BOTTOM;
        let (title, caption) = (self.timeline.title(), self.timeline.caption());
        writeln!(
            svg,
            "<svg class=\"timeline\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
             role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"12\">"
        )?;
        writeln!(svg, "<title>{}</title>\n<desc>{}</desc>", escape(&title), escape(&caption))?;
        self.style(svg)?;
        writeln!(svg, "<rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>")?;
        let title = shortened(&title, 110);
        writeln!(
            svg,
            "<text x=\"{LEFT}\" y=\"18\" font-size=\"15\" font-weight=\"600\">{}</text>",
            escape(&title)
        )?;
        writeln!(svg, "<text class=\"soft\" x=\"{LEFT}\" y=\"37\">{}</text>", escape(&caption))?;
        self.axis(svg)?;
        self.bars(svg)?;
        let drawn = self.marks(svg)?;
        self.labels(svg)?;
        self.legend(svg, &drawn)?;
        writeln!(svg, "</svg>")
    }

    fn style(&self, svg: &mut String) -> fmt::Result {
        let rules = |colours: &[&str], ink: &str, soft: &str, paper: &str, idle: &str| {
            let mut rules = format!(
                ".timeline text{{fill:{ink}}}.timeline .soft{{fill:{soft}}}.timeline .paper{{fill:{paper}}}\
                 .timeline .idle{{stroke:{idle}}}.timeline .grid{{stroke:{soft};stroke-opacity:.35}}\
                 .timeline .mark{{fill:{ink};stroke:{paper};stroke-width:.8}}\
                 .timeline .cross{{fill:none;stroke:{ink};stroke-width:1.6}}"
            );
            for (place, colour) in colours.iter().enumerate() {
                rules.push_str(&format!(".timeline .c{place}{{stroke:{colour}}}"));
            }
            rules
        };
        let light = rules(&LIGHT, "#1c2430", "#5b6572", "#fff", "#edf0f3");
        let dark = rules(&DARK, "#e3e7ec", "#9aa5b1", "#15181d", "#23282f");
        writeln!(
            svg,
            "<style>{light}@media screen and (prefers-color-scheme:dark){{{dark}}}\
             @media print{{.timeline path{{print-color-adjust:exact}}}}</style>"
        )
    }

    /// The bars, those of one colour and share as one path: short files, and quick to draw.
    fn bars(&self, svg: &mut String) -> fmt::Result {
        let width = ROOM / self.cells as f64;
        let mut idle = String::new();
        let mut paths: BTreeMap<(usize, u8), String> = BTreeMap::new();
        for (row, tracks) in self.timeline.tracks.chunks(self.group).enumerate() {
            let y = self.y(row);
            write!(idle, "M{LEFT} {y}h{ROOM}")?;
            let cells = self.cells_of(tracks);
            let mut start = 0;
            for run in cells.chunk_by(|left, right| left == right) {
                if let Some(cell) = run[0] {
                    let x = LEFT + width * start as f64;
                    let path = paths.entry(cell).or_default();
                    write!(path, "M{} {y}h{}", short(x), short(width * run.len() as f64))?;
                }
                start += run.len();
            }
        }
        let thick = self.bar;
        writeln!(svg, "<g fill=\"none\" stroke-width=\"{thick}\">\n<path class=\"idle\" d=\"{idle}\"/>")?;
        for ((colour, level), path) in paths {
            let opacity = f64::from(level) / f64::from(LEVELS);
            writeln!(svg, "<path class=\"c{colour}\" stroke-opacity=\"{opacity}\" d=\"{path}\"/>")?;
        }
        writeln!(svg, "</g>")
    }

    /// What each cell of a row shows: nothing, or a colour and how much of it.
    fn cells_of(&self, tracks: &[Track]) -> Vec<Option<(usize, u8)>> {
        let scale = if self.timeline.end > 0.0 { self.cells as f64 / self.timeline.end } else { 0.0 };
        let mut cells = vec![[0.0_f64; COLOURS + 1]; self.cells];
        for bar in tracks.iter().flat_map(|track| &track.bars) {
            let (from, to) = (bar.from * scale, (bar.to * scale).min(self.cells as f64));
            let colour = bar.colour.map_or(OUTSIDE, usize::from);
            for cell in from as usize..(to.ceil() as usize).min(self.cells) {
                cells[cell][colour] += (to.min(cell as f64 + 1.0) - from.max(cell as f64)).max(0.0);
            }
        }
        let show = |times: &[f64; COLOURS + 1]| {
            let busy: f64 = times.iter().sum();
            let level = (busy / tracks.len() as f64 * f64::from(LEVELS)).round() as u8;
            // Work that is seldom is still work.
            let level = if busy > 0.0 { level.clamp(1, LEVELS) } else { return None };
            let most = (0..times.len()).max_by(|left, right| times[*left].total_cmp(&times[*right]))?;
            Some((if times[most] * 2.0 >= busy { most } else { SEVERAL }, level))
        };
        cells.iter().map(show).collect()
    }

    /// Marks splits, joins and cutoffs, each kind only if it leaves the bars to be seen. Those that are drawn.
    fn marks(&self, svg: &mut String) -> Result<Vec<Happening>, fmt::Error> {
        let mut drawn = Vec::new();
        for what in MARKED {
            let count = self.timeline.count(what);
            if self.pitch < 17.0 || count == 0 || count > MOST_MARKS * self.rows {
                continue;
            }
            drawn.push(what);
            let mut path = String::new();
            for (row, track) in self.timeline.tracks.iter().enumerate() {
                let mut last = f64::NEG_INFINITY;
                for (at, _) in track.marks.iter().filter(|(_, mark)| *mark == what) {
                    let x = self.x(*at);
                    if x - last >= 1.0 {
                        path.push_str(&mark(what, x, self.y(row), self.bar / 2.0));
                        last = x;
                    }
                }
            }
            let class = if what == Happening::Cutoff { "cross" } else { "mark" };
            writeln!(svg, "<path class=\"{class}\" d=\"{path}\"/>")?;
        }
        Ok(drawn)
    }

    /// Which processor a row is, and how busy it was, as far as there is room.
    fn labels(&self, svg: &mut String) -> fmt::Result {
        let shares = self.timeline.busy_shares();
        // Every so many rows, so that the numbers do not touch.
        let step = (13.0 / self.pitch).ceil() as usize;
        writeln!(
            svg,
            "<text class=\"soft\" x=\"{}\" y=\"{}\" text-anchor=\"end\">busy</text>",
            WIDTH - 6.0,
            TOP - 13.0
        )?;
        for row in (0..self.rows).step_by(step.next_power_of_two()) {
            let y = short(self.y(row) + 4.0);
            let first = row * self.group;
            writeln!(svg, "<text x=\"{}\" y=\"{y}\" text-anchor=\"end\">{first}</text>", LEFT - 7.0)?;
            let group = &shares[first..(first + self.group).min(shares.len())];
            let share = 100.0 * group.iter().sum::<f64>() / group.len() as f64;
            writeln!(
                svg,
                "<text class=\"soft\" x=\"{}\" y=\"{y}\" text-anchor=\"end\">{share:.0} %</text>",
                WIDTH - 6.0
            )?;
        }
        Ok(())
    }

    fn axis(&self, svg: &mut String) -> fmt::Result {
        let (scale, unit) = self.scale();
        let bottom = self.bottom();
        let end = self.timeline.end / scale;
        let step = round_step(end / 8.0);
        let mut grid = String::new();
        for count in 0..=20 {
            let value = step * f64::from(count);
            if value > end * 1.000_001 || (count > 0 && end <= 0.0) {
                break;
            }
            let x = short(self.x(value * scale));
            write!(grid, "M{x} {TOP}V{}", bottom + 4.0)?;
            let text = if step >= 1.0 { grouped(value) } else { short(value) };
            writeln!(
                svg,
                "<text class=\"soft\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{text}</text>",
                bottom + 17.0
            )?;
        }
        writeln!(svg, "<path class=\"grid\" fill=\"none\" d=\"{grid}\"/>")?;
        let middle = LEFT + ROOM / 2.0;
        writeln!(svg, "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{unit}</text>", bottom + 34.0)
    }

    /// What the axis counts in, in units of the record, and its name.
    fn scale(&self) -> (f64, &'static str) {
        match self.timeline.unit() {
            Unit::NodeTimes => (1.0, "node times"),
            Unit::Unknown => (1.0, "microseconds (node times, if it was simulated)"),
            Unit::Microseconds if self.timeline.end >= 2e6 => (1e6, "seconds"),
            Unit::Microseconds if self.timeline.end >= 2e3 => (1e3, "milliseconds"),
            Unit::Microseconds => (1.0, "microseconds"),
        }
    }

    fn legend(&self, svg: &mut String, drawn: &[Happening]) -> fmt::Result {
        let y = self.bottom() + 54.0;
        let mut x = LEFT;
        let say = |svg: &mut String, x: &mut f64, text: &str| {
            let done = writeln!(svg, "<text x=\"{}\" y=\"{}\">{}</text>", short(*x), y + 4.0, escape(text));
            *x += 6.3 * text.chars().count() as f64 + 16.0;
            done
        };
        let swatch = |svg: &mut String, x: &mut f64, class: &str| {
            let done = writeln!(
                svg,
                "<path class=\"{class}\" fill=\"none\" stroke-width=\"11\" d=\"M{} {y}h11\"/>",
                short(*x)
            );
            *x += 13.0;
            done
        };
        for colour in 0..COLOURS {
            swatch(svg, &mut x, &format!("c{colour}"))?;
        }
        x += 3.0;
        say(svg, &mut x, "one split block each")?;
        for (class, text) in [
            (format!("c{SEVERAL}"), "several"),
            (format!("c{OUTSIDE}"), "outside of blocks"),
            ("idle".into(), "no work"),
        ] {
            swatch(svg, &mut x, &class)?;
            x += 3.0;
            say(svg, &mut x, text)?;
        }
        for what in drawn {
            let class = if *what == Happening::Cutoff { "cross" } else { "mark" };
            writeln!(svg, "<path class=\"{class}\" d=\"{}\"/>", mark(*what, x + 5.0, y, 5.0))?;
            x += 14.0;
            say(svg, &mut x, what.name())?;
        }
        let left_out = MARKED.iter().filter(|what| self.timeline.count(**what) > 0 && !drawn.contains(what));
        let left_out: Vec<&str> = left_out.map(|what| what.plural()).collect();
        if self.group > 1 {
            say(svg, &mut x, &format!("a row is {} processors", self.group))?;
        } else if !left_out.is_empty() {
            say(svg, &mut x, &format!("not marked: {}", left_out.join(", ")))?;
        }
        Ok(())
    }
}

/// What is marked; a merge or an unsplit shows as a change of colour.
const MARKED: [Happening; 3] = [Happening::Split, Happening::Join, Happening::Cutoff];

/// The outline of a mark in the middle of a bar that reaches so far up and down.
fn mark(what: Happening, x: f64, y: f64, half: f64) -> String {
    let x = |aside: f64| short(x + aside);
    let y = |down: f64| short(y + down);
    match what {
        // Down from above: work is given away. Up from below: it is taken.
        Happening::Split => format!("M{} {}h8l-4 7z", x(-4.0), y(-half)),
        Happening::Join => format!("M{} {}h8l-4 -7z", x(-4.0), y(half)),
        _ => format!("M{0} {2}L{1} {3}M{0} {3}L{1} {2}", x(-3.5), x(3.5), y(-3.5), y(3.5)),
    }
}

/// The largest of 1, 2, 5, 10, 20 ... below, times ten where that is too little: a step whose multiples are round.
fn round_step(at_least: f64) -> f64 {
    if at_least <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(at_least.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= at_least)
        .unwrap_or(power)
}

/// A number with no more digits than a picture needs.
fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The text, or its beginning.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['\u{2026}']).collect()
}
