//! Broken bridge input: exit code 2, nothing on standard output, and one line on standard error that names the place, what is wrong and
//! what is accepted. And unusual input that is right.

mod common;

use std::fmt::Write as _;
use std::fs;

use common::{Directory, dts, words};

/// The hands of a good deal; the cases change it.
const DEAL: &str = "N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3";

/// `DEAL` with a change, as an argument of a command.
fn changed(command: &str, from: &str, to: &str, more: &str) -> (String, Vec<u8>) {
    assert!(DEAL.contains(from), "{from}");
    (format!("bridge {command} '{}' {more}", DEAL.replacen(from, to, 1)), Vec::new())
}

/// The good deal with more on the command line.
fn good(command: &str, more: &str) -> (String, Vec<u8>) {
    changed(command, "N:", "N:", more)
}

/// A command that reads `input`.
fn given(line: &str, input: impl AsRef<[u8]>) -> (String, Vec<u8>) {
    (format!("bridge {line}"), input.as_ref().to_vec())
}

/// A PBN game with a play.
fn game(tags: &str, play: &str) -> String {
    format!("[Event \"\"]\n[Deal \"{DEAL}\"]\n{tags}\n[Play \"N\"]\n{play}\n*\n")
}

const CONTRACT: &str = "[Declarer \"W\"]\n[Contract \"2S\"]";

/// Files that the command lines name.
const FILES: [(&str, &[u8]); 3] =
    [("empty.pbn", b""), ("only-remarks.pbn", b"# nothing\n\n"), ("half-a-letter.pbn", b"# a\nN:\xc3")];

fn deals() -> Vec<(String, Vec<u8>)> {
    vec![
        // What is no deal at all.
        given("table", ""),
        given("table ''", ""),
        given("table garbage", ""),
        given("table none.pbn", ""),
        given("table .", ""),
        given("table empty.pbn", ""),
        given("table only-remarks.pbn", ""),
        given("table half-a-letter.pbn", ""),
        given("table -", ""),
        given("table -", b"N:\x00\x00"),
        given("table -", b"\xff\xfeN\x00:\x00"),
        given("table -", format!("{DEAL}\n{DEAL}\0\n")),
        given("table -", format!("{}\n", "N:AKQ".repeat(200_000))),
        given("table -", "\u{1b}[2J"),
        given("table -", "N:"),
        // The first hand.
        changed("table", "N:", "", ""),
        changed("table", "N:", "X:", ""),
        changed("table", "N:", ":", ""),
        // The number of hands and suits.
        changed("table", " AT942.AQ4.32.KJ3", "", ""),
        changed("table", "AT942", "A.K.Q.J AT942", ""),
        changed("table", "QJ6.K652.J85.T98", "QJ6.K652.J85.T98.", ""),
        changed("table", "QJ6.K652.J85.T98", "QJ6.K652.J85", ""),
        changed("table", " K5", " S:K5", ""),
        changed("table", "873.J97.AT764.Q4", "-", ""),
        // Ranks and cards.
        changed("table", "QJ6", "QJ1", ""),
        changed("table", "QJ6", "QJX", ""),
        changed("table", "T83", "11083", ""),
        changed("table", "QJ6", "QQ6", ""),
        changed("table", "873.", "Q73.", ""),
        changed("table", "QJ6", "QJ6♠", ""),
        // Lengths.
        changed("table", "QJ6", "QJ", ""),
        changed("table", "K5.", "K54.", ""),
        changed("table", "QJ6", "QJ643", ""),
        given("table 'N:... ... ... ...'", ""),
        given("table 'N:AK... QJ... T... 98...'", ""),
        given("table -", format!("{DEAL}\n# a remark\n\n{DEAL}\nN:A... K... Q... A...\n")),
        // LIN.
        given("table -", "md|5SAK,HAK,DAK,CAK|"),
        given("table -", "md|1SAX,HAK,DAK,CAK|"),
        given("table -", "md|1SAK,SAQ,DAK,CAK|"),
        given("table -", "md|1XAK,HAK,DAK,CAK|"),
        given("table -", "md|1SAK|"),
        given("table -", "st||\nmd|1SAKQJT98765432HA,SH,HD,CAK|"),
        given("table -", "pn|a,b,c,d|"),
        given("table -", "md|1SAK,HAK,DAK,CAK|sv|x|"),
        // DDS hands files.
        given("table -", "NUMBER 1\n"),
        given("table -", format!("PBN 4 0 0 0 \"{DEAL}\"")),
        given("table -", format!("NUMBER 2\nPBN 0 0 0 0 \"{DEAL}\"\nPBN 0 7 0 0 \"{DEAL}\"\n")),
        given("table -", "PBN 0 0 5 0 \"N:\""),
        given("table -", "PBN 0 0 0 0 N:"),
        // PBN tags.
        given("table -", "[Event \"x\"]\n"),
        given("table -", "[Event \"x\"]\n[Deal \"N:A... K... Q...\"]\n"),
        given("table -", "[Deal N:A... K... Q... J...]\n"),
        given("table -", format!("[Deal \"{DEAL}\"]\n[Dealer \"5\"]\n")),
        given("table -", format!("[Deal \"{DEAL}\"]\n[Vulnerable \"we\"]\n")),
    ]
}

fn positions() -> Vec<(String, Vec<u8>)> {
    vec![
        good("solve", "--leader N"),
        good("solve", "--trump S"),
        good("solve", "--trump 5 --leader N"),
        good("solve", "--trump -1 --leader N"),
        good("solve", "--trump X --leader N"),
        good("solve", "--trump S --leader 4"),
        good("solve", "--trump S --leader Q"),
        good("solve", "--trump S --leader N --cards some"),
        good("solve", "--trump S --leader N --played S1"),
        good("solve", "--trump S --leader N --played S15"),
        good("solve", "--trump S --leader N --played X2"),
        good("solve", "--trump S --leader N --played S"),
        good("solve", "--trump S --leader N --played SA"),
        good("solve", "--trump S --leader N --played 'SQ HJ'"),
        good("solve", "--trump S --leader N --played 'SQ SQ'"),
        good("solve", "--trump S --leader N --played 'SQ S8 SK SA'"),
        changed("solve", "QJ6", "J6", "--trump S --leader N --played SJ"),
        changed("solve", "QJ6", "J6", "--trump S --leader E --played SQ"),
        changed("solve", "QJ6", "J6", "--trump S --leader N"),
        changed("solve", "QJ6", "QJ", "--trump S --leader N"),
        // Nobody has C2, but all hands are equally long, so North has a card too many.
        given("solve 'N:AK... QJ... T9... 87...' --trump S --leader N --played C2", ""),
        given("solve 'N:... ... ... ...' --trump S --leader N", ""),
        given("solve -", format!("{DEAL}\n{DEAL}\n")),
        good("solve", "--trump S --leader N --strategy dst"),
        good("solve", "--trump S --leader N --threads 0"),
        good("solve", "--trump S --leader N --hash 0"),
        good("solve", "--trump S --leader N --group-size 2"),
        good("solve", "--trump S --leader N --trace none/such.json"),
        good("solve", "--trump S --leader N --depth 3"),
        given("solve - --trump S --leader N --trace trace.json", format!("{DEAL}\n{DEAL}\n")),
    ]
}

fn pars_and_plays() -> Vec<(String, Vec<u8>)> {
    vec![
        good("par", ""),
        good("par", "--vulnerable 7"),
        good("par", "--vulnerable we"),
        good("par", "--vulnerable none --dealer 4"),
        good("par", "--vulnerable none --pin"),
        good("par", "--vulnerable none --counters"),
        good("table", "--trace trace.json"),
        good("table", "--trump S"),
        given("par 'N:AK... QJ... T9... 87...' --vulnerable none", ""),
        given("par -", format!("PBN 0 0 0 0 \"{DEAL}\"\n[Deal \"{DEAL}\"]\n")),
        // Contracts.
        good("play", ""),
        good("play", "--trump S"),
        given("play -", game("", "CT")),
        given("play -", game("[Contract \"9S\"]", "CT")),
        given("play -", game("[Auction \"N\"]\nPass 1X", "CT")),
        given("play -", game("[Declarer \"E\"]\n[Contract \"2S\"]", "CT")),
        // Cards.
        given("play -", game(CONTRACT, "CK")),
        given("play -", game(CONTRACT, "CT C4 CA CT")),
        given("play -", game(CONTRACT, "CT HJ")),
        given("play -", game(CONTRACT, "C1")),
        given("play -", game(CONTRACT, "X2")),
        given("play -", game(CONTRACT, "CT C4 CA -\nHK")),
        given("play -", game(CONTRACT, "CT - CA CJ")),
        given("play -", format!("PBN 0 0 0 0 \"{DEAL}\"\nPLAY 3 \"CTC4C\"\n")),
        given("play -", format!("PBN 0 0 0 0 \"{DEAL}\"\nPLAY 3 CTC4C2\n")),
        given("play -", format!("PBN 0 0 0 0 \"{DEAL}\"\nPLAY 3 \"CTC4HT\"\n")),
        given("play -", "md|1SA,HA,DA,CA|\nmb|1S|mb|p|\npc|HA|pc|DA|pc|CA|pc|SA|pc|S2|"),
        given("play -", "md|1SA,HA,DA,CA|mb|1S|pc|HA|pc|DA|pc|XA|"),
        given("play -", "pc|SA|md|1SA,HA,DA,CA|"),
        given("play none.lin", ""),
        given("play empty.pbn", ""),
        given("analyse x", ""),
    ]
}

/// The program on each command line, with what it said.
fn said(name: &str, cases: Vec<(String, Vec<u8>)>) -> String {
    let directory = Directory::new(name);
    for (file, content) in FILES {
        fs::write(directory.0.join(file), content).expect("a file");
    }
    let before = directory.files();
    let mut all = String::new();
    for (line, input) in cases {
        let output = dts(&directory.0, &words(&line), &input);
        let error = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "dts {line}: {error}");
        assert_eq!(error.lines().count(), 1, "dts {line}: not one line: {error}");
        assert!(error.ends_with('\n') && !error.contains("panicked"), "dts {line}: {error}");
        assert!(
            error.chars().count() < 700 && !error.trim_end().contains(char::is_control),
            "dts {line}: {error}"
        );
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "dts {line}");
        assert_eq!(directory.files(), before, "dts {line} left something behind");
        let mut shown: String = String::from_utf8_lossy(&input).chars().take(120).collect();
        if !shown.is_empty() {
            shown = format!(" <<< {shown:?}");
        }
        writeln!(all, "$ dts {line}{shown}\n{error}").expect("a string grows");
    }
    all
}

#[test]
fn broken_deals() {
    insta::assert_snapshot!(said("broken-deals", deals()));
}

#[test]
fn broken_positions() {
    insta::assert_snapshot!(said("broken-positions", positions()));
}

#[test]
fn broken_pars_and_plays() {
    insta::assert_snapshot!(said("broken-plays", pars_and_plays()));
}

#[test]
fn an_argument_that_is_no_text_is_refused() {
    #[cfg(unix)]
    {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let directory = Directory::new("broken-argument");
        let arguments = [OsStr::new("bridge"), OsStr::new("table"), OsStr::from_bytes(b"N:\xff")];
        let output = dts(&directory.0, &arguments, "");
        let error = String::from_utf8(output.stderr).expect("text");
        assert_eq!(
            (output.status.code(), error.lines().count(), output.stdout.len()),
            (Some(2), 1, 0),
            "{error}"
        );
    }
}

#[test]
fn unusual_input_is_accepted() {
    let directory = Directory::new("unusual");
    let one = "N:A... K... Q... J...";
    for (line, input) in [
        // `10` for T, small letters, more blanks, another first seat, a mark of UTF-8, lines that end as elsewhere.
        ("bridge table 'n:a10... kq... j9... 87...'", ""),
        ("bridge table 'N:AT...   KQ... J9... 87...'", ""),
        ("bridge table -", "\u{feff}N:A... K... Q... J...\r\n\r\nE:A... K... Q... J...\r\n"),
        ("bridge table -", "\n\n  N:A... K... Q... J...  "),
        ("bridge solve 'N:A... K... Q... J...' --trump notrump --leader north --played sa", ""),
        ("bridge solve 'N:... K... Q... J...' --trump n --leader N --played 'SA'", ""),
        ("bridge solve 'N:A10... KQ... J9... 87...' --trump S --leader N --played S10,SQ", ""),
        ("bridge play -", "md|1SA,HA,DA,CA|mb|1S|"),
        ("bridge play - --trump S --declarer S", one),
    ] {
        let output = dts(&directory.0, &words(line), input);
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "dts {line}: {output:?}");
    }
}
