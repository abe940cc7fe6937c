//! Known results: tables, par, leads, endings and plays that other solvers have agreed on.

mod common;

use common::{card_values, cards, data, listed, records, table};
use dts_bridge::{
    Deal, ParContract, Partnership, Seat, Situation, Solver, SolverOptions, Strain, TrickTable, Vulnerable,
    dealer_par, par,
};
use dts_engine::Limits;

fn solver() -> Solver {
    Solver::new(SolverOptions::default()).expect("a solver")
}

/// Tables, and what par follows from them.
fn tables(name: &str, count: usize) {
    let text = data(name);
    let mut solver = solver();
    for record in records(&text).into_iter().take(count) {
        let deal: Deal = record[1].parse().expect("a deal");
        let wanted = TrickTable::new(table(record[4])).expect("tricks");
        let (found, _) = solver.table(&deal, &Limits::new()).expect("a table");
        assert_eq!(found, wanted, "{name} {}:\n{found}\nwanted\n{wanted}", record[0]);
    }
}

/// A par text such as `NS:EW 1N,EW 23Hx` as single contracts.
fn par_texts(text: &str) -> Vec<String> {
    let (_, contracts) = text.split_once(':').expect("a side");
    let mut single = Vec::new();
    for contract in contracts.split(',').filter(|contract| !contract.is_empty()) {
        let (by, contract) = contract.split_once(' ').expect("a contract");
        let levels: Vec<char> = contract.chars().take_while(char::is_ascii_digit).collect();
        let rest: String = contract.chars().skip(levels.len()).collect();
        single.extend(levels.iter().map(|level| format!("{by} {level}{rest}")));
    }
    single.sort();
    single
}

fn vulnerable(name: &str) -> Vulnerable {
    name.parse().expect("a vulnerability")
}

fn pars(name: &str) {
    let text = data(name);
    for record in records(&text) {
        let tricks = TrickTable::new(table(record[4])).expect("tricks");
        let vulnerable = vulnerable(record[3]);
        for (opener, score, contracts) in [(Partnership::NorthSouth, 5, 6), (Partnership::EastWest, 7, 8)] {
            let found = par(&tricks, vulnerable, opener);
            let (_, number) = record[score].split_once(' ').expect("a score");
            let number: i32 = number.parse().expect("a number");
            let wanted = if opener == Partnership::NorthSouth { number } else { -number };
            assert_eq!(found.score, wanted, "{name} {}", record[0]);
            let mut names: Vec<String> = Vec::new();
            for contract in &found.contracts {
                let partner = contract.declarer.partner();
                let both = found.contracts.iter().any(|other| {
                    (other.level, other.strain, other.declarer) == (contract.level, contract.strain, partner)
                });
                let by = if both {
                    contract.declarer.side().to_string()
                } else {
                    contract.declarer.letter().to_string()
                };
                let strain = if contract.strain == Strain::NoTrump { "N" } else { contract.strain.letters() };
                let name =
                    format!("{by} {}{strain}{}", contract.level, if contract.doubled { "x" } else { "" });
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            names.sort();
            assert_eq!(names, par_texts(record[contracts]), "{name} {} {opener}", record[0]);
        }
    }
}

/// The tricks of every card that may be led.
fn leads(name: &str, count: usize) {
    let text = data(name);
    let mut solver = solver();
    for record in records(&text).into_iter().take(count) {
        let deal = record[1].parse().expect("a deal");
        let strain = record[2].parse().expect("a strain");
        let leader = record[3].parse().expect("a seat");
        let situation = Situation::new(deal, strain, leader, &[]).expect("a position");
        let found = solver.solve_cards(&situation, &Limits::new()).expect("values");
        assert_eq!(listed(&found), card_values(record[4]), "{name} {}", record[0]);
    }
}

#[test]
fn some_tables() {
    tables("a_dds_list1000.tsv", 12);
}

#[test]
fn par_of_all_tables() {
    pars("a_dds_list1000.tsv");
    pars("a_dds_largest.tsv");
}

#[test]
fn some_leads() {
    leads("a_dds_list1000_leads.tsv", 40);
}

#[test]
#[ignore = "slow: minutes"]
fn list1000_tables() {
    tables("a_dds_list1000.tsv", 1000);
}

#[test]
#[ignore = "slow: minutes"]
fn list1000_leads() {
    leads("a_dds_list1000_leads.tsv", 1000);
}

#[test]
#[ignore = "slow: minutes"]
fn largest() {
    tables("a_dds_largest.tsv", 21);
    leads("a_dds_largest_leads.tsv", 21);
}

#[test]
#[ignore = "slow: minutes"]
fn freaks() {
    tables("a_dds_thomas1.tsv", 1);
    tables("a_dds_thomas2.tsv", 1);
}

#[test]
fn endings_of_3_to_9_cards() {
    let text = data("c_partial_200.tsv");
    let mut solver = solver();
    for record in records(&text) {
        let (strain, leader) = (record[2].parse().expect("a strain"), record[3].parse().expect("a seat"));
        let table = cards(record[4]);
        let situation =
            Situation::new(record[1].parse().expect("a deal"), strain, leader, &table).expect("a position");
        assert_eq!(situation.to_play(), record[5].parse::<Seat>().expect("a seat"));
        let found = solver.solve_cards(&situation, &Limits::new()).expect("values");
        assert_eq!(listed(&found), card_values(record[7]), "ending {}", record[0]);
    }
}

fn plays(name: &str, count: usize, of_all: Option<usize>) {
    let text = data(name);
    let mut solver = solver();
    for record in records(&text).into_iter().take(count) {
        let deal: Deal = record[1].parse().expect("a deal");
        let strain: Strain = record[2].parse().expect("a strain");
        let leader: Seat = record[3].parse().expect("a seat");
        let found =
            solver.play(&deal, strain, leader.plus(3), &cards(record[4]), &Limits::new()).expect("values");
        let numbers = |text: &str| -> Vec<u8> {
            text.split_whitespace().map(|number| number.parse().expect("a number")).collect()
        };
        let wanted = numbers(record[of_all.unwrap_or(5)]);
        assert!(found.len() >= wanted.len());
        // The library's traces end before the last trick, and the values of a claim are as many as the cards.
        assert_eq!(found[..wanted.len()], wanted, "{name} {}", record[0]);
    }
}

#[test]
fn plays_of_all_cards() {
    plays("d_plays_60.tsv", 100, Some(7));
}

#[test]
fn plays_of_records() {
    plays("a_dds_list100_plays.tsv", 25, None);
}

#[test]
fn cases_from_reports() {
    let text = data("g_issue_cases.tsv");
    let mut solver = solver();
    let mut cases = 0;
    for record in records(&text) {
        if let Some(tricks) = record.iter().find_map(|column| column.strip_prefix("right: ")) {
            let deal: Deal = record[1].parse().expect("a deal");
            let strain: Strain = record[2].parse().expect("a strain");
            let wanted: u8 = tricks.split(' ').next().and_then(|word| word.parse().ok()).expect("tricks");
            let (table, _) = solver.table(&deal, &Limits::new()).expect("a table");
            let seats = record[3].split(' ').filter_map(|word| word.parse::<Seat>().ok());
            for seat in seats {
                assert_eq!(table.tricks(strain, seat), wanted, "{}", record[0]);
                cases += 1;
            }
        } else if record[2] != "table" {
            let deal = record[1].parse().expect("a deal");
            let (strain, leader) = (record[2].parse().expect("a strain"), record[3].parse().expect("a seat"));
            let situation = Situation::new(deal, strain, leader, &cards(record[4])).expect("a position");
            let found = listed(&solver.solve_cards(&situation, &Limits::new()).expect("values"));
            for wanted in card_values(record[7]) {
                assert!(found.contains(&wanted), "{}: {wanted:?} in {found:?}", record[0]);
                cases += 1;
            }
        }
    }
    assert!(cases > 20, "{cases}");
}

/// Contracts in the library's form: of each strain and declarers the lowest, as in `4S-NS+1`, `5C*-EW-2`.
fn dealer_texts(contracts: &[ParContract]) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let mut seen = Vec::new();
    for of in contracts {
        let is = |other: &&ParContract| {
            (other.level, other.strain, other.declarer) == (of.level, of.strain, of.declarer.partner())
        };
        let by = match contracts.iter().find(is) {
            Some(_) => of.declarer.side().to_string(),
            None => of.declarer.letter().to_string(),
        };
        if seen.contains(&(of.strain, by.clone())) {
            continue;
        }
        let over = match i32::from(of.tricks) - i32::from(of.level) - 6 {
            0 => String::new(),
            over => format!("{over:+}"),
        };
        let strain = if of.strain == Strain::NoTrump { "N" } else { of.strain.letters() };
        let star = if of.doubled { "*" } else { "" };
        texts.push(format!("{}{strain}{star}-{by}{over}", of.level));
        seen.push((of.strain, by));
    }
    texts.sort();
    texts
}

#[test]
fn par_of_all_tables_for_their_dealers() {
    for name in ["a_dds_list1000.tsv", "a_dds_largest.tsv"] {
        let text = data(name);
        for record in records(&text) {
            let tricks = TrickTable::new(table(record[4])).expect("tricks");
            let found = dealer_par(&tricks, vulnerable(record[3]), record[2].parse().expect("a seat"));
            assert_eq!(found.score, record[9].parse::<i32>().expect("a number"), "{name} {}", record[0]);
            let mut wanted: Vec<_> = record[10].split(' ').filter(|text| *text != "pass").collect();
            wanted.sort_unstable();
            assert_eq!(dealer_texts(&found.contracts), wanted, "{name} {}", record[0]);
        }
    }
}

/// Tables where it matters who speaks first; the library says the same.
#[test]
fn who_speaks_first_may_have_the_contract() {
    let scores = |tricks: &str, vulnerable| {
        let tricks = TrickTable::new(table(tricks)).expect("tricks");
        Seat::ALL.map(|dealer| dealer_par(&tricks, vulnerable, dealer).score)
    };
    // North and East can make 1NT, and nobody more.
    assert_eq!(scores("66666666666666667766", Vulnerable::None), [90, -90, 90, 90]);
    // South makes 3NT, which East sacrifices in if he is the first.
    assert_eq!(scores("769594769685a5837696", Vulnerable::NorthSouth), [500, 500, 600, 500]);
    // East makes 2NT, which North sacrifices in, and then East and West have 3D.
    assert_eq!(scores("76657567393976577856", Vulnerable::None), [-110, -120, -110, -110]);
    assert_eq!(scores("66666666666666666666", Vulnerable::Both), [0; 4]);
}
