//! What the tests and the bench share.
#![allow(dead_code)]

pub(crate) mod dds;
pub(crate) mod slow;

use dts_bridge::{Card, CardValues, Cards, Deal, Rank, Seat, Situation, Strain, Suit};

/// A file of the crate's data.
pub(crate) fn data(name: &str) -> String {
    let path = format!("{}/data/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The records of a file: its lines but headings, in columns.
pub(crate) fn records(text: &str) -> Vec<Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect()).collect()
}

/// Cards as `card=tricks`, sorted.
pub(crate) fn card_values(text: &str) -> Vec<(Card, u8)> {
    text.split_whitespace()
        .map(|pair| {
            let (card, tricks) = pair.split_once('=').expect("card=tricks");
            (card.parse().expect("a card"), tricks.parse().expect("tricks"))
        })
        .collect()
}

/// Every card with its tricks, those of equal cards included, sorted.
pub(crate) fn listed(values: &CardValues) -> Vec<(Card, u8)> {
    let mut listed: Vec<_> = values
        .cards
        .iter()
        .flat_map(|of| of.equals.with(of.card).iter().map(|card| (card, of.tricks)).collect::<Vec<_>>())
        .collect();
    listed.sort();
    listed
}

/// Cards one after the other, blanks or none between them.
pub(crate) fn cards(text: &str) -> Vec<Card> {
    let letters: Vec<char> =
        text.chars().filter(|letter| !letter.is_whitespace() && *letter != '-').collect();
    letters.chunks(2).map(|pair| pair.iter().collect::<String>().parse().expect("a card")).collect()
}

/// 20 hexadecimal digits: tricks by strain and declarer.
pub(crate) fn table(text: &str) -> [[u8; 4]; 5] {
    let digits: Vec<u8> =
        text.chars().map(|digit| digit.to_digit(16).expect("a hexadecimal digit") as u8).collect();
    std::array::from_fn(|strain| std::array::from_fn(|seat| digits[strain * 4 + seat]))
}

/// splitmix64: the same numbers everywhere.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

pub(crate) fn pack() -> Vec<Card> {
    Suit::ALL.into_iter().flat_map(|suit| Rank::ALL.map(|rank| Card::new(suit, rank))).collect()
}

/// A random deal of `tricks` cards a hand.
pub(crate) fn random_deal(random: &mut Random, tricks: usize) -> Deal {
    let mut cards = pack();
    random.shuffle(&mut cards);
    let hand = |at: usize| cards[at * tricks..(at + 1) * tricks].iter().copied().collect::<Cards>();
    Deal::new([hand(0), hand(1), hand(2), hand(3)]).expect("no card twice")
}

/// A random ending of `tricks` cards a hand, with up to three cards on the table.
pub(crate) fn random_ending(random: &mut Random, tricks: usize) -> Situation {
    let deal = random_deal(random, tricks);
    let strain = Strain::ALL[random.below(5)];
    let leader = Seat::ALL[random.below(4)];
    let mut situation = Situation::new(deal, strain, leader, &[]).expect("equal hands");
    if tricks > 1 {
        for _ in 0..[0, 0, 1, 2, 3][random.below(5)] {
            let legal: Vec<Card> = situation.legal_cards().iter().collect();
            situation = situation.play(legal[random.below(legal.len())]).expect("a legal card");
        }
    }
    situation
}
