//! Wrong input gives an error that says what is wrong, and right input in unusual form is read.

mod common;

use dts_bridge::{
    Card, Deal, HandsFileBoard, LinBoard, Seat, Situation, Strain, TrickTable, Vulnerable, read_hands_file,
    read_lin, read_pbn, write_hands_file, write_lin, write_pbn,
};
use proptest::prelude::*;

const BASE: &str = "N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3";

fn deal_error(text: &str) -> String {
    let deal = text.parse::<Deal>();
    match deal {
        Err(error) => error.to_string(),
        Ok(deal) => deal.tricks().expect_err(text).to_string(),
    }
}

fn situation(leader: Seat, table: &[&str]) -> Result<Situation, String> {
    let table: Vec<Card> = table.iter().map(|card| card.parse().expect("a card")).collect();
    let deal = BASE.parse().expect("a deal");
    Situation::new(deal, Strain::Spades, leader, &table).map_err(|error| error.to_string())
}

#[test]
fn broken_deals_are_named() {
    let of = |from: &str, to: &str| deal_error(&BASE.replacen(from, to, 1));
    assert_eq!(deal_error(""), "there is no deal: PBN, LIN or a DDS hands file is wanted");
    assert_eq!(
        deal_error("garbage"),
        "a deal begins with the seat of its first hand, as in \"N:\": \"garbage\" does not"
    );
    assert_eq!(
        of("N:", "X:"),
        "a deal begins with the seat of its first hand, as in \"N:\": \"X:QJ6.K652.J\" does not"
    );
    assert_eq!(
        of("N:", ""),
        "a deal begins with the seat of its first hand, as in \"N:\": \"QJ6.K652.J85\" does not"
    );
    assert_eq!(
        of("QJ6", "QJ1"),
        "unknown rank '1' in North's spades: A, K, Q, J, T (or 10) and 9 to 2 are ranks"
    );
    assert_eq!(of("QJ6", "QQ6"), "North holds SQ twice: each card is wanted once");
    assert_eq!(of("873.", "Q73."), "SQ is in two hands, North and East: each card is wanted once");
    assert_eq!(
        of("QJ6.K652.J85.T98", "QJ6.K652.J85.T98."),
        "North's hand \"QJ6.K652.J85.T98.\" has 5 suits: four are wanted, with a point between them"
    );
    assert_eq!(
        of(" AT942.AQ4.32.KJ3", ""),
        "a deal has four hands with a blank between them, this one has 3"
    );
    assert_eq!(
        of("AT942", "AT942.AQ4.32.KJ3 AT942"),
        "a deal has four hands with a blank between them, this one has 5"
    );
    assert_eq!(
        of(" K5", " N:K5"),
        "unknown rank 'N' in South's spades: A, K, Q, J, T (or 10) and 9 to 2 are ranks"
    );
    assert_eq!(of("QJ6", "QJ"), "North has 12 cards, not 13: all hands must be equally long");
    assert_eq!(
        deal_error("N:... ... AKQJT98765432.A.. .KQ.."),
        "South has 14 cards, not 13: all hands must be equally long"
    );
    assert_eq!(deal_error("N:... ... ... ..."), "the hands hold no cards: 1 to 13 each are wanted");
    // Forms that are read all the same.
    let base: Deal = BASE.parse().expect("a deal");
    for text in [
        BASE.to_lowercase(),
        BASE.replace("T98", "1098"),
        BASE.replacen(' ', "   ", 1),
        format!("  {BASE}\n"),
        "E:873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3 QJ6.K652.J85.T98".to_owned(),
    ] {
        assert_eq!(text.parse::<Deal>().expect(&text), base);
    }
}

#[test]
fn broken_positions_are_named() {
    let error = |leader, table: &[&str]| situation(leader, table).expect_err("an error");
    assert_eq!(
        error(Seat::North, &["SQ", "S8", "SK", "SA"]),
        "4 cards are on the table: a trick that is not complete has 0 to 3"
    );
    assert_eq!(
        error(Seat::North, &["SA"]),
        "North does not hold SA: a card of the hand that is to play is wanted"
    );
    assert_eq!(
        error(Seat::North, &["SQ", "HJ"]),
        "East revokes: HJ was played while East holds spades, of which a card is wanted"
    );
    assert_eq!(error(Seat::North, &["SQ", "SQ"]), "SQ is on the table twice: each card is wanted once");
    let deal: Deal = BASE.replacen("QJ6", "J6", 1).parse().expect("a deal");
    let with = |table: &[Card]| {
        Situation::new(deal, Strain::NoTrump, Seat::North, table).map_err(|error| error.to_string())
    };
    let card = |name: &str| name.parse::<Card>().expect("a card");
    assert!(with(&[card("SQ")]).is_ok(), "a card on the table may be missing from its hand");
    assert_eq!(
        with(&[card("SJ")]),
        Err("SJ was played by North, but North holds it: each card is wanted once".to_owned())
    );
    assert_eq!(with(&[]), Err("North has 12 cards, not 13: all hands must be equally long".to_owned()));
    assert!(situation(Seat::North, &["SQ"]).is_ok(), "and may still stand in it");
    assert_eq!(TrickTable::new([[14; 4]; 5]), None);
    assert!("7".parse::<Vulnerable>().is_err());
}

#[test]
fn broken_records_are_named() {
    let lin = |text: &str| read_lin(text).expect_err(text).to_string();
    assert_eq!(lin(""), "there is no deal: PBN, LIN or a DDS hands file is wanted");
    assert_eq!(
        lin("md|5SAKHDC,SHDC,SHDC|"),
        "\"5SAKHDC,SHDC\" stands where a dealer's number (1 to 4) is wanted"
    );
    assert_eq!(
        lin("md|1SAXHDC,SHDC,SHDC|"),
        "unknown rank 'X' in South's spades: A, K, Q, J, T (or 10) and 9 to 2 are ranks"
    );
    assert_eq!(lin("md|1SAKHDC,SAHDC,SHDC|"), "SA is in two hands, South and West: each card is wanted once");
    assert_eq!(lin("pc|SA|"), "\"pc|SA\" stands where a deal (md) is wanted");
    assert_eq!(lin("md|1SA,HA,DA,CA|pc|S|"), "\"S\" stands where a card after pc is wanted");
    let hands = |text: &str| read_hands_file(text).expect_err(text).to_string();
    assert_eq!(hands("NUMBER 0\n"), "there is no deal: PBN, LIN or a DDS hands file is wanted");
    assert_eq!(
        hands("NUMBER 1\nPBN 4 0 0 0 \"N:A... K... Q... J...\""),
        "line 2: \"4\" stands where the dealer (0 to 3) is wanted"
    );
    assert_eq!(
        hands("PBN 0 0 0 0"),
        "line 1: \"0 0 0 0\" stands where a deal between quotation marks is wanted"
    );
    let pbn = read_pbn("[Event \"x\"]\n[Deal \"N:A... K... Q...\"]\n").expect_err("three hands").to_string();
    assert_eq!(pbn, "line 2: a deal has four hands with a blank between them, this one has 3");
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(seed: u64, tricks in 1usize..=13) {
        let mut random = common::Random(seed);
        let deal = common::random_deal(&mut random, tricks);
        prop_assert_eq!(deal.to_string().parse::<Deal>(), Ok(deal));
        prop_assert_eq!(read_pbn(&write_pbn(&deal)), Ok(vec![deal]));
        let played: Vec<Card> = deal.hand(Seat::North).iter().collect();
        let dealer = Seat::ALL[random.below(4)];
        let vulnerable = Vulnerable::ALL[random.below(4)];
        let lin = LinBoard { dealer, deal, vulnerable: Some(vulnerable), played: played.clone() };
        prop_assert_eq!(read_lin(&write_lin(&lin)), Ok(vec![lin]));
        let board = HandsFileBoard {
            dealer,
            vulnerable,
            strain: Strain::ALL[random.below(5)],
            leader: Seat::ALL[random.below(4)],
            deal,
            played,
        };
        let boards = vec![board.clone(), board];
        prop_assert_eq!(read_hands_file(&write_hands_file(&boards)), Ok(boards));
    }

    #[test]
    fn nothing_that_is_read_panics(text in "\\PC*", hand in "[SHDCAKQJT0-9.,|: mdpcsvN\"]*") {
        for text in [&text, &hand, &format!("md|1{hand}"), &format!("N:{hand}"), &format!("PBN 0 0 0 0 \"{hand}")] {
            let _ = (text.parse::<Deal>(), text.parse::<Card>(), read_lin(text), read_pbn(text), read_hands_file(text));
        }
    }
}

#[test]
fn east_may_be_left_out() {
    let boards =
        read_lin("md|3SK5HT83DKQ9CA7652,SAT942HAQ4D32CKJ3,SQJ6HK652DJ85CT98|sv|o|").expect("a board");
    assert_eq!(boards[0].deal, BASE.parse().expect("a deal"));
    assert_eq!((boards[0].dealer, boards[0].vulnerable), (Seat::North, Some(Vulnerable::None)));
}
