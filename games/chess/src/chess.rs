//! Chess as the engine searches it.

use std::sync::Arc;

use cozy_chess::{Color, Move};
use dts_engine::table::Table;
use dts_engine::{
    Answer, Attempt, Game, HIGHEST, LOWEST, Memory, Node, Opening, Range, Scope, Side, Value, Window,
};

use crate::choice::{Choice, Kind, PackedMove};
use crate::draw::{is_dead, is_over_by_clock, is_repeated};
use crate::entry::Entry;
use crate::evaluation::judge_cached;
use crate::history::History;
use crate::mate::{DEEPEST_PLY, LEAST_MATE, is_mate, mated_at};
use crate::memory::ChessMemory;
use crate::pawns::PawnCache;
use crate::position::{FULL_PHASE, NO_PIECE, Position};
use crate::profile::Profile;
use crate::source::{Moves, Order, Outlook, sign};

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

/// What one processor remembers.
#[derive(Debug)]
pub struct Local {
    processor: u16,
    /// By ply: quiet moves that have refuted there.
    killers: Vec<[PackedMove; 2]>,
    /// By side and by the piece that moved last: the quiet move that has refuted it.
    answers: Vec<PackedMove>,
    pawns: PawnCache,
}

/// What the table says of a node.
#[derive(Clone, Copy)]
struct Remembered {
    range: Range,
    depth: i32,
    best: PackedMove,
}

const NOTHING: Remembered = Remembered { range: Range::UNKNOWN, depth: -1, best: PackedMove::NONE };

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
                Profile::Classic => 2,
                Profile::Modern => 4,
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

    /// Forgets which moves have been good: for a new game.
    pub fn forget(&self) {
        self.histories.iter().for_each(History::clear);
    }

    fn history(&self, processor: u16) -> &History {
        &self.histories[usize::from(processor) % self.histories.len()]
    }

    fn order(&self, processor: u16) -> Order<'_> {
        Order { history: self.history(processor), reductions: &self.reductions }
    }

    /// The depth of a node with the extension that a check gives it.
    #[inline(always)]
    fn depth_of(node: &Node<'_, Position>) -> i32 {
        node.depth + i32::from(node.position().in_check())
    }

    #[inline]
    fn remembered(&self, node: &Node<'_, Position>, memory: &ChessMemory) -> Remembered {
        let Some(bits) = memory.table.as_ref().and_then(|table| table.get(node.position().table_key()))
        else {
            return NOTHING;
        };
        let entry = Entry::unpack(bits);
        // Another position may have the same key: its move need not be legal here.
        let is_legal = !entry.best.is_none() && node.position().board().is_legal(entry.best.unpack());
        let best = if is_legal { entry.best } else { PackedMove::NONE };
        Remembered { range: entry.range_at(node.ply()), depth: entry.depth, best }
    }

    /// Opens a node of quiescence: the mover may be content with the position as it is, or go on with captures; in check he has to
    /// move.
    fn quiesce(
        &self,
        node: &Node<'_, Position>,
        source: &mut Moves,
        memory: &mut Memory<'_, Self>,
    ) -> Opening<()> {
        let position = node.position();
        let side = position.side();
        if node.ply() >= DEEPEST_PLY {
            return Opening::Answered(Answer::exact(judge_cached(position, &mut memory.local.pawns)));
        }
        let mut outlook = Outlook { processor: memory.local.processor, ..Outlook::default() };
        if position.in_check() {
            if !position.board().generate_moves(|_| true) {
                return Opening::Answered(Answer::exact(mated_at(side, node.ply())));
            }
            source.begin(PackedMove::NONE, [PackedMove::NONE; 3], outlook);
            return Opening::Search(Answer::unknown());
        }
        let selective = self.profile == Profile::Modern;
        let mut known = NOTHING;
        if selective {
            known = self.remembered(node, memory.shared);
            if !node.window.is_open() && node.window.is_answered_by(known.range) {
                return Opening::Answered(Answer::range(known.range));
            }
        }
        let as_it_is = judge_cached(position, &mut memory.local.pawns);
        let (content, enough, hope) = match side {
            Side::Max => (Range::at_least(as_it_is), as_it_is >= node.window.beta, node.window.alpha),
            Side::Min => (Range::at_most(as_it_is), as_it_is <= node.window.alpha, node.window.beta),
        };
        if enough {
            return Opening::Answered(Answer::range(content));
        }
        if selective && hope.abs() < LEAST_MATE {
            outlook.least_gain = (hope - as_it_is) * sign(side) - HOPE_MARGIN;
        }
        if source.begin_quiescence(position, known.best, outlook) {
            Opening::Search(Answer::range(content))
        } else {
            Opening::Answered(Answer::exact(as_it_is))
        }
    }

    /// Answers a node that has no moves.
    #[inline]
    fn without_moves(position: &Position, ply: usize) -> Opening<()> {
        let value = if position.in_check() { mated_at(position.side(), ply) } else { 0 };
        Opening::Answered(Answer::exact(value))
    }

    fn killers(node: &Node<'_, Position>, local: &Local) -> [PackedMove; 3] {
        let [first, second] = local.killers[node.ply()];
        [first, second, local.answers[answer_place(node.position())]]
    }

    /// Opens a node of the plain search.
    fn open_plain(
        &self,
        node: &Node<'_, Position>,
        source: &mut Moves,
        memory: &mut Memory<'_, Self>,
    ) -> Opening<()> {
        let position = node.position();
        let known = self.remembered(node, memory.shared);
        // Only what was found with this very depth: so values do not depend on what else was searched.
        if known.depth == node.depth && !node.is_root() && node.window.is_answered_by(known.range) {
            return Opening::Answered(Answer::range(known.range));
        }
        if known.best.is_none() && !position.board().generate_moves(|_| true) {
            return Self::without_moves(position, node.ply());
        }
        let outlook = Outlook {
            depth: Self::depth_of(node),
            processor: memory.local.processor,
            far_bound: far_bound(position.side(), node.window),
            ..Outlook::default()
        };
        source.begin(known.best, Self::killers(node, memory.local), outlook);
        Opening::Search(Answer::unknown())
    }

    /// Opens a node of the selective search.
    fn open_selective(
        &self,
        node: &Node<'_, Position>,
        source: &mut Moves,
        memory: &mut Memory<'_, Self>,
    ) -> Opening<()> {
        let position = node.position();
        let (ply, window, side) = (node.ply(), node.window, position.side());
        let depth = Self::depth_of(node);
        let excludes = !position.excluded().is_none();
        let narrow = !window.is_open();
        if !node.is_root()
            && let Some(range) = beyond_every_mate(ply, window)
        {
            return Opening::Answered(Answer::range(range));
        }
        let known = self.remembered(node, memory.shared);
        if narrow
            && !node.is_root()
            && known.depth >= node.depth
            && window.is_answered_by(known.range)
            // Near the fifty moves what was stored before may be wrong.
            && position.board().halfmove_clock() < 90
        {
            return Opening::Answered(Answer::range(known.range));
        }
        let mut table = known.best;
        if excludes {
            table = PackedMove::NONE;
            if !has_another_move(position) {
                // Nothing comes near the only move.
                let value = mated_at(side, ply);
                return Opening::Answered(Answer::exact(value));
            }
        } else if table.is_none() && !position.board().generate_moves(|_| true) {
            return Self::without_moves(position, ply);
        }

        let mover = sign(side);
        let (alpha, beta) = match side {
            Side::Max => (window.alpha, window.beta),
            Side::Min => (-window.beta, -window.alpha),
        };
        let mut outlook = Outlook {
            depth,
            processor: memory.local.processor,
            reduces: depth >= 3,
            reduction: i32::from(narrow),
            far_bound: far_bound(side, window),
            ..Outlook::default()
        };
        if position.in_check() {
            outlook.reduction -= 1;
        } else if narrow && !is_mate(beta) {
            let judged = judge_cached(position, &mut memory.local.pawns) * mover;
            // The table may know better what the position is worth.
            let judged = match side {
                Side::Max => judged.clamp(known.range.lower, known.range.upper),
                Side::Min => judged.clamp(-known.range.upper, -known.range.lower),
            };
            let improving = is_improving(node);
            if !excludes {
                let margin = 100 * depth - 40 * i32::from(improving);
                if depth <= 6 && judged - margin >= beta && !is_mate(judged) {
                    let enough = (judged - margin).max(beta) * mover;
                    return Opening::Answered(Answer::range(match side {
                        Side::Max => Range::at_least(enough),
                        Side::Min => Range::at_most(enough),
                    }));
                }
                if depth >= 3 && judged >= beta && position.last() != NO_PIECE && position.has_pieces() {
                    let less = 4 + depth / 4 + ((judged - beta) / 200).min(3);
                    outlook.null_depth = Some((depth - less).max(0) as i8);
                }
            }
            outlook.reduction -= i32::from(improving);
            if depth <= 8 {
                let limit = if improving { 4 + depth * depth } else { (4 + depth * depth) / 2 };
                outlook.quiet_limit = limit as u16;
                if depth <= 6 && judged + 90 + 85 * depth <= alpha {
                    // Quiet moves will not bring it back.
                    outlook.quiet_limit = 0;
                }
            }
        }
        if table.is_none() && depth >= 5 && !node.is_root() && !excludes {
            outlook.shortening = 1;
        }
        if depth >= 7
            && !node.is_root()
            && !table.is_none()
            && !position.in_check()
            && known.depth >= depth - 3
            && node.ply() < DEEPEST_PLY / 2
        {
            outlook.test_bound = test_bound(side, known.range, depth);
        }
        source.begin(table, Self::killers(node, memory.local), outlook);
        Opening::Search(Answer::unknown())
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
            depth: Self::depth_of(node),
            processor: memory.local.processor,
            reduces: selective && node.depth >= 3,
            reduction: -1,
            far_bound: far_bound(position.side(), node.window),
            ..Outlook::default()
        };
        let known = self.remembered(node, memory.shared);
        let wanted = memory.shared.root_moves.lock();
        if source.begin_root(position, known.best, &wanted, outlook, self.history(memory.local.processor)) {
            Opening::Search(Answer::unknown())
        } else {
            Self::without_moves(position, node.ply())
        }
    }

    /// How a move of the selective search is tried.
    #[inline]
    fn attempt_selectively(
        node: &Node<'_, Position>,
        chosen: Choice,
        number: u32,
        tries: u32,
        last: Option<Range>,
    ) -> Attempt {
        let position = node.position();
        let (side, window) = (position.side(), node.window);
        match (chosen.kind, last) {
            (Kind::Null, None) => {
                return Attempt::Search { depth: i32::from(chosen.reduction), scope: Scope::Scout(window) };
            }
            (Kind::Null, Some(range)) => {
                let refutes = match side {
                    Side::Max => range.lower >= window.beta && !is_mate(range.lower),
                    Side::Min => range.upper <= window.alpha && !is_mate(range.upper),
                };
                return if refutes { Attempt::Count } else { Attempt::Discard };
            }
            (Kind::Without, None) => {
                let bound = Value::from(chosen.bound);
                let scope = Scope::Scout(match side {
                    Side::Max => Window::zero(bound),
                    Side::Min => Window::zero(bound + 1),
                });
                return Attempt::Search { depth: (node.depth - 1) / 2, scope };
            }
            (Kind::Without, Some(_)) => return Attempt::Discard,
            _ => {}
        }
        let depth = Self::depth_of(node) - 1 + i32::from(chosen.extension);
        let is_first = number == 0 || chosen.kind == Kind::Table;
        if is_first || chosen.reduction <= 0 {
            return dts_engine::scout_first(side, window, depth, u32::from(!is_first), tries, last);
        }
        let reduced = depth - i32::from(chosen.reduction);
        match last {
            None => Attempt::Search { depth: reduced, scope: Scope::Scout(window.scout(side)) },
            Some(range) => {
                if tries == 1 && !window.is_beaten_by(side, range) {
                    return Attempt::Count;
                }
                if tries == 1 {
                    // Less depth has promised what all of it has to confirm.
                    let scope = if window.is_open() { Scope::Scout(window.scout(side)) } else { Scope::Real };
                    return Attempt::Search { depth, scope };
                }
                dts_engine::scout_first(side, window, depth, number, tries, last)
            }
        }
    }
}

/// How much more than the piece taken a capture may bring, in quiescence.
const HOPE_MARGIN: Value = 180;

/// What the mover's opponent will not allow.
#[inline(always)]
fn far_bound(side: Side, window: Window) -> Value {
    match side {
        Side::Max => window.beta,
        Side::Min => window.alpha,
    }
}

/// The place in [`Local::answers`] of a position.
#[inline(always)]
fn answer_place(position: &Position) -> usize {
    let color = position.board().side_to_move();
    position.last() + if color == Color::White { 0 } else { NO_PIECE + 1 }
}

/// What the value can be at `ply`, if the window wants a mate that is nearer than any can be.
#[inline]
fn beyond_every_mate(ply: usize, window: Window) -> Option<Range> {
    let best = mated_at(Side::Min, ply + 1);
    let worst = mated_at(Side::Max, ply);
    if window.alpha >= best {
        Some(Range::at_most(best))
    } else if window.beta <= worst {
        Some(Range::at_least(worst))
    } else {
        None
    }
}

/// Whether material and places are better for the mover than two plies ago.
#[inline]
fn is_improving(node: &Node<'_, Position>) -> bool {
    let path = node.path();
    let Some(before) = path.len().checked_sub(3).map(|at| &path[at]) else { return false };
    let quick = |position: &Position| {
        let phase = i32::from(position.phase);
        (position.sum.middle() * phase + position.sum.end() * (FULL_PHASE - phase))
            * sign(node.position().side())
    };
    quick(node.position()) > quick(before)
}

/// Whether there is a move beside the one left out.
fn has_another_move(position: &Position) -> bool {
    let excluded = position.excluded().unpack();
    position.board().generate_moves(|set| set.into_iter().any(|chosen: Move| chosen != excluded))
}

/// The value that no move but the table's should reach, if the table's move is known to be good enough.
#[inline]
fn test_bound(side: Side, known: Range, depth: i32) -> Option<i16> {
    let margin = 2 * depth;
    let bound = match side {
        Side::Max if known.lower > LOWEST && !is_mate(known.lower) => known.lower - margin,
        Side::Min if known.upper < HIGHEST && !is_mate(known.upper) => known.upper + margin,
        _ => return None,
    };
    i16::try_from(bound).ok()
}

impl Game for Chess {
    type Position = Position;
    type Move = Choice;
    type Source = Moves;
    type Proof = ();
    type Shared = ChessMemory;
    type Local = Local;

    fn local(&self, processor: usize) -> Local {
        Local {
            processor: processor as u16,
            killers: vec![[PackedMove::NONE; 2]; DEEPEST_PLY + 1],
            answers: vec![PackedMove::NONE; 2 * (NO_PIECE + 1)],
            pawns: PawnCache::new(),
        }
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
        if Self::depth_of(node) <= 0 || node.ply() >= DEEPEST_PLY {
            return self.quiesce(node, source, memory);
        }
        match self.profile {
            Profile::Classic => self.open_plain(node, source, memory),
            Profile::Modern => self.open_selective(node, source, memory),
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
        let depth = Self::depth_of(node);
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
            Profile::Modern => Self::attempt_selectively(node, chosen, number, tries, last),
        }
    }

    #[inline]
    fn settle(&self, position: &Position, source: &mut Moves, chosen: Choice, answer: &Answer<()>) {
        if source.outlook.depth <= 0 || !matches!(chosen.kind, Kind::Table | Kind::Killer | Kind::Quiet) {
            return;
        }
        let refutes = match position.side() {
            Side::Max => answer.range.lower >= source.outlook.far_bound,
            Side::Min => answer.range.upper <= source.outlook.far_bound,
        };
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
        let improved = !best.is_none();
        let depth = Self::depth_of(node);
        if depth > 0 && node.window.is_closed() && !best.is_none() && !position.is_tactical(best) {
            let killers = &mut memory.local.killers[node.ply().min(DEEPEST_PLY)];
            if killers[0] != best {
                *killers = [best, killers[0]];
            }
            memory.local.answers[answer_place(position)] = best;
        }
        let Some(table) = &memory.shared.table else { return };
        if depth <= 0 && self.profile == Profile::Classic || !position.excluded().is_none() {
            return;
        }
        let is_filtered = node.ply() == 0 && !memory.shared.root_moves.lock().is_empty();
        if is_filtered {
            return;
        }
        let key = position.table_key();
        let best = if best.is_none() {
            // A node whose moves have all failed still knows which one was good before.
            table.get(key).map_or(best, |bits| Entry::unpack(bits).best)
        } else {
            best
        };
        let keep_lower = match position.side() {
            Side::Max => improved,
            Side::Min => !improved,
        };
        let entry = Entry::new(answer.range, keep_lower, node.depth, best, node.ply());
        table.put(key, entry.pack(), node.depth.clamp(0, 127) as u8);
    }

    #[inline]
    fn grain(&self, node: &Node<'_, Position>) -> bool {
        node.depth <= self.grain
    }

    fn work(&self, node: &Node<'_, Position>) -> f32 {
        let depth = Self::depth_of(node).clamp(0, 40) as f32;
        match self.profile {
            Profile::Classic => (2.0 + 2.2 * depth).exp2(),
            Profile::Modern => (2.0 + 1.1 * depth).exp2(),
        }
    }
}
