//! The double-dummy solver.

use std::time::Duration;

use dts_engine::{
    Approach, Limits, Options, Plan, Report, SearchError, Searcher, SetupError, Side, StopReason, Value,
    table::TableError,
};

use crate::card::{Card, Partnership, Seat, Strain};
use crate::cards::{Cards, touching};
use crate::deal::{Deal, DealError, Situation};
use crate::search::double_dummy::{DoubleDummy, Shared};
use crate::search::position::{NO_TRUMP, Position};
use crate::table::TrickTable;

/// How a [`Solver`] is set up.
#[derive(Clone, Debug)]
pub struct SolverOptions {
    /// How the search is done, and by how many processors.
    pub search: Options,
    /// The most that the table of patterns takes, in MiB; at least 1.
    pub table_mebibytes: usize,
}

impl Default for SolverOptions {
    /// One processor and 64 MiB.
    fn default() -> Self {
        SolverOptions { search: Options::default(), table_mebibytes: 64 }
    }
}

/// Why there is no solution.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The cards are no position.
    #[error(transparent)]
    Deal(#[from] DealError),
    /// There is no memory for the table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// There are no processors.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The search was stopped before the value was known.
    #[error("the search was stopped before the value was known")]
    Stopped(StopReason),
}

/// What a card is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardValue {
    /// The highest card of a group that is all the same.
    pub card: Card,
    /// The others of the group.
    pub equals: Cards,
    /// The tricks that the side to play takes from now on if it plays one of them, the trick on the table included.
    pub tricks: u8,
}

/// What is known of a position.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The tricks that the side to play takes from now on, the trick on the table included.
    pub tricks: u8,
    /// A best card.
    pub best: Card,
    /// What the search cost.
    pub cost: Cost,
}

/// The values of all cards that may be played.
#[derive(Clone, Debug)]
pub struct CardValues {
    /// By card, each group of equal cards once, from the highest spade to the lowest club.
    pub cards: Vec<CardValue>,
    /// What the search cost.
    pub cost: Cost,
}

/// What searches cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Nodes: cards played in the search.
    pub nodes: u64,
    /// Time that passed.
    pub elapsed: Duration,
}

impl Cost {
    pub(crate) fn add<M>(&mut self, report: &Report<M>) {
        self.nodes += report.nodes;
        self.elapsed += report.elapsed;
    }
}

/// What several searches together may cost. A search's own limits begin anew with every search, so before each of them they are set to
/// what is left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    nodes: Option<u64>,
    time: Option<Duration>,
}

impl Allowance {
    /// What `limits` leave to the first search.
    pub(crate) fn of(limits: &Limits) -> Allowance {
        Allowance { nodes: limits.nodes(), time: limits.time() }
    }

    /// Limits the next search, when so much has been spent.
    pub(crate) fn leave(&self, limits: &Limits, spent: &Cost) {
        limits.set_nodes(self.nodes.map(|nodes| nodes.saturating_sub(spent.nodes)));
        limits.set_time(self.time.map(|time| time.saturating_sub(spent.elapsed)));
    }

    /// What was used up, if anything was.
    pub(crate) fn used_up(&self, spent: &Cost) -> Option<StopReason> {
        if self.time.is_some_and(|time| spent.elapsed >= time) {
            Some(StopReason::Time)
        } else {
            self.nodes.filter(|&nodes| spent.nodes >= nodes).map(|_| StopReason::Nodes)
        }
    }
}

/// The searches of one call: their limits, and what they have cost.
struct Course<'l> {
    limits: &'l Limits,
    allowance: Allowance,
    cost: Cost,
}

impl<'l> Course<'l> {
    fn new(limits: &'l Limits) -> Course<'l> {
        Course { limits, allowance: Allowance::of(limits), cost: Cost::default() }
    }
}

impl Drop for Course<'_> {
    /// The caller's limits are his again.
    fn drop(&mut self) {
        self.allowance.leave(self.limits, &Cost::default());
    }
}

/// Adds a search to those before it: what each processor did, and when, one search after the other.
fn add_report(sum: &mut Option<Report<Card>>, report: Report<Card>) {
    let Some(sum) = sum else {
        *sum = Some(report);
        return;
    };
    for (sum, added) in sum.statistics.iter_mut().zip(&report.statistics) {
        *sum += added;
    }
    let before = sum.elapsed.as_nanos() as u64;
    for (sum, mut added) in sum.traces.iter_mut().zip(report.traces) {
        added.iter_mut().for_each(|event| event.at += before);
        sum.extend(added);
    }
    if let (Some(sum), Some(added)) = (&mut sum.virtual_time, report.virtual_time) {
        *sum += added;
    }
    sum.nodes += report.nodes;
    sum.elapsed += report.elapsed;
    sum.stopped = report.stopped;
    sum.state = report.state;
}

/// A double-dummy solver. It keeps what it has found out about a deal while it is asked about the same deal with the same trumps again: other
/// leaders, later positions of the play.
#[derive(Debug)]
pub struct Solver {
    searcher: Searcher<DoubleDummy>,
    /// The hands and the trumps that the table belongs to.
    hands: [u64; 4],
    strain: Strain,
    /// What North and South were last found to win with these trumps, as a guess.
    guesses: [Option<Value>; 5],
    /// The searches of the last call, as one.
    report: Option<Report<Card>>,
}

/// Subtrees with so few tricks left are never split.
const GRAIN: u8 = 5;
/// More than any trick: with one processor, nothing is split.
const WHOLE: u8 = 14;
/// Any depth: a search goes on to the last trick.
const DEPTH: i32 = 52;

impl Solver {
    /// A solver with an empty table.
    ///
    /// # Errors
    /// If memory or threads cannot be had.
    pub fn new(options: SolverOptions) -> Result<Solver, SolveError> {
        let shared = Shared::of_no_deal(options.table_mebibytes)?;
        let grain =
            if options.search.processors == 1 && options.search.simulate.is_none() { WHOLE } else { GRAIN };
        let searcher = Searcher::new(DoubleDummy::new(grain), shared, options.search)?;
        Ok(Solver { searcher, hands: [0; 4], strain: Strain::NoTrump, guesses: [None; 5], report: None })
    }

    /// Makes the table that of the deal and the trumps that a position belongs to, unless it is already.
    fn prepare(&mut self, hands: &[u64; 4], strain: Strain) {
        let is_part = hands.iter().zip(&self.hands).all(|(now, before)| now & !before == 0);
        if !is_part {
            self.guesses = [None; 5];
        }
        if !is_part || strain != self.strain {
            self.hands = *hands;
            self.strain = strain;
            self.searcher.shared().set_deal(hands);
        }
    }

    /// Searches for the value, and a best card.
    fn search(
        &mut self,
        position: &Position,
        guess: Value,
        course: &mut Course<'_>,
    ) -> Result<(Value, Option<Card>), SolveError> {
        let plan = Plan::fixed(DEPTH).with(Approach::Zero { guess, step: 1 });
        course.allowance.leave(course.limits, &course.cost);
        let report = self.searcher.search(*position, plan, course.limits)?;
        course.cost.add(&report);
        let found = report.state.as_ref().filter(|state| state.range.is_exact());
        let stopped = report.stopped.unwrap_or(StopReason::Stopped);
        let found = found.map(|state| (state.range.lower, state.best)).ok_or(SolveError::Stopped(stopped));
        add_report(&mut self.report, report);
        found
    }

    /// Begins a call: its limits are those of all its searches together.
    fn begin<'l>(&mut self, limits: &'l Limits) -> Course<'l> {
        self.report = None;
        Course::new(limits)
    }

    /// What the searches of the last call did, one after the other as if they were one; none before the first call.
    #[must_use]
    pub fn report(&self) -> Option<&Report<Card>> {
        self.report.as_ref()
    }

    /// The value of a position and a best card.
    ///
    /// # Errors
    /// If the search is stopped or fails.
    pub fn solve(&mut self, situation: &Situation, limits: &Limits) -> Result<Solution, SolveError> {
        let (position, hands) = situation.position();
        self.prepare(&hands, situation.strain());
        let guess = self.guess(&position, situation.strain());
        let mut course = self.begin(limits);
        let (value, best) = self.search(&position, guess, &mut course)?;
        self.remember(&position, situation.strain(), value);
        let forced = situation.legal_cards().iter().next();
        let best = best.or(forced).ok_or(DealError::Empty)?;
        Ok(Solution { tricks: for_side(&position, value), best, cost: course.cost })
    }

    /// The value of every card that may be played.
    ///
    /// # Errors
    /// If the search is stopped or fails.
    pub fn solve_cards(&mut self, situation: &Situation, limits: &Limits) -> Result<CardValues, SolveError> {
        let (position, hands) = situation.position();
        self.prepare(&hands, situation.strain());
        let strain = situation.strain();
        let guess = self.guess(&position, strain);
        let mut course = self.begin(limits);
        let (best_value, best) = self.search(&position, guess, &mut course)?;
        self.remember(&position, strain, best_value);
        let legal = position.legal();
        let lower = touching(position.hand(0), position.others());
        let mut cards = Vec::new();
        for card in Cards::of_bits(legal & !lower).iter() {
            let value = if Some(card) == best {
                best_value
            } else {
                let next = position.play(card);
                if next.left() == 0 {
                    Value::from(next.won())
                } else {
                    self.search(&next, best_value, &mut course)?.0
                }
            };
            let equals = equals_of(&position, card);
            cards.push(CardValue { card, equals, tricks: for_side(&position, value) });
        }
        Ok(CardValues { cards, cost: course.cost })
    }

    /// The tricks that every declarer takes in every strain. The hands may hold fewer than 13 cards, but equally many.
    ///
    /// # Errors
    /// If the hands are not equally long or empty, or the search is stopped or fails.
    pub fn table(&mut self, deal: &Deal, limits: &Limits) -> Result<(TrickTable, Cost), SolveError> {
        deal.tricks()?;
        let mut table = TrickTable::default();
        let mut course = self.begin(limits);
        for strain in Strain::ALL {
            let tricks = self.strain_of(deal, strain, &mut course)?;
            Seat::ALL.into_iter().zip(tricks).for_each(|(seat, tricks)| table.set(strain, seat, tricks));
        }
        Ok((table, course.cost))
    }

    /// The tricks that every declarer takes in one strain, in the order of [`Seat::ALL`].
    ///
    /// # Errors
    /// As for [`Solver::table`].
    pub fn strain(
        &mut self,
        deal: &Deal,
        strain: Strain,
        limits: &Limits,
    ) -> Result<([u8; 4], Cost), SolveError> {
        deal.tricks()?;
        let mut course = self.begin(limits);
        let tricks = self.strain_of(deal, strain, &mut course)?;
        Ok((tricks, course.cost))
    }

    fn strain_of(
        &mut self,
        deal: &Deal,
        strain: Strain,
        course: &mut Course<'_>,
    ) -> Result<[u8; 4], SolveError> {
        let hands = deal.words();
        let left = deal.hand(Seat::North).len() as u8;
        let mut tricks = [0; 4];
        self.prepare(&hands, strain);
        for leader in [Seat::North, Seat::South, Seat::East, Seat::West] {
            let position = Position::new(hands, leader as u8, strain as u8, left);
            let guess = self.guess(&position, strain);
            let (value, _) = self.search(&position, guess, course)?;
            self.remember(&position, strain, value);
            // The declarer sits before the leader.
            let declarer = leader.plus(3);
            tricks[declarer as usize] = match declarer.side() {
                Partnership::NorthSouth => value,
                Partnership::EastWest => Value::from(left) - value,
            } as u8;
        }
        Ok(tricks)
    }

    /// The tricks that `declarer`'s side takes in a play of `cards` from `deal`, before the first card and after each.
    ///
    /// # Errors
    /// If a card could not have been played, or the search is stopped or fails.
    pub fn play(
        &mut self,
        deal: &Deal,
        strain: Strain,
        declarer: Seat,
        cards: &[Card],
        limits: &Limits,
    ) -> Result<Vec<u8>, SolveError> {
        let mut situation = Situation::new(*deal, strain, declarer.next(), &[])?;
        let total = situation.tricks_left() as Value;
        let (mut position, hands) = situation.position();
        // From the end to the beginning the table would be of more use, but a record may be wrong anywhere: read it first.
        let mut positions = vec![position];
        for &card in cards {
            situation = situation.play(card)?;
            position = position.play(card);
            positions.push(position);
        }
        self.prepare(&hands, situation.strain());
        let mut tricks = Vec::new();
        let mut course = self.begin(limits);
        let mut guess = self.guess(&positions[0], strain);
        for position in &positions {
            let value = if position.left() == 0 {
                Value::from(position.won())
            } else {
                self.search(position, guess, &mut course)?.0
            };
            guess = value;
            tricks.push(match declarer.side() {
                Partnership::NorthSouth => value,
                Partnership::EastWest => total - value,
            } as u8);
        }
        Ok(tricks)
    }

    /// What North and South are expected to win.
    fn guess(&self, position: &Position, strain: Strain) -> Value {
        let left = Value::from(position.left());
        match self.guesses[strain as usize] {
            Some(value) => value.clamp(0, left),
            None => first_guess(position),
        }
    }

    fn remember(&mut self, position: &Position, strain: Strain, value: Value) {
        self.guesses[strain as usize] =
            (position.left() as u32 * 4 == position.all().count_ones()).then_some(value);
    }
}

/// A guess from high cards and trump lengths.
fn first_guess(position: &Position) -> Value {
    let left = Value::from(position.left());
    let points = |places: usize| -> i32 {
        (0..4)
            .map(|rank| {
                (4 - rank) * (position.hands[places] & 0x0001_0001_0001_0001 << rank).count_ones() as i32
            })
            .sum()
    };
    let ours = points(0) + points(2);
    let all = ours + points(1) + points(3);
    if all == 0 {
        return left / 2;
    }
    let trump = position.trump();
    let lengths = |seat: u8| i32::from((position.shape >> (trump * 16 + seat * 4)) as u8 & 15);
    let trumps = if trump == NO_TRUMP { 0 } else { lengths(0) + lengths(2) - lengths(1) - lengths(3) };
    // Half of the tricks, more for high cards than their share, and half a trick for each trump more than the other side's.
    let theirs = all - ours;
    let twice = left + left * (ours - theirs) * 11 / (all * 10) + trumps;
    ((twice + 1).div_euclid(2)).clamp(0, left)
}

/// The other cards of the group of which `card` is the highest.
fn equals_of(position: &Position, card: Card) -> Cards {
    let own = Cards::of_bits(position.hand(0)).of_suit(card.suit());
    let lower = Cards::of_bits(touching(position.hand(0), position.others())).of_suit(card.suit());
    own.iter().skip_while(|&other| other <= card).take_while(|&other| lower.contains(other)).collect()
}

/// What North and South win of a position as the side to play counts it.
fn for_side(position: &Position, value: Value) -> u8 {
    match position.side() {
        Side::Max => value as u8,
        Side::Min => (Value::from(position.left()) - value) as u8,
    }
}
