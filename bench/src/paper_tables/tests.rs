use std::ops::ControlFlow;

use super::*;
use crate::{Experiment, Failure, Measurement, Subject, Trial};

/// Two positions that are searched as fast as is told.
struct Told;

impl Subject for Told {
    fn positions(&self) -> Vec<String> {
        vec!["1".to_owned(), "2".to_owned()]
    }

    fn run(&mut self, trial: &Trial<'_>) -> Result<Measurement, Failure> {
        let efficiency = if trial.strategy == "dts" { 0.75 } else { 0.25 };
        let speedup = if trial.processors == 1 { 1.0 } else { trial.processors as f64 * efficiency };
        let time = 12_000.0 * (trial.position + 1) as f64 / speedup;
        Ok(Measurement {
            value: 7,
            nodes: 1_000 * trial.processors as u64,
            time,
            idle_share: 0.25,
            splits: 1,
            stops: 2,
            depth: Some(4),
            simulated: None,
        })
    }
}

fn tables(strategies: &[&str], repeats: u32) -> PaperTables {
    let experiment = Experiment {
        strategies: strategies.iter().map(|&strategy| strategy.to_owned()).collect(),
        processors: vec![1, 16, 32],
        repeats,
        ..Experiment::default()
    };
    let outcome = experiment.run(&mut Told, None, &mut |_| ControlFlow::Continue(())).expect("it runs");
    let method = Method { sentence: "As told.".to_owned(), backend: Backend::Threads, repeats };
    PaperTables::of(&outcome, &[1, 2, 3, 4, 5, 6], &method)
}

#[test]
fn figures_stand_beside_those_of_the_paper() {
    let tables = tables(&["pvs", "dts", "ybw"], 1);
    let numbers: Vec<_> = tables.tables.iter().map(|table| table.table).collect();
    // Without EPVS there is no table 2.
    assert_eq!(numbers, [Some(1), Some(3), Some(4), Some(5), Some(6), None]);
    let [pvs, dts, times, nodes, by_position, ybw] = &tables.tables[..] else { panic!("six tables") };
    let pair = |table: &ComparisonTable, row: usize, column: usize| {
        let cell = table.rows[row].cells[column];
        (cell.processors, cell.paper, cell.ours)
    };
    assert_eq!(pair(pvs, 0, 1), (16, Some(4.6), Some(4.0)));
    assert_eq!(pair(pvs, 5, 1), (16, Some(6.0), None));
    assert_eq!(pair(dts, 0, 1), (16, Some(11.1), Some(12.0)));
    assert_eq!(pair(dts, 0, 2), (32, None, Some(24.0)));
    assert_eq!(pair(times, 1, 1), (16, Some(274.0), Some(2_000.0)));
    assert_eq!(pair(nodes, 0, 0), (1, Some(87_735_974.0), Some(1_000.0)));
    assert_eq!(pair(by_position, 1, 1), (16, Some(10.4), Some(12.0)));
    assert_eq!(by_position.rows[2].row, "arithmetic mean");
    assert_eq!(pair(ybw, 0, 1), (16, None, Some(4.0)));
    assert_eq!(dts.rows[0].cells[1].interval(), Some("12.00 to 12.00".to_owned()));
    assert_eq!(dts.rows[0].cells[0].interval(), None);
}

#[test]
fn text_and_values_hold_every_figure() {
    let tables = tables(&["dts"], 3);
    let text = tables.tables[0].to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..5],
        [
            "Table 3: speedup of DTS",
            "paper / ours                         P = 1          P = 16          P = 32",
            "arithmetic mean                 1.0 / 1.00    11.1 / 12.00       - / 24.00",
            "  95 % interval                             12.00 to 12.00  24.00 to 24.00",
            "geometric mean                 1.00 / 1.00   10.83 / 12.00       - / 24.00",
        ]
    );
    assert!(text.contains("\nOurs: As told. Medians of 3 repeats.\n"), "{text}");
    let csv = String::from_utf8(tables.csv()).expect("text");
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "table,strategy,row,processors,paper,ours,low95,high95");
    assert_eq!(lines[2], "3,dts,arithmetic mean,16,11.1,12.0,12.0,12.0");
}

#[test]
fn the_page_has_the_papers_curve() {
    let tables = tables(&["dts"], 1);
    let page = tables.page("The tables <of> the paper").expect("it is drawn");
    for expected in [
        "<h1>The tables &lt;of&gt; the paper</h1>",
        "dts at 32 processors: 24.00.",
        "\ndts, the paper\n",
        "<td>11.1 / 12.00",
        "<td>2,830 / 12,000.00",
    ] {
        assert!(page.contains(expected), "{expected}: {page}");
    }
}
