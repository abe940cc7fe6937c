//! The moves of a node, told one after the other in stages, so that moves that are never searched are never generated.

use cozy_chess::{Board, Move};

use crate::choice::{Choice, Kind, PackedMove};
use crate::exchange::is_sound;
use crate::generation::{OnlyWorthwhile, Scored, Scores, list_captures, list_of_root, list_quiets};
use crate::history::{Context, History};
use crate::outlook::Outlook;
use crate::position::Position;

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
    list: Scores,
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
    /// Some move told is not known to be answered by mate.
    escapes: bool,
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
        self.escapes = false;
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
        let only = OnlyWorthwhile { table, least_gain: outlook.least_gain };
        list_captures(&mut self.list, position, Some(only));
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
        list_of_root(&mut self.list, position, table, wanted, history);
        self.stage = if self.list.is_empty() { Stage::Done } else { Stage::Listed };
        !self.list.is_empty()
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
                    list_captures(&mut self.list, position, None);
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
                    let told = self.quiets_told();
                    list_quiets(&mut self.list, position, order.history, self.only_checks, told);
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

    /// Whether quiet moves that do not give check are left out from now on: never before there is another move that is not
    /// answered by mate. Else a mate would be told that one of those left out prevents.
    #[inline(always)]
    fn is_late(&self) -> bool {
        self.escapes && self.told >= self.outlook.quiet_limit
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

    /// The quiet moves told before quiet moves are generated: the table's and killers.
    fn quiets_told(&self) -> [PackedMove; 4] {
        let killer = |number: usize| match self.killers_told & 1 << number {
            0 => PackedMove::NONE,
            _ => self.killers[number],
        };
        [self.table, killer(0), killer(1), killer(2)]
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

    /// A move is not answered by mate, as far as is known.
    #[inline(always)]
    pub(crate) fn note_escape(&mut self) {
        self.escapes = true;
    }

    /// The table's move has been found to be much better than all others.
    pub(crate) fn note_singular(&mut self) {
        self.singular = true;
    }

    /// A quiet move has refuted: it is learnt, and that those told before it have not.
    pub(crate) fn learn(&self, position: &Position, best: PackedMove, history: &History) {
        let board = position.board();
        let context = Context::of(position);
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

#[cfg(test)]
mod tests {
    use cozy_chess::Piece;

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

    /// How many moves of the start position are told, if those from number `escape` on are not answered by mate.
    fn told_of_start(quiet_limit: u16, escape: usize) -> usize {
        let position = Position::new(Board::startpos());
        let (history, reductions) = (History::new(), [[1; 64]; 64]);
        let order = Order { history: &history, reductions: &reductions };
        let mut moves = Moves::default();
        let outlook = Outlook { quiet_limit, ..Outlook::default() };
        moves.begin(PackedMove::NONE, [PackedMove::NONE; 3], outlook);
        let mut told = 0;
        while moves.next(&position, &order).is_some() {
            if told >= escape {
                moves.note_escape();
            }
            told += 1;
        }
        told
    }

    #[test]
    fn quiet_moves_are_left_out_only_after_one_that_is_not_answered_by_mate() {
        assert_eq!(told_of_start(u16::MAX, 0), 20);
        assert_eq!(told_of_start(0, 0), 1);
        assert_eq!(told_of_start(7, 0), 7);
        assert_eq!(told_of_start(0, 4), 5);
        assert_eq!(told_of_start(7, 9), 10);
        assert_eq!(told_of_start(7, 20), 20);
    }
}
