//! Known results: tables, par, leads, endings and plays that other solvers have agreed on.

mod common;

use common::{card_values, cards, data, listed, records, table};
use dts_bridge::{
    Deal, Partnership, Seat, Situation, Solver, SolverOptions, Strain, TrickTable, Vulnerable, par,
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

fn pars(name: &str) {
    let text = data(name);
    for record in records(&text) {
        let tricks = TrickTable::new(table(record[4])).expect("tricks");
        let vulnerable = match record[3] {
            "None" => Vulnerable::None,
            "Both" => Vulnerable::Both,
            "NS" => Vulnerable::NorthSouth,
            _ => Vulnerable::EastWest,
        };
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
