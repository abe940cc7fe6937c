//! The engine in a program of one's own: a game of thirty lines, and the ten lines that search it.
//!
//! `cargo run --release -p dts-engine --example embed`

use std::error::Error;
use std::ops::Range;

use dts_engine::{Answer, Game, Limits, Memory, Node, Opening, Options, Plan, Searcher, Side};

/// A heap of stones and who is to move. He takes one, two or three; whoever takes the last stone wins.
type Heap = (u32, Side);

struct Take;

impl Game for Take {
    type Position = Heap;
    type Move = u32;
    type Source = Range<u32>;
    type Proof = ();
    type Shared = ();
    type Local = ();

    fn local(&self, _: usize) {}

    fn side(&self, &(_, side): &Heap) -> Side {
        side
    }

    fn open(&self, node: &Node<'_, Heap>, source: &mut Range<u32>, _: &mut Memory<'_, Self>) -> Opening<()> {
        let &(left, side) = node.position();
        if left == 0 {
            // The other side took the last stone. Values are always Max's: 1 is won, -1 is lost.
            return Opening::Answered(Answer::exact(if side == Side::Max { -1 } else { 1 }));
        }
        *source = 1..left.min(3) + 1;
        Opening::Search(Answer::unknown())
    }

    fn select(&self, _: &Heap, source: &mut Range<u32>) -> Option<u32> {
        source.next()
    }

    fn play(&self, &(left, side): &Heap, taken: u32) -> Heap {
        (left - taken, side.opposite())
    }

    fn moves_left(&self, _: &Heap, source: &Range<u32>) -> u32 {
        source.len() as u32
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options { processors: 2, ..Options::default() };
    let mut searcher = Searcher::new(Take, (), options)?;
    let report = searcher.search((21, Side::Max), Plan::fixed(21), &Limits::new())?;
    let root = report.state.ok_or("nothing was found out")?;
    println!("value {}, best move {:?}, line {:?}", root.range.lower, root.best, root.line);
    println!("{} nodes in {:?}", report.nodes, report.elapsed);
    Ok(())
}
