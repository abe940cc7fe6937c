use std::fmt::Write as _;
use std::path::Path;

use super::*;
use crate::Error;

/// Two processors for 100 units: the second one joins what the first one has split.
const SMALL: &str = r#"[
{"name":"thread_name","ph":"M","pid":0,"tid":0,"args":{"name":"processor 0"}},
{"name":"search","ph":"B","ts":0.000,"pid":0,"tid":0},
{"name":"split","ph":"i","s":"t","ts":20.000,"pid":0,"tid":0,"args":{"block":3,"generation":1,"ply":2}},
{"name":"unsplit","ph":"i","s":"t","ts":70.000,"pid":0,"tid":0,"args":{"block":3,"generation":1,"ply":2}},
{"ph":"E","ts":100.000,"pid":0,"tid":0},
{"name":"thread_name","ph":"M","pid":0,"tid":1,"args":{"name":"processor 1"}},
{"name":"search","ph":"B","ts":25.000,"pid":0,"tid":1},
{"name":"join","ph":"i","s":"t","ts":25.000,"pid":0,"tid":1,"args":{"block":3,"generation":1,"ply":2}},
{"name":"merge","ph":"i","s":"t","ts":65.000,"pid":0,"tid":1,"args":{"block":3,"generation":1,"ply":2}},
{"ph":"E","ts":65.000,"pid":0,"tid":1}
]
"#;

fn read(text: &str) -> Result<Timeline, Error> {
    Timeline::read(Path::new("t.json"), text.as_bytes())
}

fn bar(from: f64, to: f64, colour: Option<u8>) -> Bar {
    Bar { from, to, colour }
}

#[test]
fn a_record_is_followed() {
    let timeline = read(SMALL).unwrap();
    // (3 + 1) % 6.
    let block = Some(4);
    let first = [bar(0.0, 20.0, None), bar(20.0, 70.0, block), bar(70.0, 100.0, None)];
    assert_eq!(timeline.tracks[0].bars, first);
    assert_eq!(timeline.tracks[0].marks, [(20.0, Happening::Split), (70.0, Happening::Unsplit)]);
    assert_eq!(timeline.tracks[1].bars, [bar(25.0, 65.0, block)]);
    assert_eq!(timeline.busy_shares(), [1.0, 0.4]);
    assert_eq!(
        timeline.caption(),
        "2 processors, busy 70.0 % of the time; 1 split, 1 join, 1 merge, 1 unsplit, 0 cutoffs"
    );
    assert_eq!((timeline.title().as_str(), timeline.unit()), ("Processors over time", Unit::Unknown));
}

#[test]
fn a_record_may_say_which_search_it_is_of() {
    let about = |backend: &str, time: f64, cut: bool| {
        let text = format!(
            r#"{{"displayTimeUnit":"ns","otherData":{{"position":"a","strategy":"dts","processors":2,
               "backend":"{backend}","seed":1,"time":{time:?},"cut":{cut}}},"traceEvents":{SMALL}}}"#
        );
        read(&text).unwrap()
    };
    let timeline = about("simulated", 100.0, false);
    assert_eq!((timeline.title().as_str(), timeline.unit()), ("a, dts at 2 processors", Unit::NodeTimes));
    assert_eq!(timeline.part(), None);
    assert_eq!(about("simulated", 400.0, true).part(), Some(0.25));
    let threads = about("threads", 0.0002, true);
    assert_eq!((threads.unit(), threads.part()), (Unit::Microseconds, Some(0.5)));
    assert!(threads.page().contains("The record was full after 50 % of the search"));
}

#[test]
fn blocks_that_others_made_are_left_as_well() {
    let event = |name: &str, at: u32, block: u32| {
        format!(
            r#"{{"name":"{name}","ph":"i","ts":{at},"tid":0,"args":{{"block":{block},"generation":0,"ply":1}}}}"#
        )
    };
    let events = [
        r#"{"name":"search","ph":"B","ts":0,"tid":0}"#.to_owned(),
        event("join", 0, 1),
        event("split", 10, 2),
        // Of a kind that is not known, and no reason to draw nothing.
        event("wish", 15, 2),
        // A block above, which it has never heard of.
        event("cutoff", 20, 9),
        r#"{"ph":"E","ts":30,"tid":0}"#.to_owned(),
    ];
    let timeline = read(&format!("[{}]", events.join(",\n"))).unwrap();
    let bars = [bar(0.0, 10.0, Some(1)), bar(10.0, 20.0, Some(2)), bar(20.0, 30.0, None)];
    assert_eq!(timeline.tracks[0].bars, bars);
}

#[test]
fn what_is_no_record_is_told_with_its_line() {
    let line = |number: usize, text: &str| {
        let mut lines: Vec<&str> = SMALL.lines().collect();
        lines[number - 1] = text;
        lines.join("\n")
    };
    let cases = [
        (String::new(), "t.json, line 1: not a trace (EOF while parsing a value"),
        ("[]".into(), "no processor in it"),
        ("{}".into(), "no traceEvents in it"),
        ("7".into(), "expected an array of trace events"),
        (line(5, "5,"), "t.json, line 5: not a trace (invalid type: integer `5`"),
        (line(5, r#"{"ph":"X","ts":50,"tid":0},"#), "unknown phase `X`; known: B, E, i, M"),
        (line(5, r#"{"ph":"i","name":"split","tid":0},"#), "line 5: not a trace (an event without ts"),
        (
            line(5, r#"{"ph":"i","name":"split","ts":1,"tid":0},"#),
            "processor 0 goes back in time, from 20 to 1",
        ),
        (line(5, r#"{"ph":"B","ts":50,"tid":0},"#), "processor 0 begins what it has begun"),
        (line(5, r#"{"ph":"E","ts":50,"tid":1},"#), "processor 1 ends what it has not begun"),
        (line(5, r#"{"ph":"B","ts":50,"tid":1024},"#), "processor 1024; known: 0 to 1023"),
        (format!("{SMALL}x"), "trailing characters"),
        (SMALL[..SMALL.len() / 2].to_owned(), "EOF while parsing"),
    ];
    for (text, expected) in cases {
        let error = read(&text).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
        assert!(
            error.ends_with("; accepted: what a search writes with --trace") && !error.contains('\n'),
            "{error}"
        );
    }
}

#[test]
fn the_picture_has_bars_marks_and_labels() {
    let svg = read(SMALL).unwrap().draw();
    for expected in [
        // Processor 0: outside of blocks from 52 for a fifth of 890, and from seven tenths on; then in the block.
        "<path class=\"c6\" stroke-opacity=\"1\" d=\"M52 62h178M675 62h267\"/>",
        "<path class=\"c4\" stroke-opacity=\"1\" d=\"M230 62h445",
        "<path class=\"mark\" d=\"M226 53h8l-4 7z\"/>",
        ">40 %</text>",
        ">100</text>",
        ">split</text>",
        ">microseconds (node times, if it was simulated)</text>",
    ] {
        assert!(svg.contains(expected), "{expected}: {svg}");
    }
    assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"));
    assert!(!svg.contains(">cutoff</text>"), "{svg}");
}

#[test]
fn nothing_is_drawn_of_nothing() {
    let svg = read(r#"[{"ph":"M","tid":0}]"#).unwrap().draw();
    assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    assert!(svg.contains(">0 %</text>"), "{svg}");
}

#[test]
fn names_cannot_break_the_picture() {
    let timeline = Timeline {
        about: Some(About {
            position: "</text><script>".into(),
            strategy: "dts".into(),
            processors: 2,
            backend: Backend::Threads,
            seed: 1,
            time: 1.0,
            cut: false,
        }),
        ..read(SMALL).unwrap()
    };
    assert!(!timeline.draw().contains("<script>") && timeline.draw().contains("&lt;/text&gt;"));
    assert_eq!(timeline.page().matches("<script>").count(), 1);
}

/// A record of many processors, each with so many bars in turn at work and without.
fn large(processors: usize, bars: usize) -> String {
    let mut text = "[".to_owned();
    for processor in 0..processors {
        for bar in 0..bars {
            let at = bar * 10 + processor % 7;
            let comma = if processor + bar == 0 { "" } else { ",\n" };
            write!(
                text,
                "{comma}{{\"name\":\"search\",\"ph\":\"B\",\"ts\":{at},\"tid\":{processor}}},\n\
                 {{\"name\":\"join\",\"ph\":\"i\",\"ts\":{at},\"tid\":{processor},\
                 \"args\":{{\"block\":{processor},\"generation\":{bar}}}}},\n\
                 {{\"ph\":\"E\",\"ts\":{},\"tid\":{processor}}}",
                at + 8
            )
            .unwrap();
        }
    }
    text + "]"
}

#[test]
fn large_records_make_small_pictures() {
    let timeline = read(&large(1024, 300)).unwrap();
    assert_eq!((timeline.processors(), timeline.count(Happening::Join)), (1024, 1024 * 300));
    let svg = timeline.draw();
    assert!(svg.len() < 1_500_000, "{} bytes", svg.len());
    assert!(svg.contains("a row is 8 processors") && !svg.contains("class=\"mark\""));
    // A narrow bar is pale rather than lost: busy 8 of 10 everywhere.
    let shares = timeline.busy_shares();
    assert!(shares.iter().all(|share| (0.78..0.81).contains(share)), "{shares:?}");
    let joins = read(&large(16, 100)).unwrap().draw();
    assert!(joins.contains("not marked: joins"), "{joins}");
}

#[test]
fn a_page_tells_of_each_processor() {
    let page = read(SMALL).unwrap().page();
    assert!(page.contains("<tr><td>0<td>100.0 %<td>1<td>0<td>0<td>1<td>0\n"), "{page}");
    assert!(page.contains("<tr><td>1<td>40.0 %<td>0<td>1<td>1<td>0<td>0\n"), "{page}");
}

#[test]
fn thousands_are_set_apart() {
    assert_eq!(
        [0.0, 999.0, 1000.0, 1234567.0].map(grouped),
        ["0", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]
    );
}
