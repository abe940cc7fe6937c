//! What a game tells the search.
//!
//! A game is one type that implements [`Game`]: its rules (`side`, `play`, `open`), its opinions (the order
//! of moves in its move source, [`Game::attempt`], [`Game::grain`], [`Game::work`]) and what it remembers
//! ([`Game::leave`]). The search allocates nothing per node and calls all of it by static dispatch.

use std::fmt::Debug;

use crate::value::{Range, Side, Value, Window};

/// What travels beside a value and says what it rests on: nothing for most games (`()`), the cards that won by
/// rank for bridge.
///
/// The engine combines proofs on the way up: **a cutoff rests on one child's proof; a bound from all children
/// rests on the union of theirs, and on the proof of any static bound that was used.**
pub trait Proof: Clone + Default + Send + Debug + 'static {
    /// Makes this the union of both.
    fn join(&mut self, other: &Self);
}

impl Proof for () {
    #[inline]
    fn join(&mut self, (): &()) {}
}

/// What a node answers to the node above it: a range of values, and what each end of it rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer<P> {
    /// The value lies in here.
    pub range: Range,
    /// What the lower bound rests on.
    pub lower_proof: P,
    /// What the upper bound rests on.
    pub upper_proof: P,
}

impl<P: Proof> Answer<P> {
    /// A known value that rests on nothing.
    #[must_use]
    #[inline]
    pub fn exact(value: Value) -> Self {
        Self::range(Range::exact(value))
    }

    /// A range that rests on nothing.
    #[must_use]
    #[inline]
    pub fn range(range: Range) -> Self {
        Answer { range, lower_proof: P::default(), upper_proof: P::default() }
    }

    /// Nothing is known.
    #[must_use]
    #[inline]
    pub fn unknown() -> Self {
        Self::range(Range::UNKNOWN)
    }
}

/// What [`Game::open`] says of a node.
#[derive(Clone, Debug)]
pub enum Opening<P> {
    /// Enough is known without search: the game is over, the horizon is reached, the memory knows, or static bounds
    /// lie outside the window.
    Answered(Answer<P>),
    /// The move source is ready; the answer holds static bounds with their reasons ([`Answer::unknown`] if there are none).
    Search(Answer<P>),
}

/// How one move is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// With the node's own window. Bounds that other processors find pass through it.
    Real,
    /// With a window fixed when the attempt starts: a scout, a null move, a verification. It is never reinterpreted.
    Scout(Window),
}

/// What to do with a move next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// Search it to `depth` in `scope`; then [`Game::attempt`] is asked again with what came out.
    Search {
        /// The depth that the child has left, in the game's own units.
        depth: i32,
        /// The window.
        scope: Scope,
    },
    /// The last answer counts.
    Count,
    /// The last answer does not count and the move is as if it had never been selected (a null move that did not
    /// refute).
    Discard,
}

/// A node as a game sees it: its position, those above it, what is asked of it.
#[derive(Debug)]
pub struct Node<'a, P> {
    path: &'a [P],
    root: usize,
    /// The depth left, in the game's own units.
    pub depth: i32,
    /// The window that the answer will be held against.
    pub window: Window,
}

impl<'a, P> Node<'a, P> {
    /// A node at the end of `path`; `root` is the ply at which the search began.
    #[inline]
    pub(crate) fn new(path: &'a [P], root: usize, depth: i32, window: Window) -> Self {
        Node { path, root, depth, window }
    }

    /// A node at the end of `path`, for those who call a game's functions themselves (tests, measurements); `root` is the ply
    /// at which the search began. The path has at least one position.
    ///
    /// # Panics
    /// If the path is empty.
    #[must_use]
    #[inline]
    pub fn at(path: &'a [P], root: usize, depth: i32, window: Window) -> Self {
        assert!(!path.is_empty(), "a node has a position");
        Node::new(path, root, depth, window)
    }

    /// The position.
    #[must_use]
    #[inline]
    pub fn position(&self) -> &'a P {
        &self.path[self.path.len() - 1]
    }

    /// How many moves this node is below the position that the search was started with.
    #[must_use]
    #[inline]
    pub fn ply(&self) -> usize {
        self.path.len() - 1
    }

    /// Whether the search began here. A game should not answer a root from its memory alone: the caller wants a move.
    #[must_use]
    #[inline]
    pub fn is_root(&self) -> bool {
        self.path.len() - 1 == self.root
    }

    /// The positions from the one the search was started with to this one: the history that repetition rules need.
    #[must_use]
    #[inline]
    pub fn path(&self) -> &'a [P] {
        self.path
    }
}

/// What a game remembers: `shared` is seen by all processors at once, `local` belongs to one.
#[derive(Debug)]
pub struct Memory<'a, G: Game + ?Sized> {
    /// Seen by all processors: a transposition table, a database.
    pub shared: &'a G::Shared,
    /// This processor's own: killers, history, scratch.
    pub local: &'a mut G::Local,
}

/// A game that can be searched.
///
/// Values are from Max's side and absolute: what a move banks at once (tricks, stones sown home) is kept in the
/// position and counted in the values, and [`Game::banked`] tells how much it is, so that memory can store values
/// relative to the position.
///
/// All methods but `open` and `leave` may be called while a split block's lock is held: they must be short and must
/// not call the engine. None may read a clock or a source of randomness: the same calls must give the same results.
pub trait Game: Send + Sync + 'static {
    /// A position. Copied for each ply and into split blocks: keep it small.
    type Position: Clone + Send + Sync + Debug + 'static;
    /// A move.
    type Move: Copy + PartialEq + Send + Debug + 'static;
    /// A staged move source: what is needed to tell the moves of one node one after the other. It snapshots its hints
    /// (killers, history) when `open` makes it, since several processors may draw from one source.
    type Source: Clone + Default + Send + Debug + 'static;
    /// What a value rests on; `()` if that is of no interest.
    type Proof: Proof;
    /// Memory that all processors share.
    type Shared: Send + Sync + 'static;
    /// Memory of one processor.
    type Local: Send + 'static;

    /// A fresh local memory for processor number `processor`.
    fn local(&self, processor: usize) -> Self::Local;

    /// Who moves.
    fn side(&self, position: &Self::Position) -> Side;

    /// Looks at a node: answers it, or fills `source` (which holds leftovers of another node) and returns static bounds.
    ///
    /// A node that has no moves must be answered. The mover's own static bound (the lower one for Max) may also be a value that the
    /// mover can be content with instead of moving, as in quiescence; the answer is then no worse than that, however bad all
    /// moves turn out.
    fn open(
        &self,
        node: &Node<'_, Self::Position>,
        source: &mut Self::Source,
        memory: &mut Memory<'_, Self>,
    ) -> Opening<Self::Proof>;

    /// The next move of a node, best first; `None` when there are no more, and from then on always.
    fn select(&self, position: &Self::Position, source: &mut Self::Source) -> Option<Self::Move>;

    /// The position after `chosen`.
    fn play(&self, position: &Self::Position, chosen: Self::Move) -> Self::Position;

    /// How many moves `select` may still return: an estimate, but zero only if there are none.
    fn moves_left(&self, position: &Self::Position, source: &Self::Source) -> u32;

    /// How `chosen` is tried: it is the move number `number` (from 0) of the node and has been tried `tries` times;
    /// `last` is what came out of the last try. Asked until it says `Count` or `Discard`.
    #[inline]
    fn attempt(
        &self,
        node: &Node<'_, Self::Position>,
        chosen: Self::Move,
        number: u32,
        tries: u32,
        last: Option<Range>,
    ) -> Attempt {
        let _ = (chosen, number, last);
        if tries == 0 {
            Attempt::Search { depth: node.depth - 1, scope: Scope::Real }
        } else {
            Attempt::Count
        }
    }

    /// Turns the proofs of a child's answer into what they mean above the move. The range stays as it is; it tells which of the
    /// two proofs says anything, and with the mover which of them may be needed for a bound from all moves.
    #[inline]
    fn lift(&self, position: &Self::Position, chosen: Self::Move, answer: &mut Answer<Self::Proof>) {
        let _ = (position, chosen, answer);
    }

    /// The same for a search that still has the position after the move, for games that read there what they would have to find out
    /// again.
    #[inline]
    fn lift_from(
        &self,
        position: &Self::Position,
        chosen: Self::Move,
        next: &Self::Position,
        answer: &mut Answer<Self::Proof>,
    ) {
        let _ = next;
        self.lift(position, chosen, answer);
    }

    /// Tells the move source what came out of a move that counts, so that it may drop moves that are equivalent or cannot
    /// be better. What such a move would have added to the proof must be part of the answer given here, whose proofs are lifted.
    #[inline]
    fn settle(
        &self,
        position: &Self::Position,
        source: &mut Self::Source,
        chosen: Self::Move,
        answer: &Answer<Self::Proof>,
    ) {
        let _ = (position, source, chosen, answer);
    }

    /// Tells the move source what came out of a move that was searched and does not count ([`Attempt::Discard`]): a verification may
    /// change how the moves after it are tried.
    #[inline]
    fn dismiss(
        &self,
        position: &Self::Position,
        source: &mut Self::Source,
        chosen: Self::Move,
        range: Range,
    ) {
        let _ = (position, source, chosen, range);
    }

    /// What to remember on leaving a node that was searched: table, killers, history. `best` is the move whose value
    /// the near bound is (the best for the side to move), if a move was better than all that was known before. Never
    /// called for work that was stopped.
    #[inline]
    fn leave(
        &self,
        node: &Node<'_, Self::Position>,
        answer: &Answer<Self::Proof>,
        best: Option<Self::Move>,
        memory: &mut Memory<'_, Self>,
    ) {
        let _ = (node, answer, best, memory);
    }

    /// Whether the subtree is too small to be worth a split: it is then searched by plain recursion, on the stack of the thread, and
    /// must not be deeper than some hundred plies. A game whose `open` does not answer at depth 0 has to say so itself.
    #[inline]
    fn grain(&self, node: &Node<'_, Self::Position>) -> bool {
        node.depth <= 2
    }

    /// About how many nodes the subtree holds. Used to choose where to split: a factor of ten off does little harm, but where the
    /// estimate says that branches are smaller than what a split costs ([`SplitPolicy::split_cost`](crate::SplitPolicy)), hardly any
    /// is made.
    #[inline]
    fn work(&self, node: &Node<'_, Self::Position>) -> f32 {
        (node.depth.clamp(0, 40) as f32 * 1.5).exp2()
    }

    /// About what a position is worth, told without search and in no time: a static evaluation, or what has been won so far. Strategies
    /// that learn judge by it which branches are likely to beat a bound ([`Strategy::DtsAdaptive`](crate::Strategy)); none if the game
    /// has nothing to say.
    #[inline]
    fn estimate(&self, position: &Self::Position) -> Option<Value> {
        let _ = position;
        None
    }

    /// A difference between two estimates that says something: some thirty of these cover what differences there usually are.
    #[inline]
    fn estimate_step(&self) -> Value {
        1
    }

    /// What the nodes opened since this was last asked have cost on top of one node time each, in nanoseconds of the simulator's
    /// time, where a node costs 1,000: quiescence, slow evaluations. A game that wants it keeps count in its local memory.
    #[inline]
    fn extra_cost(&self, local: &mut Self::Local) -> u64 {
        let _ = local;
        0
    }

    /// A hash of the position, the same for the same position, if the game has one. Strategies by which processors see what others are
    /// searching need it ([`Strategy::Abdada`](crate::Strategy)).
    #[inline]
    fn key(&self, position: &Self::Position) -> Option<u64> {
        let _ = position;
        None
    }

    /// What Max has banked at the position so far, so that memory can hold values relative to it.
    #[inline]
    fn banked(&self, position: &Self::Position) -> Value {
        let _ = position;
        0
    }
}

/// A move tried this often counts as it is: a guard against games whose answers never settle a window.
const MOST_TRIES: u32 = 64;

/// The usual attempts of a principal variation search at full depth: the first move with the node's window, every other
/// one with a zero window first and, only if that fails towards the mover, with the open window. A game calls this
/// from its [`Game::attempt`].
///
/// A zero window that fails high against a bound that another processor has improved meanwhile is repeated at the bound
/// of now, never reinterpreted.
#[must_use]
pub fn scout_first(
    side: Side,
    window: Window,
    depth: i32,
    number: u32,
    tries: u32,
    last: Option<Range>,
) -> Attempt {
    let scout = window.scout(side);
    let bound_known = match side {
        Side::Max => window.alpha > crate::value::LOWEST,
        Side::Min => window.beta < crate::value::HIGHEST,
    };
    match last {
        None if number > 0 && window.is_open() && bound_known => {
            Attempt::Search { depth, scope: Scope::Scout(scout) }
        }
        None => Attempt::Search { depth, scope: Scope::Real },
        Some(range) if tries >= MOST_TRIES || window.is_answered_by(range) => Attempt::Count,
        Some(range) => {
            let scope = if window.is_beaten_by(side, range) { Scope::Real } else { Scope::Scout(scout) };
            Attempt::Search { depth, scope }
        }
    }
}
