//! The picture of an experiment: speedup over processors.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::{Ceiling, Error, Summary};

/// How the axes are divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Axes {
    /// Both by doublings: the ideal is a straight line and few processors are as readable as many.
    #[default]
    Doubling,
    /// Both evenly.
    Linear,
}

/// How to draw an experiment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// What was measured.
    pub title: String,
    /// How the axes are divided.
    pub axes: Axes,
    /// What the machine itself can give, drawn as a dashed line; may be empty.
    pub ceilings: Vec<Ceiling>,
    /// What others have published, drawn as dotted lines; may be empty.
    pub published: Vec<PublishedCurve>,
}

/// Speedups that others have published.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedCurve {
    /// What the legend calls them.
    pub label: String,
    /// The strategy whose colour they share, if it is drawn.
    pub strategy: String,
    /// Processors and speedup.
    pub points: Vec<(usize, f64)>,
}

/// The size of the picture; everything below is chosen to be read when it is shrunk to a third.
const SIZE: (u32, u32) = (1000, 750);
const FONT: &str = "sans-serif";
const GREY: RGBColor = RGBColor(110, 110, 110);
/// Colours that people with any colour vision can tell apart (Okabe and Ito), in an order that also differs in
/// lightness; markers differ as well, for prints without colour.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
    RGBColor(230, 159, 0),
    RGBColor(110, 110, 110),
];

type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<Scale, Scale>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

impl Plot {
    /// Draws the mean speedups as an SVG image.
    pub fn draw(&self, summary: &[Summary]) -> Result<String, Error> {
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
            self.draw_on(&area, summary).map_err(Error::Plot)?;
        }
        Ok(svg)
    }

    fn draw_on(&self, area: &Area<'_>, summary: &[Summary]) -> Result<(), String> {
        area.fill(&WHITE).map_err(text)?;
        let top = most_processors(summary) as f64;
        let x = Scale::processors(self.axes, summary);
        let y = Scale::speedups(self.axes, summary);

        // The title shrinks before it would be cut.
        let room = f64::from(SIZE.0) - 60.0;
        let size = (room / (0.52 * self.title.chars().count() as f64)).clamp(12.0, 30.0);
        let centre = Pos::new(HPos::Center, VPos::Center);
        let title = (FONT, size).into_font().into_text_style(area).pos(centre);
        let middle = SIZE.0 as i32 / 2;
        area.draw_text(&self.title, &title, (middle, 32)).map_err(text)?;
        let note = (FONT, 22).into_font().color(&GREY).pos(centre);
        area.draw_text(&caption(summary), &note, (middle, 66)).map_err(text)?;

        let mut chart = ChartBuilder::on(area)
            .margin_top(90)
            .margin_right(40)
            .margin_bottom(15)
            .margin_left(15)
            .x_label_area_size(70)
            .y_label_area_size(85)
            .build_cartesian_2d(x.clone(), y.clone())
            .map_err(text)?;
        chart
            .configure_mesh()
            .bold_line_style(RGBColor(225, 225, 225))
            .light_line_style(TRANSPARENT)
            .x_desc("processors")
            .y_desc("speedup over one processor")
            .label_style((FONT, 24))
            .axis_desc_style((FONT, 26))
            .draw()
            .map_err(text)?;

        self.reference_lines(&mut chart, top)?;
        let strategies = strategies(summary);
        for (index, strategy) in strategies.iter().enumerate() {
            let rows: Vec<&Summary> = summary.iter().filter(|row| row.strategy == **strategy).collect();
            curve(&mut chart, (&x, &y), &rows, index, strategies.len())?;
        }
        for published in &self.published {
            let index = strategies.iter().position(|strategy| *strategy == published.strategy);
            dotted(&mut chart, published, index.map_or(GREY, |index| COLOURS[index % COLOURS.len()]), top)?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .margin(18)
            .legend_area_size(50)
            .label_font((FONT, 24))
            .background_style(WHITE.mix(0.9))
            .border_style(RGBColor(200, 200, 200))
            .draw()
            .map_err(text)
    }

    /// The ideal, and what the machine gives to searches that share nothing.
    fn reference_lines(&self, chart: &mut Chart<'_>, top: f64) -> Result<(), String> {
        let line = GREY.stroke_width(2);
        let ideal = [1.0, top].map(|count| (count, count));
        chart
            .draw_series(LineSeries::new(ideal, line))
            .map_err(text)?
            .label("ideal")
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 44, y)], line));
        if self.ceilings.is_empty() {
            return Ok(());
        }
        let ceilings = self.ceilings.iter().map(|measured| (measured.processors as f64, measured.ceiling));
        let points = ceilings.filter(|(processors, _)| *processors <= top).collect::<Vec<_>>();
        chart
            .draw_series(DashedLineSeries::new(points, 9, 7, line))
            .map_err(text)?
            .label("separate searches on this machine")
            .legend(move |(x, y)| DashedPathElement::new([(x, y), (x + 44, y)], 9, 7, line));
        Ok(())
    }
}

/// One strategy: its curve, its bars and its entry in the legend.
fn curve(
    chart: &mut Chart<'_>,
    (x, y): (&Scale, &Scale),
    rows: &[&Summary],
    index: usize,
    strategies: usize,
) -> Result<(), String> {
    let colour = COLOURS[index % COLOURS.len()];
    // Bars at the same number of processors stand a little beside each other, at one there are none.
    let aside = (index as f64 - (strategies as f64 - 1.0) / 2.0) * 0.005;
    let at = |row: &Summary, speedup: f64| {
        let share = if row.processors > 1 { aside } else { 0.0 };
        (x.shift(row.processors as f64, share), speedup)
    };

    for row in rows.iter().filter(|row| row.processors > 1) {
        let (Some(low), Some(high)) = (row.speedup_low95, row.speedup_high95) else { continue };
        let ends = [low, high].map(|end| at(row, end.max(y.low)));
        let bar = colour.stroke_width(2);
        let cap = |end: (f64, f64)| EmptyElement::at(end) + PathElement::new([(-7, 0), (7, 0)], bar);
        chart.draw_series([PathElement::new(ends, bar)]).map_err(text)?;
        chart.draw_series(ends.map(cap)).map_err(text)?;
    }
    let points: Vec<(f64, f64)> = rows.iter().map(|row| at(row, row.speedup_mean)).collect();
    let line = colour.stroke_width(3);
    chart
        .draw_series(LineSeries::new(points.iter().copied(), line))
        .map_err(text)?
        .label(rows[0].strategy.clone())
        .legend(move |(x, y)| {
            let line = PathElement::new([(0, 0), (44, 0)], line);
            EmptyElement::at((x, y)) + line + shape(index, colour, (22, 0))
        });
    let marks = points.into_iter().map(|point| EmptyElement::at(point) + shape(index, colour, (0, 0)));
    chart.draw_series(marks).map_err(text)?;
    Ok(())
}

/// A curve that others have published, as far as processors go here.
fn dotted(
    chart: &mut Chart<'_>,
    published: &PublishedCurve,
    colour: RGBColor,
    top: f64,
) -> Result<(), String> {
    let line = colour.stroke_width(3);
    let points = published.points.iter().map(|&(processors, speedup)| (processors as f64, speedup));
    let points: Vec<(f64, f64)> = points.filter(|(processors, _)| *processors <= top).collect();
    chart
        .draw_series(DashedLineSeries::new(points.iter().copied(), 3, 7, line))
        .map_err(text)?
        .label(published.label.clone())
        .legend(move |(x, y)| DashedPathElement::new([(x, y), (x + 44, y)], 3, 7, line));
    let ring = |point| EmptyElement::at(point) + Circle::new((0, 0), 5, colour.stroke_width(2));
    chart.draw_series(points.into_iter().map(ring)).map_err(text)?;
    Ok(())
}

/// The marker of a strategy, as a polygon around a point in pixels.
fn shape(index: usize, colour: RGBColor, (x, y): (i32, i32)) -> Polygon<(i32, i32)> {
    let corners: &[(i32, i32)] = match index % 5 {
        0 => &[(7, 0), (5, 5), (0, 7), (-5, 5), (-7, 0), (-5, -5), (0, -7), (5, -5)],
        1 => &[(-6, -6), (6, -6), (6, 6), (-6, 6)],
        2 => &[(0, -9), (8, 6), (-8, 6)],
        3 => &[(0, -9), (9, 0), (0, 9), (-9, 0)],
        _ => &[(0, 9), (8, -6), (-8, -6)],
    };
    Polygon::new(corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect::<Vec<_>>(), colour.filled())
}

/// One axis.
#[derive(Clone, Debug)]
struct Scale {
    axes: Axes,
    low: f64,
    high: f64,
    ticks: Vec<f64>,
}

impl Scale {
    /// An axis from one value to another with a little air at both ends, so that nothing is drawn on the frame.
    fn new(axes: Axes, low: f64, high: f64) -> Scale {
        let bare = Scale { axes, low, high, ticks: Vec::new() };
        Scale { low: bare.shift(low, -0.04), high: bare.shift(high, 0.04), ..bare }
    }

    /// The axis of processors, with the numbers measured as ticks.
    fn processors(axes: Axes, summary: &[Summary]) -> Scale {
        let mut scale = Scale::new(axes, 1.0, most_processors(summary).max(2) as f64);
        let mut counts: Vec<f64> = summary.iter().map(|row| row.processors as f64).collect();
        counts.sort_by(|left, right| right.total_cmp(left));
        // From the right, leaving out labels that would run into their neighbours.
        for count in counts {
            if scale.ticks.last().is_none_or(|last| scale.place(*last) - scale.place(count) > 0.04) {
                scale.ticks.push(count);
            }
        }
        scale
    }

    /// The axis of speedups, with round numbers as ticks.
    fn speedups(axes: Axes, summary: &[Summary]) -> Scale {
        let means = summary.iter().map(|row| row.speedup_mean);
        let highs = summary.iter().filter_map(|row| row.speedup_high95);
        let lows = summary.iter().filter_map(|row| row.speedup_low95);
        // An interval may go below nothing, which the axis of doublings cannot show.
        let low = means.clone().chain(lows.map(|low| low.max(0.1))).fold(1.0, f64::min);
        let high = means.chain(highs).fold(most_processors(summary).max(2) as f64, f64::max);
        let scale = Scale::new(axes, low, high);
        match axes {
            Axes::Doubling => {
                let ticks = (-20..20).map(|power| 2f64.powi(power));
                Scale { ticks: ticks.filter(|tick| scale.range().contains(tick)).collect(), ..scale }
            }
            Axes::Linear => {
                let steps = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0];
                let step = steps.into_iter().find(|step| scale.high / step <= 10.0).unwrap_or(1000.0);
                let ticks = (0..).map(|count| f64::from(count) * step);
                Scale { low: 0.0, ticks: ticks.take_while(|tick| *tick < scale.high).collect(), ..scale }
            }
        }
    }

    /// Where a value lies: 0 at the axis's lower end, 1 at its upper end.
    fn place(&self, value: f64) -> f64 {
        match self.axes {
            Axes::Doubling => (value / self.low).log2() / (self.high / self.low).log2(),
            Axes::Linear => (value - self.low) / (self.high - self.low),
        }
    }

    /// The value that lies beside another by a share of the axis's length.
    fn shift(&self, value: f64, share: f64) -> f64 {
        match self.axes {
            Axes::Doubling => value * (self.high / self.low).powf(share),
            Axes::Linear => value + share * (self.high - self.low),
        }
    }
}

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (start, end): (i32, i32)) -> i32 {
        start + (self.place(*value) * f64::from(end - start)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

/// Ticks are written without digits that say nothing.
impl ValueFormatter<f64> for Scale {
    fn format(value: &f64) -> String {
        ((value * 1000.0).round() / 1000.0).to_string()
    }
}

fn most_processors(summary: &[Summary]) -> usize {
    summary.iter().map(|row| row.processors).max().unwrap_or(1)
}

/// The strategies in the order in which they come.
fn strategies(summary: &[Summary]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for row in summary {
        if !names.contains(&row.strategy.as_str()) {
            names.push(&row.strategy);
        }
    }
    names
}

fn caption(summary: &[Summary]) -> String {
    match summary.first().map_or(0, |row| row.positions) {
        0 => String::new(),
        1 => "one position".to_owned(),
        positions => format!("mean of {positions} positions; bars: 95 % interval of the mean"),
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three strategies that scale as the DTS paper's tables 1 to 3 say.
    fn summary() -> Vec<Summary> {
        let curves = [
            ("dts", [1.0, 2.0, 3.7, 6.6, 11.1]),
            ("epvs", [1.0, 1.9, 3.4, 5.4, 6.0]),
            ("pvs", [1.0, 1.8, 3.0, 4.1, 4.6]),
        ];
        let mut rows = Vec::new();
        for (strategy, speedups) in curves {
            for (doublings, speedup) in speedups.into_iter().enumerate() {
                let half = 0.05 * (speedup - 1.0) * doublings as f64 / 2.0;
                rows.push(Summary {
                    strategy: strategy.to_owned(),
                    processors: 1 << doublings,
                    positions: 24,
                    speedup_mean: speedup,
                    speedup_geometric_mean: speedup,
                    speedup_min: speedup,
                    speedup_max: speedup,
                    speedup_low95: Some(speedup - half),
                    speedup_high95: Some(speedup + half),
                    node_ratio_mean: 1.0,
                    idle_share_mean: 0.0,
                    total_time_ratio: speedup,
                    spread_median: None,
                    parallelism_mean: None,
                    time_over_prediction_mean: None,
                    repeats_low95: None,
                    repeats_high95: None,
                });
            }
        }
        rows
    }

    fn plot(axes: Axes) -> Plot {
        let ceiling =
            |processors: usize| Ceiling::new(processors, 1.0, 1.0 + 0.02 * (processors as f64 - 1.0));
        Plot {
            title: "Speedup: a test of the plot".into(),
            axes,
            ceilings: [1, 2, 4, 8, 16].map(ceiling).into(),
            published: vec![PublishedCurve {
                label: "dts, published".into(),
                strategy: "dts".into(),
                points: vec![(1, 1.0), (2, 1.9), (16, 10.0), (32, 16.0)],
            }],
        }
    }

    #[test]
    fn everything_asked_for_is_in_the_picture() {
        for axes in [Axes::Doubling, Axes::Linear] {
            let svg = plot(axes).draw(&summary()).unwrap();
            if let Some(directory) = std::env::var_os("DTS_PLOTS") {
                let path = std::path::Path::new(&directory).join(format!("{axes:?}.svg"));
                std::fs::write(path, &svg).unwrap();
            }
            for expected in [
                "Speedup: a test of the plot",
                "mean of 24 positions; bars: 95 % interval of the mean",
                "processors",
                "speedup over one processor",
                "ideal",
                "separate searches on this machine",
                "dts, published",
                "dts",
                "epvs",
                "pvs",
                "16",
            ] {
                assert!(svg.contains(&format!("\n{expected}\n")), "{axes:?}: {expected}");
            }
            assert_eq!(svg.matches("NaN").count(), 0);
        }
    }

    #[test]
    fn odd_experiments_are_drawn_as_well() {
        let mut alone = summary();
        alone.retain(|row| row.processors == 1);
        let mut slow = summary();
        slow.iter_mut().for_each(|row| {
            row.speedup_mean /= row.processors as f64;
            row.speedup_low95 = Some(-1.0);
        });
        let mut one = summary();
        one.iter_mut()
            .for_each(|row| (row.positions, row.speedup_low95, row.speedup_high95) = (1, None, None));
        for rows in [&alone, &slow, &one, &Vec::new()] {
            for axes in [Axes::Doubling, Axes::Linear] {
                let svg = Plot { axes, ..Plot::default() }.draw(rows).unwrap();
                assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{svg}");
            }
        }
    }

    #[test]
    fn ticks_do_not_run_into_each_other() {
        let mut rows = summary();
        for (index, row) in rows.iter_mut().enumerate() {
            row.processors = index + 1;
        }
        let ticks = |axes| Scale::processors(axes, &rows).ticks;
        assert_eq!(ticks(Axes::Linear).len(), 15);
        assert_eq!(ticks(Axes::Doubling), [15.0, 13.0, 11.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]);
    }
}
