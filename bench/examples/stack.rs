//! One run of what `benches/stack.rs` compares, for callgrind: `stack plain|sequential|dts [depth] [grain]`. Prints the nodes.
//! `bench/stack.sh` counts instructions a node with it.

#[path = "../benches/plain/mod.rs"]
mod plain;

use dts_engine::{Limits, Plan, Strategy, Window};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let how = arguments.next().unwrap_or_else(|| "sequential".to_owned());
    let depth = arguments.next().map_or(9, |text| text.parse().expect("a depth"));
    let grain =
        arguments.next().map(|text| text.parse().expect("a depth below which to search by recursion"));
    let nodes: u64 = if how == "plain" {
        let game = plain::game(grain);
        let mut search = plain::Plain { game: &game, nodes: 0 };
        for (_, board) in plain::positions() {
            std::hint::black_box(search.search(&board, depth, Window::FULL));
        }
        search.nodes
    } else {
        let strategy: Strategy = how.parse().expect("plain, sequential or dts");
        let mut engine = plain::engine(strategy, grain);
        let mut nodes_of =
            |board| engine.search(board, Plan::fixed(depth), &Limits::new()).expect("a result").nodes;
        plain::positions().into_iter().map(|(_, board)| nodes_of(board)).sum()
    };
    println!("{nodes}");
}
