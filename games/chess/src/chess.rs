//! Chess as the engine searches it.

use std::sync::Arc;

use dts_engine::table::Table;
use dts_engine::{Answer, Attempt, Game, Memory, Node, Opening, Range, Scope, Side, Value};

use crate::attempts::attempt_selectively;
use crate::choice::{Choice, Kind, PackedMove};
use crate::draw::{is_dead, is_over_by_clock, is_repeated};
use crate::history::History;
use crate::local::Local;
use crate::mate::{DEEPEST_PLY, LEAST_MATE, mated_at};
use crate::memory::ChessMemory;
use crate::mover::{far_bound, far_end, refutes, sign};
use crate::moves::{Moves, Order};
use crate::outlook::Outlook;
use crate::position::Position;
use crate::profile::Profile;
use crate::remembered::{Remembered, remember};

/// Chess in one of its profiles. White is Max; values are centipawns from White's side, mates count from [`crate::MATE`] down.
///
/// The two profiles share rules, quiescence and order of moves. In both a node in check has one more ply of depth.
#[derive(Debug)]
pub struct Chess {
    profile: Profile,
    /// Subtrees of at most this depth are searched by recursion: they are never split.
    grain: i32,
    /// By processor.
    histories: Box<[History]>,
    reductions: Box<[[i8; 64]; 64]>,
    /// The table that will be asked about a position as soon as that is made.
    ahead: Option<Arc<Table>>,
}

impl Chess {
    /// Chess for up to `processors` processors. More may search, but then share histories.
    #[must_use]
    pub fn new(profile: Profile, processors: usize) -> Chess {
        let reduction = |depth: usize, number: usize| match (depth, number) {
            (0..3, _) | (_, 0..2) => 0,
            _ => (0.25 + (depth as f64).ln() * (number as f64).ln() / 2.3) as i8,
        };
        Chess {
            profile,
            grain: match profile {
                Profile::Classic => 1,
                Profile::Modern => 2,
            },
            histories: (0..processors.max(1)).map(|_| History::new()).collect(),
            reductions: Box::new(std::array::from_fn(|depth| {
                std::array::from_fn(|number| reduction(depth, number))
            })),
            ahead: None,
        }
    }

    /// The same, with subtrees of at most `depth` searched by recursion and never split.
    #[must_use]
    pub fn with_grain(self, depth: i32) -> Chess {
        Chess { grain: depth, ..self }
    }

    /// The same; positions are fetched from `table` ahead of their use. It should be the table of the memory.
    #[must_use]
    pub fn with_table_ahead(self, table: Option<Arc<Table>>) -> Chess {
        Chess { ahead: table, ..self }
    }

    /// The profile.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    fn history(&self, processor: u16) -> &History {
        &self.histories[usize::from(processor) % self.histories.len()]
    }

    fn order(&self, processor: u16) -> Order<'_> {
        Order { history: self.history(processor), reductions: &self.reductions }
    }

    /// Opens the root of the search, where only some moves may be wanted.
    fn open_root(
        &self,
        node: &Node<'_, Position>,
        source: &mut Moves,
        memory: &mut Memory<'_, Self>,
    ) -> Opening<()> {
        let position = node.position();
        let selective = self.profile == Profile::Modern;
        let outlook = Outlook {
            depth: depth_of(node),
            processor: memory.local.processor,
            reduces: selective && node.depth >= 3,
            reduction: -1,
            far_bound: far_bound(position.side(), node.window),
            ..Outlook::default()
        };
        let known = Remembered::of(node, memory.shared);
        let wanted = memory.shared.root_moves.lock();
        if source.begin_root(position, known.best, &wanted, outlook, self.history(memory.local.processor)) {
            Opening::Search(Answer::unknown())
        } else {
            without_moves(position, node.ply())
        }
    }
}

/// The depth of a node with the extension that a check gives it.
#[inline(always)]
pub(crate) fn depth_of(node: &Node<'_, Position>) -> i32 {
    node.depth + i32::from(node.position().in_check())
}

/// Answers a node that has no moves.
#[inline]
pub(crate) fn without_moves(position: &Position, ply: usize) -> Opening<()> {
    let value = if position.in_check() { mated_at(position.side(), ply) } else { 0 };
    Opening::Answered(Answer::exact(value))
}

impl Game for Chess {
    type Position = Position;
    type Move = Choice;
    type Source = Moves;
    type Proof = ();
    type Shared = ChessMemory;
    type Local = Local;

    fn local(&self, processor: usize) -> Local {
        Local::new(processor as u16)
    }

    #[inline]
    fn side(&self, position: &Position) -> Side {
        position.side()
    }

    #[inline]
    fn key(&self, position: &Position) -> Option<u64> {
        Some(position.table_key())
    }

    /// Material and places alone.
    #[inline]
    fn estimate(&self, position: &Position) -> Option<Value> {
        Some(crate::evaluation::sketch(position))
    }

    /// A quarter of a pawn.
    #[inline]
    fn estimate_step(&self) -> Value {
        25
    }

    #[inline]
    fn open(
        &self,
        node: &Node<'_, Position>,
        source: &mut Moves,
        memory: &mut Memory<'_, Self>,
    ) -> Opening<()> {
        let position = node.position();
        if node.ply() == 0 {
            return self.open_root(node, source, memory);
        }
        memory.shared.selective_depth.reach(memory.local.processor, node.ply());
        if position.excluded().is_none()
            && (is_repeated(node, &memory.shared.before)
                || is_dead(position.board())
                || is_over_by_clock(position))
        {
            return Opening::Answered(Answer::exact(0));
        }
        if depth_of(node) <= 0 || node.ply() >= DEEPEST_PLY {
            return self.quiesce(node, source, memory);
        }
        match self.profile {
            Profile::Classic => Self::open_plain(node, source, memory),
            Profile::Modern => Self::open_selective(node, source, memory),
        }
    }

    #[inline]
    fn select(&self, position: &Position, source: &mut Moves) -> Option<Choice> {
        source.next(position, &self.order(source.outlook.processor))
    }

    #[inline]
    fn play(&self, position: &Position, chosen: Choice) -> Position {
        let next = position.play(chosen);
        if let Some(table) = &self.ahead {
            table.prefetch(next.table_key());
        }
        next
    }

    fn moves_left(&self, _: &Position, source: &Moves) -> u32 {
        source.left()
    }

    #[inline]
    fn attempt(
        &self,
        node: &Node<'_, Position>,
        chosen: Choice,
        number: u32,
        tries: u32,
        last: Option<Range>,
    ) -> Attempt {
        let depth = depth_of(node);
        if depth <= 0 && node.ply() > 0 {
            return match tries {
                0 => Attempt::Search { depth: node.depth - 1, scope: Scope::Real },
                _ => Attempt::Count,
            };
        }
        match self.profile {
            Profile::Classic => {
                dts_engine::scout_first(node.position().side(), node.window, depth - 1, number, tries, last)
            }
            Profile::Modern => attempt_selectively(node, chosen, number, tries, last),
        }
    }

    #[inline]
    fn settle(&self, position: &Position, source: &mut Moves, chosen: Choice, answer: &Answer<()>) {
        if far_end(position.side(), answer.range) * sign(position.side()) > -LEAST_MATE {
            source.note_escape();
        }
        if source.outlook.depth <= 0 || !matches!(chosen.kind, Kind::Table | Kind::Killer | Kind::Quiet) {
            return;
        }
        let refutes = refutes(position.side(), answer.range, source.outlook.far_bound);
        if refutes && !position.is_tactical(chosen.code) {
            source.learn(position, chosen.code, self.history(source.outlook.processor));
        }
    }

    #[inline]
    fn dismiss(&self, position: &Position, source: &mut Moves, chosen: Choice, range: Range) {
        if chosen.kind != Kind::Without {
            return;
        }
        let bound = Value::from(chosen.bound);
        let is_alone = match position.side() {
            Side::Max => range.upper < bound,
            Side::Min => range.lower > bound,
        };
        if is_alone {
            source.note_singular();
        }
    }

    fn leave(
        &self,
        node: &Node<'_, Position>,
        answer: &Answer<()>,
        best: Option<Choice>,
        memory: &mut Memory<'_, Self>,
    ) {
        let position = node.position();
        let best =
            best.filter(|choice| choice.moves_a_piece()).map_or(PackedMove::NONE, |choice| choice.code);
        let depth = depth_of(node);
        if depth > 0 && node.window.is_closed() && !best.is_none() && !position.is_tactical(best) {
            memory.local.note_refutation(node, best);
        }
        if depth > 0 || self.profile == Profile::Modern {
            remember(node, answer, best, memory.shared);
        }
    }

    #[inline]
    fn grain(&self, node: &Node<'_, Position>) -> bool {
        node.depth <= self.grain
    }

    fn work(&self, node: &Node<'_, Position>) -> f32 {
        let depth = depth_of(node).clamp(0, 40) as f32;
        match self.profile {
            Profile::Classic => (2.0 + 2.2 * depth).exp2(),
            Profile::Modern => (2.0 + 1.1 * depth).exp2(),
        }
    }
}
