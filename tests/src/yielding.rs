//! A game that lets other threads run while it is searched.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use dts_engine::{Answer, Attempt, Game, Memory, Node, Opening, Range, Side, Value};

/// The same game, but a thread that looks at a node gives way now and then: on a machine with few cores the threads of a search of
/// microseconds would else run one after the other and never meet.
#[derive(Debug)]
pub struct Yielding<G> {
    /// The game.
    pub game: G,
    every: u64,
    opened: AtomicU64,
}

impl<G> Yielding<G> {
    /// Gives way at one of `every` nodes.
    #[must_use]
    pub fn new(game: G, every: u64) -> Self {
        Yielding { game, every: every.max(1), opened: AtomicU64::new(0) }
    }
}

impl<G: Game> Game for Yielding<G> {
    type Position = G::Position;
    type Move = G::Move;
    type Source = G::Source;
    type Proof = G::Proof;
    type Shared = G::Shared;
    type Local = G::Local;

    fn local(&self, processor: usize) -> G::Local {
        self.game.local(processor)
    }

    fn side(&self, position: &G::Position) -> Side {
        self.game.side(position)
    }

    fn open(
        &self,
        node: &Node<'_, G::Position>,
        source: &mut G::Source,
        memory: &mut Memory<'_, Self>,
    ) -> Opening<G::Proof> {
        if self.opened.fetch_add(1, Ordering::Relaxed).is_multiple_of(self.every) {
            thread::yield_now();
        }
        self.game.open(node, source, &mut Memory { shared: memory.shared, local: memory.local })
    }

    fn select(&self, position: &G::Position, source: &mut G::Source) -> Option<G::Move> {
        self.game.select(position, source)
    }

    fn play(&self, position: &G::Position, chosen: G::Move) -> G::Position {
        self.game.play(position, chosen)
    }

    fn moves_left(&self, position: &G::Position, source: &G::Source) -> u32 {
        self.game.moves_left(position, source)
    }

    fn attempt(
        &self,
        node: &Node<'_, G::Position>,
        chosen: G::Move,
        number: u32,
        tries: u32,
        last: Option<Range>,
    ) -> Attempt {
        self.game.attempt(node, chosen, number, tries, last)
    }

    fn lift(&self, position: &G::Position, chosen: G::Move, answer: &mut Answer<G::Proof>) {
        self.game.lift(position, chosen, answer);
    }

    fn settle(
        &self,
        position: &G::Position,
        source: &mut G::Source,
        chosen: G::Move,
        answer: &Answer<G::Proof>,
    ) {
        self.game.settle(position, source, chosen, answer);
    }

    fn dismiss(&self, position: &G::Position, source: &mut G::Source, chosen: G::Move, range: Range) {
        self.game.dismiss(position, source, chosen, range);
    }

    fn leave(
        &self,
        node: &Node<'_, G::Position>,
        answer: &Answer<G::Proof>,
        best: Option<G::Move>,
        memory: &mut Memory<'_, Self>,
    ) {
        self.game.leave(node, answer, best, &mut Memory { shared: memory.shared, local: memory.local });
    }

    fn grain(&self, node: &Node<'_, G::Position>) -> bool {
        self.game.grain(node)
    }

    fn work(&self, node: &Node<'_, G::Position>) -> f32 {
        self.game.work(node)
    }

    fn banked(&self, position: &G::Position) -> Value {
        self.game.banked(position)
    }
}
