//! Dots and boxes, solved: the complete game of the page "Adding a game" in the book.
//!
//! ```text
//! cargo run --release -p dts-engine --example boxes                 3 x 3 boxes with one and with two processors
//! cargo run --release -p dts-engine --example boxes -- 4 2          another size, at most 32 edges
//! cargo run --release -p dts-engine --example boxes -- check        the conformance kit
//! ```
//!
//! Two players draw the edges of a grid in turn. Who draws the last edge of a box owns it and draws again. Who owns more boxes at the
//! end has won.

use std::env;
use std::error::Error;

use dts_engine::conformance::Conformance;
use dts_engine::table::Table;
use dts_engine::{
    Answer, Approach, Attempt, Game, Limits, Memory, Node, Opening, Options, Plan, Range, Searcher, Side,
    Value, scout_first,
};

/// A grid of boxes. Edges have numbers, sets of them are bits of a word.
struct Boxes {
    edges: u32,
    /// The four edges of each box.
    boxes: Vec<u32>,
}

/// Which edges are drawn, who is to move, and how many boxes more Max owns than Min.
#[derive(Clone, Debug)]
struct Position {
    drawn: u32,
    side: Side,
    banked: Value,
}

/// The edges of a node that have not been tried, in the order of these sets.
#[derive(Clone, Debug, Default)]
struct Untried {
    /// The best edge of an earlier search, if the table had one.
    hint: u32,
    /// Edges that complete a box.
    taking: u32,
    /// Edges that give nothing away.
    safe: u32,
    /// Edges that are the third one of a box.
    giving: u32,
}

impl Boxes {
    fn new(columns: u32, rows: u32) -> Option<Boxes> {
        let edges = columns.checked_mul(rows + 1)?.checked_add(rows.checked_mul(columns + 1)?)?;
        if columns == 0 || rows == 0 || edges > 32 {
            return None;
        }
        let across = |column, row| 1_u32 << (row * columns + column);
        let down = |column, row| 1_u32 << ((rows + 1) * columns + row * (columns + 1) + column);
        let boxes = (0..rows)
            .flat_map(|row| (0..columns).map(move |column| (column, row)))
            .map(|(column, row)| {
                across(column, row) | across(column, row + 1) | down(column, row) | down(column + 1, row)
            })
            .collect();
        Some(Boxes { edges, boxes })
    }

    fn start(&self) -> Position {
        Position { drawn: 0, side: Side::Max, banked: 0 }
    }

    fn left(&self, position: &Position) -> u32 {
        self.edges - position.drawn.count_ones()
    }

    /// Boxes that nobody owns yet.
    fn open_boxes(&self, position: &Position) -> Value {
        self.boxes.iter().filter(|&&edges| edges & !position.drawn != 0).count() as Value
    }

    /// How far a search of `depth` sees from here: not beyond the end.
    fn sight(&self, position: &Position, depth: i32) -> u32 {
        self.left(position).min(depth.max(0) as u32)
    }

    /// What the table knows a position by. Who moves and what is banked do not matter: it stores what the mover still gets.
    fn key(&self, position: &Position, depth: i32) -> u64 {
        let word = u64::from(position.drawn) << 8 | u64::from(self.sight(position, depth));
        (word ^ word >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// A range from Max's side as the mover sees it, or back.
fn turned(range: Range, side: Side) -> Range {
    match side {
        Side::Max => range,
        Side::Min => Range { lower: -range.upper, upper: -range.lower },
    }
}

/// The payload of a table entry: both ends of a range, and an edge (none: 63).
fn pack(range: Range, best: u32) -> u64 {
    let end = |value: Value| (value + 64) as u64;
    end(range.lower) | end(range.upper) << 8 | u64::from(best.min(63)) << 16
}

fn unpack(word: u64) -> (Range, u32) {
    let end = |bits: u64| (bits & 255) as Value - 64;
    (Range { lower: end(word), upper: end(word >> 8) }, (word >> 16) as u32 & 63)
}

impl Game for Boxes {
    type Position = Position;
    type Move = u8;
    type Source = Untried;
    type Proof = ();
    type Shared = Table;
    type Local = ();

    fn local(&self, _: usize) {}

    fn side(&self, position: &Position) -> Side {
        position.side
    }

    fn open(
        &self,
        node: &Node<'_, Position>,
        source: &mut Untried,
        memory: &mut Memory<'_, Self>,
    ) -> Opening<()> {
        let position = node.position();
        let banked = self.banked(position);
        if self.left(position) == 0 || node.depth <= 0 {
            return Opening::Answered(Answer::exact(banked));
        }

        // Nobody gets more than the open boxes, and the table may know better.
        let open = self.open_boxes(position);
        let mut range = Range { lower: banked - open, upper: banked + open };
        let mut hint = 63;
        if let Some(word) = memory.shared.get(self.key(position, node.depth)) {
            let (future, best) = unpack(word);
            let known = turned(future, position.side);
            range.lower = range.lower.max(banked + known.lower);
            range.upper = range.upper.min(banked + known.upper);
            hint = best;
        }
        if node.window.is_answered_by(range) && !node.is_root() {
            return Opening::Answered(Answer::range(range));
        }

        let free = (((1_u64 << self.edges) - 1) as u32) & !position.drawn;
        let (mut taking, mut giving) = (0, 0);
        for edges in &self.boxes {
            let missing = edges & free;
            match missing.count_ones() {
                1 => taking |= missing,
                2 => giving |= missing,
                _ => {}
            }
        }
        let hint = if hint < 32 { free & 1 << hint } else { 0 };
        let rest = free & !hint;
        *source = Untried {
            hint,
            taking: rest & taking,
            safe: rest & !taking & !giving,
            giving: rest & giving & !taking,
        };
        // At the root a move is wanted, also one that gives no more than what is known already.
        Opening::Search(if node.is_root() { Answer::unknown() } else { Answer::range(range) })
    }

    fn select(&self, _: &Position, source: &mut Untried) -> Option<u8> {
        let Untried { hint, taking, safe, giving } = source;
        let set = [hint, taking, safe, giving].into_iter().find(|set| **set != 0)?;
        let edge = set.trailing_zeros();
        *set &= *set - 1;
        Some(edge as u8)
    }

    fn play(&self, position: &Position, edge: u8) -> Position {
        let edge = 1 << edge;
        let drawn = position.drawn | edge;
        let taken =
            self.boxes.iter().filter(|&&edges| edges & edge != 0 && edges & !drawn == 0).count() as Value;
        let side = if taken > 0 { position.side } else { position.side.opposite() };
        let banked = match position.side {
            Side::Max => position.banked + taken,
            Side::Min => position.banked - taken,
        };
        Position { drawn, side, banked }
    }

    fn moves_left(&self, _: &Position, source: &Untried) -> u32 {
        (source.hint | source.taking | source.safe | source.giving).count_ones()
    }

    fn attempt(
        &self,
        node: &Node<'_, Position>,
        _: u8,
        number: u32,
        tries: u32,
        last: Option<Range>,
    ) -> Attempt {
        scout_first(node.position().side, node.window, node.depth - 1, number, tries, last)
    }

    fn leave(
        &self,
        node: &Node<'_, Position>,
        answer: &Answer<()>,
        best: Option<u8>,
        memory: &mut Memory<'_, Self>,
    ) {
        let position = node.position();
        let (banked, open) = (self.banked(position), self.open_boxes(position));
        let future = Range {
            lower: (answer.range.lower - banked).max(-open),
            upper: (answer.range.upper - banked).min(open),
        };
        let word = pack(turned(future, position.side), best.map_or(63, u32::from));
        memory.shared.put(self.key(position, node.depth), word, self.sight(position, node.depth) as u8);
    }

    fn grain(&self, node: &Node<'_, Position>) -> bool {
        self.sight(node.position(), node.depth) <= 7
    }

    fn work(&self, node: &Node<'_, Position>) -> f32 {
        (self.sight(node.position(), node.depth) as f32 * 0.9).exp2()
    }

    fn banked(&self, position: &Position) -> Value {
        position.banked
    }
}

/// Promises kept, and every strategy and number of processors in agreement with minimax.
fn check() -> Result<(), Box<dyn Error>> {
    let game = || Boxes::new(2, 2).expect("four boxes are possible");
    let table = || Table::new(1).expect("a mebibyte");
    Conformance { depth: 5, ..Conformance::default() }.check(game, table, &[game().start()]);
    println!("nothing was found");
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let size = match &arguments[..] {
        [word] if word == "check" => return check(),
        [] => Some((3, 3)),
        [columns, rows] => columns.parse().ok().zip(rows.parse().ok()),
        _ => None,
    };
    let game = || size.and_then(|(columns, rows)| Boxes::new(columns, rows));
    for processors in [1, 2] {
        let game = game().ok_or("accepted: nothing, `check`, or columns and rows with at most 32 edges")?;
        let (start, edges) = (game.start(), game.edges as i32);
        let options = Options { processors, ..Options::default() };
        let mut searcher = Searcher::new(game, Table::new(64)?, options)?;
        let plan = Plan::fixed(edges).with(Approach::Zero { guess: 0, step: 1 });
        let report = searcher.search(start, plan, &Limits::new())?;
        let root = report.state.as_ref().ok_or("nothing was found out")?;
        println!("P = {processors}: value {}, best edge {:?}", root.range.lower, root.best);
        let (seconds, splits) = (report.elapsed.as_secs_f64(), report.total().splits);
        println!("    {} nodes in {seconds:.3} s, {splits} splits", report.nodes);
    }
    Ok(())
}
