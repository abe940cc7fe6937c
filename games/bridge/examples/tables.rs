//! The tables and par of all deals of a file, by two processors.
//!
//!     cargo run --release -p dts-bridge --example tables -- deals.pbn

use std::ops::ControlFlow;

use dts_bridge::{Batch, BatchOptions, Question, Reply, Seat, Vulnerable, dealer_par, read_records};
use dts_engine::{Limits, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("which file?")?;
    let records = read_records(&std::fs::read_to_string(file)?)?;
    let search = Options { processors: 2, ..Options::default() };
    let batch = Batch::new(BatchOptions { search, table_mebibytes: 128 });
    let questions = records.iter().map(|record| Question::Table(record.deal));
    batch.run(questions, &Limits::new(), |solved| {
        let record = &records[solved.index];
        if let Reply::Table(table) = solved.reply {
            let vulnerable = record.vulnerable.unwrap_or(Vulnerable::None);
            let par = dealer_par(&table, vulnerable, record.dealer.unwrap_or(Seat::North));
            println!("{}\n{table}\npar {}\n", record.deal, par.score);
        }
        ControlFlow::Continue(())
    })?;
    Ok(())
}
