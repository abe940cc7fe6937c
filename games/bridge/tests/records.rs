//! Records of all forms: what is read from them, and what is wrong with them.

mod common;

use dts_bridge::{Card, Record, Seat, Strain, Vulnerable, read_records};
use proptest::prelude::*;

const DEAL: &str = "N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3";

fn read(text: &str) -> Vec<Record> {
    read_records(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn error(text: &str) -> String {
    read_records(text).expect_err(text).to_string()
}

fn played(record: &Record) -> String {
    let contract = record.contract.expect("a contract");
    let play = record.play(contract).unwrap_or_else(|error| panic!("{error}"));
    let cards: Vec<_> = play.cards.iter().map(Card::to_string).collect();
    format!("{contract}: {}", cards.join(" "))
}

#[test]
fn deals_stand_one_a_line() {
    let records = read(&format!("\u{feff}# two\r\n{DEAL}\r\n\r\nE:A... K... Q... J...\r\n"));
    let lines: Vec<_> = records.iter().map(|record| (record.line, record.deal.to_string())).collect();
    assert_eq!(lines, [(2, DEAL.to_owned()), (4, "N:J... A... K... Q...".to_owned())]);
    assert_eq!((records[0].dealer, records[0].vulnerable, records[0].contract), (None, None, None));
    assert_eq!(
        error(&format!("{DEAL}\n\nN:A... K... Q... A...\n")),
        "line 3: SA is in two hands, North and West: each card is wanted once"
    );
    assert_eq!(error(" \n# nothing\n"), "there is no deal: PBN, LIN or a DDS hands file is wanted");
}

#[test]
fn a_pbn_game_tells_contract_and_play() {
    // The columns are those of seats, West's first, who leads.
    let text = format!(
        "% PBN 2.1\n[Event \"a {{brace}}\"]\n{{a remark\nthat goes on}}\n[Deal \"{DEAL}\"] ; here\n[Dealer \"N\"]\n\
         [Vulnerable \"NS\"]\n[Auction \"N\"]\nPass Pass 1C =1= 1S\nPass 2S! X {{!}} AP\n[Play \"N\"]\n\
         CT C4 CA CJ\nHK H9 H8 H4 $1\nD5 DA D9 D2\n- S7 - -\n*\n\n[Event \"#\"]\n[Deal \"#\"]\n[Contract \"3NTX\"]\n\
         [Declarer \"S\"]\n[Vulnerable \"#\"]\n"
    );
    let records = read(&text);
    assert_eq!(records.len(), 2);
    assert_eq!(
        (records[0].line, records[0].dealer, records[0].vulnerable),
        (5, Some(Seat::North), Some(Vulnerable::NorthSouth))
    );
    assert_eq!(played(&records[0]), "2S by West: CT C4 CA CJ H8 H4 HK H9 D5 DA D9 D2 S7");
    assert_eq!(records[1].deal, records[0].deal);
    assert_eq!(played(&records[1]), "3NT by South: ");
    assert_eq!((records[1].line, records[1].vulnerable), (19, Some(Vulnerable::NorthSouth)));
}

#[test]
fn several_tags_may_stand_on_a_line_and_games_need_no_event() {
    let records = read(&format!(
        "[Dealer \"W\"][Deal \"{DEAL}\"]\n\n[Dealer \"E\"]\n[Deal \"{DEAL}\"]\n[Deal \"{DEAL}\"]\n"
    ));
    let dealers: Vec<_> = records.iter().map(|record| record.dealer).collect();
    assert_eq!(dealers, [Some(Seat::West), Some(Seat::East), None]);
}

#[test]
fn lin_tells_contract_and_play() {
    let text = "pn|a,b,c,d|st||md|3SK5HT83DKQ9CA7652,SAT942HAQ4D32CKJ3,SQJ6HK652DJ85CT98|sv|e|\n\
                mb|p|mb|p|mb|p|mb|1S|an|five|mb|p|mb|2S!|mb|p|mb|p|mb|p|\npc|CT|pc|c4|pc|CA|\npc|CJ|mc|8|\n";
    let records = read(text);
    assert_eq!((records[0].line, records[0].dealer), (1, Some(Seat::North)));
    assert_eq!(records[0].vulnerable, Some(Vulnerable::EastWest));
    assert_eq!(played(&records[0]), "2S by West: CT C4 CA CJ");
    assert_eq!(error("pn|a|\n"), "line 1: \"pn|a|\" stands where a deal in LIN (md|1S...) is wanted");
    assert_eq!(
        error(&text.replace("|2S!|", "|8S|")),
        "line 2: \"8S\" stands where a call after mb is wanted"
    );
    assert_eq!(
        error(&text.replace("pc|CJ", "pc|CX")),
        "line 4: \"CX\" stands where a card after pc is wanted"
    );
}

#[test]
fn hands_files_tell_trumps_leader_and_play() {
    let text = format!("NUMBER 1\nPBN 0 3 0 0 \"{DEAL}\"\nFUT 3\nPLAY 4 \"CTC4CACJ\"\n");
    let records = read(&text);
    assert_eq!((records[0].line, records[0].vulnerable), (2, Some(Vulnerable::EastWest)));
    assert_eq!(played(&records[0]), "spades by West: CT C4 CA CJ");
    assert_eq!(error(&text.replace("C4", "C1")), "line 4: \"C1\" stands where a card is wanted");
}

#[test]
fn plays_that_cannot_be_are_named() {
    let play = |cards: &str| {
        let records =
            read(&format!("[Deal \"{DEAL}\"]\n[Contract \"2S\"]\n[Declarer \"W\"]\n[Play \"N\"]\n{cards}\n"));
        records[0].play(records[0].contract.expect("a contract")).expect_err(cards).to_string()
    };
    assert_eq!(
        play("CT C4 CA CJ\nHK H9 H8 SA"),
        "line 6: card 6: West revokes: SA was played while West holds hearts, of which a card is wanted"
    );
    assert_eq!(
        play("DA"),
        "line 5: card 1: North does not hold DA: a card of the hand that is to play is wanted"
    );
    let missing = "has not played, but a later hand has";
    assert_eq!(play("CT C4 - CJ"), format!("line 5: card 3 is missing: South {missing}"));
    assert_eq!(play("CT C4 CA -\nHK H9 H8 H4"), format!("line 5: card 4 is missing: West {missing}"));
    let records =
        read(&format!("[Deal \"{DEAL}\"]\n[Contract \"2S\"]\n[Declarer \"W\"]\n[Play \"E\"]\nC4\n"));
    assert_eq!(
        records[0].play(records[0].contract.expect("a contract")).expect_err("a leader").to_string(),
        "line 1: the play begins with East, but North leads against 2S by West"
    );
    let records = read(&format!("[Deal \"{DEAL}\"]\n[Play \"E\"]\nC4\n"));
    assert_eq!(records[0].contract, None);
    let contract = records[0].contract_with(Some(Strain::NoTrump), None).expect("a contract");
    assert_eq!(contract.to_string(), "no trump by North");
}

#[test]
fn what_is_wrong_in_a_pbn_game_is_named_with_its_line() {
    let with = |tag: &str| error(&format!("[Deal \"{DEAL}\"]\n{tag}\n"));
    assert_eq!(with("[Dealer \"X\"]"), "line 2: \"X\" stands where a seat (N, E, S or W) is wanted");
    assert_eq!(
        with("[Vulnerable \"me\"]"),
        "line 2: \"me\" stands where a vulnerability (None, NS, EW or Both) is wanted"
    );
    assert_eq!(
        with("[Contract \"8S\"]"),
        "line 2: \"8S\" stands where a contract such as 4S, 3NTX or Pass is wanted"
    );
    assert_eq!(
        with("[Auction \"N\"]\n1C 1Z"),
        "line 3: \"1Z\" stands where a call such as 1NT, Pass, X or AP is wanted"
    );
    assert_eq!(
        with("[Play \"N\"]\nCT C1"),
        "line 3: \"C1\" stands where a card such as HT, or - for none is wanted"
    );
    let tag = "stands where a tag such as [Deal \"N:AKQ.. ...\"] is wanted";
    assert_eq!(with("[Dealer N]"), format!("line 2: \"[Dealer N]\" {tag}"));
    assert_eq!(with("[Dealer \"N\""), format!("line 2: \"[Dealer \"N\"\" {tag}"));
    assert_eq!(error("[Event \"x\"]\n"), "there is no deal: PBN, LIN or a DDS hands file is wanted");
}

#[test]
fn the_last_trick_may_have_fewer_cards_and_columns() {
    for (last, wanted) in
        [("- - H8", " H8"), ("- - H8 H4", " H8 H4"), ("- - H8 -", " H8"), ("- -", ""), ("", "")]
    {
        let records = read(&format!(
            "[Deal \"{DEAL}\"]\n[Contract \"2S\"]\n[Declarer \"W\"]\n[Play \"N\"]\nCT C4 CA CJ\n{last}\n"
        ));
        assert_eq!(played(&records[0]), format!("2S by West: CT C4 CA CJ{wanted}"), "{last}");
    }
}

proptest! {
    #[test]
    fn nothing_that_is_read_panics(
        text in "\\PC*",
        near in "(\\[(Deal|Play|Auction|Contract) \"[N:AKQ.2 #X4S]*\"\\]\n?|md\\|1[SHDCAK2,]*\\||pc\\|[SHA1]*\\||[SHDC][AK2-] |[-*{};\n%#|])*",
        cells in "((CT|C4|CA|CJ|H8|HQ|HK|-|\\*|\\{|!) ?\n?){0,12}",
    ) {
        let game = format!("[Deal \"{DEAL}\"]\n[Play \"N\"]\nCT C4 CA CJ {cells}");
        for text in [text, near, game] {
            for record in read_records(&text).unwrap_or_default() {
                if let Some(contract) = record.contract_with(Some(Strain::Spades), Some(Seat::West)) {
                    let _ = record.play(contract);
                }
            }
        }
    }
}
