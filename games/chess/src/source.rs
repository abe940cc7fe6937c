//! The moves of a node, told one after the other in stages, so that moves that are never searched are never generated.

use arrayvec::ArrayVec;
use cozy_chess::{
    BitBoard, Board, Move, Piece, Rank, get_bishop_moves, get_knight_moves, get_pawn_attacks, get_rook_moves,
};
use dts_engine::{Side, Value};

use crate::choice::{Choice, Kind, PackedMove};
use crate::exchange::{is_sound, worth};
use crate::history::{Context, History};
use crate::position::Position;

/// No position has more moves than this.
const MOST_MOVES: usize = 218;

/// A move and how early it comes.
#[derive(Clone, Copy, Debug)]
struct Scored {
    score: i32,
    code: PackedMove,
    checks: bool,
}

/// What is told next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// A null move, if the node has one.
    Null,
    /// The test of the table's move, if the node has one.
    Without,
    /// The table's move.
    Table,
    /// Captures and promotions are to be generated.
    BeforeCaptures,
    /// Captures and promotions that lose nothing.
    Captures,
    /// Killers and the answer to the last move, from this number.
    Killers(u8),
    /// Quiet moves are to be generated.
    BeforeQuiets,
    /// Quiet moves.
    Quiets,
    /// Captures that lose something, from this number.
    BadCaptures(u8),
    /// A list made at the root.
    Listed,
    /// Nothing more.
    #[default]
    Done,
}

/// How the moves of a node are tried: what [`crate::Chess`] knows of the node when it opens it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outlook {
    /// The depth left, checks counted.
    pub(crate) depth: i32,
    /// Whose history puts quiet moves in order.
    pub(crate) processor: u16,
    /// Quiet moves are left out once so many moves have been told.
    pub(crate) quiet_limit: u16,
    /// Late moves are tried less deep first; by so much less than usual.
    pub(crate) reduces: bool,
    /// Plies added to every reduction.
    pub(crate) reduction: i32,
    /// Plies that all moves are searched less deep, for want of a table move.
    pub(crate) shortening: i8,
    /// In quiescence: captures that win less are left out.
    pub(crate) least_gain: Value,
    /// Where the node fails towards its mover: what his opponent will not allow.
    pub(crate) far_bound: Value,
    /// The depth of the null move, if there is one.
    pub(crate) null_depth: Option<i8>,
    /// What no move but the table's should reach, if that is to be tested.
    pub(crate) test_bound: Option<i16>,
}

impl Default for Outlook {
    fn default() -> Self {
        Outlook {
            depth: 0,
            processor: 0,
            quiet_limit: u16::MAX,
            reduces: false,
            reduction: 0,
            shortening: 0,
            least_gain: Value::MIN,
            far_bound: 0,
            null_depth: None,
            test_bound: None,
        }
    }
}

/// What puts moves in order when they are drawn.
pub(crate) struct Order<'a> {
    /// The history of the processor that opened the node.
    pub(crate) history: &'a History,
    /// Plies by which late moves are tried less deep, by depth and number.
    pub(crate) reductions: &'a [[i8; 64]; 64],
}

/// The moves of a node that have not been told.
#[derive(Clone, Debug, Default)]
pub struct Moves {
    list: ArrayVec<Scored, MOST_MOVES>,
    /// What of the list has been told.
    at: usize,
    /// Captures that lose something stand at the beginning of the list.
    bad: usize,
    stage: Stage,
    /// The first move of a quiescence, which has been looked for already.
    ready: Option<PackedMove>,
    table: PackedMove,
    killers: [PackedMove; 3],
    /// Which of the killers have been told.
    killers_told: u8,
    only_captures: bool,
    /// So many moves have been told that of the quiet ones only checks are left.
    only_checks: bool,
    /// The table's move is much better than all others.
    singular: bool,
    /// Moves told, null moves and tests not counted.
    told: u16,
    pub(crate) outlook: Outlook,
}

impl Moves {
    /// Begins with all moves of a node. `table` is legal or none; `killers` need not be legal.
    pub(crate) fn begin(&mut self, table: PackedMove, killers: [PackedMove; 3], outlook: Outlook) {
        self.reset(table, outlook);
        self.killers = killers;
        self.stage = if outlook.null_depth.is_some() {
            Stage::Null
        } else if outlook.test_bound.is_some() {
            Stage::Without
        } else {
            Stage::Table
        };
    }

    fn reset(&mut self, table: PackedMove, outlook: Outlook) {
        self.list.clear();
        self.at = 0;
        self.bad = 0;
        self.ready = None;
        self.table = table;
        self.killers = [PackedMove::NONE; 3];
        self.killers_told = 0;
        self.only_captures = false;
        self.only_checks = false;
        self.singular = false;
        self.told = 0;
        self.outlook = outlook;
    }

    /// Begins with the captures of a quiescence; false if there is none that is worth a try. `table` comes first if it is one.
    pub(crate) fn begin_quiescence(
        &mut self,
        position: &Position,
        table: PackedMove,
        outlook: Outlook,
    ) -> bool {
        self.reset(table, outlook);
        self.only_captures = true;
        self.generate_captures(position);
        self.stage = Stage::Captures;
        self.ready = self.next_capture(position.board());
        if self.ready.is_none() {
            self.stage = Stage::Done;
        }
        self.ready.is_some()
    }

    /// Begins with the moves of a root, or with those of them that are `wanted`; false if there are none.
    pub(crate) fn begin_root(
        &mut self,
        position: &Position,
        table: PackedMove,
        wanted: &[Move],
        outlook: Outlook,
        history: &History,
    ) -> bool {
        self.reset(table, outlook);
        let board = position.board();
        let context = context_of(position);
        board.generate_moves(|set| {
            for chosen in set {
                if !wanted.is_empty() && !wanted.contains(&chosen) {
                    continue;
                }
                let code = PackedMove::new(chosen);
                let score = if code == table {
                    i32::MAX
                } else if !position.is_tactical(code) {
                    history.score(context, code, set.piece as usize)
                } else if is_sound(board, chosen) {
                    1_000_000 + capture_score(board, set.piece, chosen)
                } else {
                    -1_000_000 + capture_score(board, set.piece, chosen)
                };
                self.push(Scored { score, code, checks: false });
            }
            false
        });
        self.stage = if self.list.is_empty() { Stage::Done } else { Stage::Listed };
        !self.list.is_empty()
    }

    fn push(&mut self, scored: Scored) {
        // There is room for the moves of every position that can be reached; of one that cannot, some are left out.
        let _ = self.list.try_push(scored);
    }

    fn generate_captures(&mut self, position: &Position) {
        let board = position.board();
        let mover = board.side_to_move();
        let theirs = board.colors(!mover);
        let last_rank = Rank::Eighth.relative_to(mover).bitboard();
        let queens_only = self.only_captures;
        let excluded = position.excluded();
        let (table, least_gain) = (self.table, self.outlook.least_gain);
        let en_passant = board
            .en_passant()
            .map_or(BitBoard::EMPTY, |file| file.bitboard() & Rank::Sixth.relative_to(mover).bitboard());
        let list = &mut self.list;
        board.generate_moves(|mut set| {
            set.to &= if set.piece == Piece::Pawn { theirs | last_rank | en_passant } else { theirs };
            for chosen in set {
                let code = PackedMove::new(chosen);
                if code == excluded
                    || (queens_only && chosen.promotion.is_some_and(|piece| piece != Piece::Queen))
                {
                    continue;
                }
                let mut score = capture_score(board, set.piece, chosen);
                if queens_only {
                    if chosen.promotion.is_none()
                        && worth(board.piece_on(chosen.to).unwrap_or(Piece::Pawn)) < least_gain
                    {
                        continue;
                    }
                    if code == table {
                        score = i32::MAX;
                    }
                }
                let _ = list.try_push(Scored { score, code, checks: false });
            }
            false
        });
    }

    /// Generates quiet moves, or, with `only_checks`, those that give check.
    fn generate_quiets(&mut self, position: &Position, history: &History, only_checks: bool) {
        let board = position.board();
        let checks = squares_of_check(board);
        let mover = board.side_to_move();
        let theirs = board.colors(!mover);
        let last_rank = Rank::Eighth.relative_to(mover).bitboard();
        let context = context_of(position);
        let excluded = position.excluded();
        let (table, killers, told) = (self.table, self.killers, self.killers_told);
        let list = &mut self.list;
        let en_passant = board
            .en_passant()
            .map_or(BitBoard::EMPTY, |file| file.bitboard() & Rank::Sixth.relative_to(mover).bitboard());
        board.generate_moves(|mut set| {
            set.to &= !theirs;
            if set.piece == Piece::Pawn {
                set.to &= !(last_rank | (en_passant & !set.from.file().bitboard()));
            }
            for chosen in set {
                let code = PackedMove::new(chosen);
                let is_told = code == table
                    || code == excluded
                    || (0..3).any(|number| told & 1 << number != 0 && killers[number] == code);
                let checks = checks[set.piece as usize].has(chosen.to);
                if is_told || (only_checks && !(checks && is_sound(board, chosen))) {
                    continue;
                }
                let score = history.score(context, code, set.piece as usize);
                let _ = list.try_push(Scored { score, code, checks });
            }
            false
        });
    }

    /// Takes the best of what is left of the list.
    #[inline(always)]
    fn pick(&mut self) -> Option<Scored> {
        let rest = &self.list[self.at..];
        let (mut best, mut score) = (0, rest.first()?.score);
        for (number, scored) in rest.iter().enumerate().skip(1) {
            if scored.score > score {
                (best, score) = (number, scored.score);
            }
        }
        self.list.swap(self.at, self.at + best);
        self.at += 1;
        Some(self.list[self.at - 1])
    }

    /// The next capture that loses nothing; those that do are put aside.
    #[inline]
    fn next_capture(&mut self, board: &Board) -> Option<PackedMove> {
        while let Some(scored) = self.pick() {
            if !self.only_captures && scored.code == self.table {
                continue;
            }
            if is_sound(board, scored.code.unpack()) {
                return Some(scored.code);
            }
            if !self.only_captures {
                self.list[self.bad] = scored;
                self.bad += 1;
            }
        }
        None
    }

    /// The next move; `None` when there are no more.
    #[inline]
    pub(crate) fn next(&mut self, position: &Position, order: &Order<'_>) -> Option<Choice> {
        let board = position.board();
        loop {
            match self.stage {
                Stage::Null => {
                    self.stage =
                        if self.outlook.test_bound.is_some() { Stage::Without } else { Stage::Table };
                    if let Some(depth) = self.outlook.null_depth {
                        return Some(Choice {
                            reduction: depth,
                            ..Choice::plain(PackedMove::NONE, Kind::Null)
                        });
                    }
                }
                Stage::Without => {
                    self.stage = Stage::Table;
                    if let Some(bound) = self.outlook.test_bound {
                        return Some(Choice { bound, ..Choice::plain(self.table, Kind::Without) });
                    }
                }
                Stage::Table => {
                    self.stage = Stage::BeforeCaptures;
                    if !self.table.is_none() {
                        let extension = i8::from(self.singular);
                        return Some(
                            self.tell(Choice { extension, ..Choice::plain(self.table, Kind::Table) }),
                        );
                    }
                }
                Stage::BeforeCaptures => {
                    self.generate_captures(position);
                    self.stage = Stage::Captures;
                }
                Stage::Captures => {
                    if let Some(code) = self.ready.take().or_else(|| self.next_capture(board)) {
                        return Some(self.tell(Choice::plain(code, Kind::Capture)));
                    }
                    self.stage = if self.only_captures { Stage::Done } else { Stage::Killers(0) };
                }
                Stage::Killers(number) => {
                    self.stage = if number < 2 { Stage::Killers(number + 1) } else { Stage::BeforeQuiets };
                    let killer = self.killers[usize::from(number)];
                    if self.is_a_new_quiet(position, killer, number) {
                        self.killers_told |= 1 << number;
                        return Some(self.tell_late(Choice::plain(killer, Kind::Killer), 0, false, order));
                    }
                }
                Stage::BeforeQuiets => {
                    self.list.truncate(self.bad);
                    self.at = self.bad;
                    self.stage = Stage::Quiets;
                    self.only_checks = self.is_late();
                    self.generate_quiets(position, order.history, self.only_checks);
                }
                Stage::Quiets => {
                    if !self.only_checks && self.is_late() {
                        self.drop_all_but_checks();
                    }
                    if let Some(scored) = self.pick() {
                        let choice = Choice::plain(scored.code, Kind::Quiet);
                        return Some(self.tell_late(choice, scored.score, scored.checks, order));
                    }
                    self.stage = Stage::BadCaptures(0);
                }
                Stage::BadCaptures(number) => {
                    if usize::from(number) >= self.bad {
                        self.stage = Stage::Done;
                        continue;
                    }
                    self.stage = Stage::BadCaptures(number + 1);
                    let code = self.list[usize::from(number)].code;
                    return Some(self.tell_late(Choice::plain(code, Kind::BadCapture), 0, false, order));
                }
                Stage::Listed => match self.pick() {
                    Some(scored) => {
                        let tactical = position.is_tactical(scored.code);
                        let kind = match (scored.code == self.table, tactical, scored.score >= 0) {
                            (true, ..) => Kind::Table,
                            (_, false, _) => Kind::Quiet,
                            (_, _, true) => Kind::Capture,
                            _ => Kind::BadCapture,
                        };
                        let choice = Choice::plain(scored.code, kind);
                        return Some(match kind {
                            Kind::Table | Kind::Capture => self.tell(choice),
                            _ => self.tell_late(choice, scored.score.clamp(-32_768, 32_768), false, order),
                        });
                    }
                    None => self.stage = Stage::Done,
                },
                Stage::Done => return None,
            }
        }
    }

    /// Whether quiet moves that do not give check are left out from now on: never before any other move has been told.
    #[inline(always)]
    fn is_late(&self) -> bool {
        self.told > 0 && self.told >= self.outlook.quiet_limit
    }

    fn drop_all_but_checks(&mut self) {
        self.only_checks = true;
        let mut kept = self.at;
        for from in self.at..self.list.len() {
            if self.list[from].checks {
                self.list.swap(kept, from);
                kept += 1;
            }
        }
        self.list.truncate(kept);
    }

    fn is_a_new_quiet(&self, position: &Position, killer: PackedMove, number: u8) -> bool {
        !killer.is_none()
            && killer != self.table
            && killer != position.excluded()
            && (0..number).all(|before| self.killers[usize::from(before)] != killer)
            && !position.is_tactical(killer)
            && position.board().is_legal(killer.unpack())
    }

    #[inline(always)]
    fn tell(&mut self, choice: Choice) -> Choice {
        self.told += 1;
        let extension = choice.extension - self.outlook.shortening;
        Choice { extension, ..choice }
    }

    /// Tells a move that may be tried less deep first.
    #[inline]
    fn tell_late(&mut self, choice: Choice, score: i32, checks: bool, order: &Order<'_>) -> Choice {
        let number = usize::from(self.told);
        let choice = self.tell(choice);
        if !self.outlook.reduces || number < 2 {
            return choice;
        }
        let depth = self.outlook.depth.clamp(0, 63) as usize;
        let mut reduction = i32::from(order.reductions[depth][number.min(63)]) + self.outlook.reduction;
        match choice.kind {
            Kind::Killer | Kind::BadCapture => reduction -= 1,
            Kind::Quiet => reduction -= score / 8_192,
            _ => {}
        }
        if checks {
            reduction -= 1;
        }
        let reduction = reduction.clamp(0, (self.outlook.depth - 2).max(0)) as i8;
        Choice { reduction, ..choice }
    }

    /// How many moves are left: an estimate while they have not been generated.
    pub(crate) fn left(&self) -> u32 {
        const QUIETS: usize = 25;
        let listed = self.list.len() - self.at.min(self.list.len());
        let left = match self.stage {
            Stage::Null | Stage::Without | Stage::Table | Stage::BeforeCaptures => QUIETS + 5,
            Stage::Captures if self.only_captures => listed + usize::from(self.ready.is_some()),
            Stage::Captures => listed + self.bad + QUIETS,
            Stage::Killers(_) | Stage::BeforeQuiets => self.bad + QUIETS,
            Stage::Quiets if self.only_checks || !self.is_late() => {
                let limit = usize::from(self.outlook.quiet_limit.saturating_sub(self.told)).max(1);
                listed.min(if self.only_checks { listed } else { limit }) + self.bad
            }
            Stage::Quiets => self.list[self.at..].iter().filter(|scored| scored.checks).count() + self.bad,
            Stage::BadCaptures(number) => self.bad - usize::from(number).min(self.bad),
            Stage::Listed => listed,
            Stage::Done => 0,
        };
        left as u32
    }

    /// The table's move has been found to be much better than all others.
    pub(crate) fn note_singular(&mut self) {
        self.singular = true;
    }

    /// A quiet move has refuted: it is learnt, and that those told before it have not.
    pub(crate) fn learn(&self, position: &Position, best: PackedMove, history: &History) {
        let board = position.board();
        let context = context_of(position);
        let depth = self.outlook.depth;
        let bonus = (depth * depth * 16 + 32 * depth).min(1_600);
        let note = |code: PackedMove, bonus: i32| {
            if let Some(piece) = board.piece_on(code.from()) {
                history.learn(context, code, piece as usize, bonus);
            }
        };
        note(best, bonus);
        for number in 0..3 {
            let killer = self.killers[number];
            if self.killers_told & 1 << number != 0 && killer != best {
                note(killer, -bonus);
            }
        }
        if matches!(self.stage, Stage::Quiets) {
            for scored in &self.list[self.bad..self.at] {
                if scored.code != best {
                    note(scored.code, -bonus);
                }
            }
        }
    }
}

/// By piece: the squares from which it would give check.
#[inline(always)]
fn squares_of_check(board: &Board) -> [BitBoard; 6] {
    let mover = board.side_to_move();
    let king = board.king(!mover);
    let occupied = board.occupied();
    let (diagonal, straight) = (get_bishop_moves(king, occupied), get_rook_moves(king, occupied));
    let pawn = get_pawn_attacks(king, !mover);
    [pawn, get_knight_moves(king), diagonal, straight, diagonal | straight, BitBoard::EMPTY]
}

/// What the history of the moves of a position depends on.
#[inline(always)]
pub(crate) fn context_of(position: &Position) -> Context {
    Context { color: position.board().side_to_move(), last: position.last() }
}

/// The most valuable victim first, of the same victims the least valuable taker.
#[inline(always)]
fn capture_score(board: &Board, piece: Piece, chosen: Move) -> i32 {
    let mut won = board.piece_on(chosen.to).map_or(if piece == Piece::Pawn { 100 } else { 0 }, worth);
    if let Some(promotion) = chosen.promotion {
        won += match promotion {
            Piece::Queen => 800,
            _ => -1_000,
        };
        if board.piece_on(chosen.to).is_none() {
            won -= 100;
        }
    }
    won * 16 - piece as i32
}

/// The sign that makes a value from Max's side one from the mover's.
#[inline(always)]
pub(crate) fn sign(side: Side) -> Value {
    match side {
        Side::Max => 1,
        Side::Min => -1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn legal(board: &Board) -> Vec<PackedMove> {
        crate::perft::moves(board).into_iter().map(PackedMove::new).collect()
    }

    fn told(moves: &mut Moves, position: &Position) -> Vec<Choice> {
        let (history, reductions) = (History::new(), [[1; 64]; 64]);
        let order = Order { history: &history, reductions: &reductions };
        let mut told = Vec::new();
        loop {
            let left = moves.left();
            let Some(choice) = moves.next(position, &order) else { break };
            assert!(left > 0, "moves are left");
            told.push(choice);
        }
        assert_eq!(moves.left(), 0);
        assert!(moves.next(position, &order).is_none());
        told
    }

    /// Positions of a random game.
    fn random_game(start: u32, choices: &[u16]) -> Vec<Position> {
        let mut position = Position::new(Board::chess960_startpos(start));
        let mut path = vec![position.clone()];
        for &choice in choices {
            let moves = crate::perft::moves(position.board());
            if moves.is_empty() {
                break;
            }
            position = position.after(moves[usize::from(choice) % moves.len()]);
            path.push(position.clone());
        }
        path
    }

    proptest! {
        /// Whatever the table and the killers say, every legal move comes once and no other.
        #[test]
        fn every_move_is_told_once(
            start in 0..960_u32,
            choices in proptest::collection::vec(any::<u16>(), 1..120),
            hint in any::<u16>(),
            killers in any::<[u16; 3]>(),
        ) {
            for position in random_game(start, &choices) {
                let wanted = legal(position.board());
                if wanted.is_empty() {
                    continue;
                }
                let any_move = |bits: u16| wanted[usize::from(bits) % wanted.len()];
                let table = if hint.is_multiple_of(3) { PackedMove::NONE } else { any_move(hint) };
                // Of the killers some are moves of this position, some are anything.
                let killer = |bits: u16| if bits.is_multiple_of(2) { any_move(bits / 2) } else { PackedMove::of_bits(bits & 0xfff) };
                let outlook = Outlook { depth: 5, reduces: true, ..Outlook::default() };
                let mut moves = Moves::default();
                moves.begin(table, killers.map(killer), outlook);
                let mut codes: Vec<_> = told(&mut moves, &position).into_iter().map(|choice| choice.code).collect();
                if !table.is_none() {
                    prop_assert_eq!(codes[0], table);
                }
                let mut wanted = wanted;
                codes.sort_by_key(|code| code.bits());
                wanted.sort_by_key(|code| code.bits());
                prop_assert_eq!(&codes, &wanted, "{}", position.board());

                let history = History::new();
                prop_assert!(moves.begin_root(&position, table, &[], outlook, &history));
                let mut codes: Vec<_> = told(&mut moves, &position).into_iter().map(|choice| choice.code).collect();
                codes.sort_by_key(|code| code.bits());
                prop_assert_eq!(codes, wanted);
            }
        }

        /// A quiescence has the captures and queens that lose nothing.
        #[test]
        fn quiescence_tells_sound_captures(start in 0..960_u32, choices in proptest::collection::vec(any::<u16>(), 1..120)) {
            for position in random_game(start, &choices) {
                let board = position.board();
                let mut wanted: Vec<_> = legal(board)
                    .into_iter()
                    .filter(|code| {
                        position.is_tactical(*code)
                            && code.promotion().is_none_or(|piece| piece == Piece::Queen)
                            && crate::exchange_value(board, code.unpack()) >= 0
                    })
                    .collect();
                let mut moves = Moves::default();
                let some = moves.begin_quiescence(&position, PackedMove::NONE, Outlook::default());
                prop_assert_eq!(some, !wanted.is_empty());
                let mut codes: Vec<_> = told(&mut moves, &position).into_iter().map(|choice| choice.code).collect();
                codes.sort_by_key(|code| code.bits());
                wanted.sort_by_key(|code| code.bits());
                prop_assert_eq!(codes, wanted);
            }
        }
    }

    #[test]
    fn quiet_moves_are_left_out_only_after_another_move() {
        let position = Position::new(Board::startpos());
        let mut moves = Moves::default();
        moves.begin(
            PackedMove::NONE,
            [PackedMove::NONE; 3],
            Outlook { quiet_limit: 0, ..Outlook::default() },
        );
        assert_eq!(told(&mut moves, &position).len(), 1);
        moves.begin(
            PackedMove::NONE,
            [PackedMove::NONE; 3],
            Outlook { quiet_limit: 7, ..Outlook::default() },
        );
        assert_eq!(told(&mut moves, &position).len(), 7);
    }
}
