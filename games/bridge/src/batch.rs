//! Many boards at once: what can be asked, what is answered, and in which order.

use std::ops::ControlFlow;

use dts_engine::{Limits, Options, StopReason, VirtualTime};

use crate::batch_run::{self, Counted};
use crate::card::{Card, Seat, Strain};
use crate::deal::{Deal, DealError, Situation};
use crate::solver::{CardValues, Cost, Solution, SolveError, Solver};
use crate::table::TrickTable;

/// What is asked about a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// The tricks of every declarer in every strain.
    Table(Deal),
    /// The value of a position and a best card.
    Value(Situation),
    /// The value of every card that may be played.
    Cards(Situation),
    /// The values along a play.
    Play(Play),
}

/// Cards that were played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Play {
    /// The hands before the first card.
    pub deal: Deal,
    /// What is trump.
    pub strain: Strain,
    /// Who declares; the next seat leads.
    pub declarer: Seat,
    /// The cards in the order in which they were played.
    pub cards: Vec<Card>,
}

/// The answer to a [`Question`].
#[derive(Clone, Debug)]
pub enum Reply {
    /// To [`Question::Table`].
    Table(TrickTable),
    /// To [`Question::Value`].
    Value(Solution),
    /// To [`Question::Cards`].
    Cards(CardValues),
    /// To [`Question::Play`]: the declarer's tricks before the first card and after each.
    Play(Vec<u8>),
}

impl Question {
    /// Whether its cards fit together.
    fn check(&self) -> Result<(), DealError> {
        match self {
            Question::Table(deal) => deal.tricks().map(|_| ()),
            Question::Value(_) | Question::Cards(_) => Ok(()),
            Question::Play(play) => {
                let start = Situation::new(play.deal, play.strain, play.declarer.next(), &[])?;
                play.cards.iter().try_fold(start, |situation, &card| situation.play(card)).map(|_| ())
            }
        }
    }

    /// The parts that can be searched at the same time: strains of a table.
    pub(crate) fn parts(&self) -> usize {
        if let Question::Table(_) = self { Strain::ALL.len() } else { 1 }
    }

    /// Searches a part.
    pub(crate) fn search(
        &self,
        part: usize,
        solver: &mut Solver,
        limits: &Limits,
    ) -> Result<Part, SolveError> {
        Ok(match self {
            Question::Table(deal) => Part::Strain(solver.strain(deal, Strain::ALL[part], limits)?.0),
            Question::Value(situation) => Part::Whole(Reply::Value(solver.solve(situation, limits)?)),
            Question::Cards(situation) => Part::Whole(Reply::Cards(solver.solve_cards(situation, limits)?)),
            Question::Play(Play { deal, strain, declarer, cards }) => {
                Part::Whole(Reply::Play(solver.play(deal, *strain, *declarer, cards, limits)?))
            }
        })
    }

    /// Puts the parts together. All of them are there.
    pub(crate) fn join(parts: Vec<Part>) -> Option<Reply> {
        let mut tricks = [[0; 4]; 5];
        for (strain, part) in parts.into_iter().enumerate() {
            match part {
                Part::Whole(reply) => return Some(reply),
                Part::Strain(of_strain) => *tricks.get_mut(strain)? = of_strain,
            }
        }
        TrickTable::new(tricks).map(Reply::Table)
    }

    /// How hard a part looks, compared with others of its kind: by the cards that are different from each other. At no trump more of the
    /// ranks matter.
    pub(crate) fn hardness(&self, part: usize) -> u32 {
        let (deal, strain) = match self {
            Question::Table(deal) => (deal, Strain::ALL[part]),
            Question::Value(situation) | Question::Cards(situation) => (situation.deal(), situation.strain()),
            Question::Play(play) => (&play.deal, play.strain),
        };
        let groups: usize = Seat::ALL.into_iter().map(|seat| deal.groups(seat)).sum();
        groups as u32 * if strain == Strain::NoTrump { 5 } else { 4 }
    }
}

/// What one search of a question gives.
#[derive(Debug)]
pub(crate) enum Part {
    /// Everything.
    Whole(Reply),
    /// A table's tricks in one strain.
    Strain([u8; 4]),
}

/// How a [`Batch`] is set up.
#[derive(Clone, Debug)]
pub struct BatchOptions {
    /// How the search is done, and by how many processors all boards together. Threads are only bound to cores where all processors search
    /// one board.
    pub search: Options,
    /// The most that all tables of patterns take together, in MiB; at least 1.
    pub table_mebibytes: usize,
}

impl Default for BatchOptions {
    /// One processor and 64 MiB.
    fn default() -> Self {
        BatchOptions { search: Options::default(), table_mebibytes: 64 }
    }
}

/// A board that has been solved.
#[derive(Clone, Debug)]
pub struct Solved {
    /// Its place among the questions, from 0.
    pub index: usize,
    /// The answer.
    pub reply: Reply,
    /// What its searches cost, one after the other.
    pub cost: Cost,
    /// What they took in virtual time, if they were simulated.
    pub virtual_time: Option<VirtualTime>,
}

/// Why a batch ended before all boards were solved.
#[derive(Debug, thiserror::Error)]
#[error("board {}: {error}", index + 1)]
pub struct BatchError {
    /// The first board without an answer, from 0. All boards before it have been told.
    pub index: usize,
    /// What happened.
    #[source]
    pub error: SolveError,
}

impl BatchError {
    /// Why the search was stopped, if that is what happened.
    #[must_use]
    pub fn stopped(&self) -> Option<StopReason> {
        match self.error {
            SolveError::Stopped(reason) => Some(reason),
            _ => None,
        }
    }
}

/// Solves any number of boards with all processors.
///
/// Each processor searches boards of its own, or strains of a table, with a table of patterns of its own: its share of the memory. There is
/// nothing that boards could learn from each other, so a common table would only make them wait. Where boards run out, what
/// turns out to be too hard for one is put aside, and then searched by all processors together, the hardest first. Few boards are
/// searched in this way from the start.
///
/// Questions are taken one by one as they are needed, and only so many ahead: a batch of a million boards takes no more memory than
/// one of a hundred. Answers come in the order of the questions, as soon as they and all before them are known.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use dts_bridge::{Batch, BatchOptions, Question, Reply, Seat, Strain};
/// use dts_engine::{Limits, Options};
///
/// let deals = ["N:AK... QJ... T9... 87...", "N:.AK.. .QJ.. .T9.. .87.."];
/// let questions = deals.iter().map(|deal| deal.parse().map(Question::Table)).collect::<Result<Vec<_>, _>>()?;
///
/// let batch = Batch::new(BatchOptions { search: Options { processors: 2, ..Options::default() }, table_mebibytes: 2 });
/// let mut tricks = Vec::new();
/// batch.run(questions, &Limits::new(), |solved| {
///     if let Reply::Table(table) = solved.reply {
///         tricks.push((solved.index, table.tricks(Strain::Spades, Seat::South), table.tricks(Strain::Hearts, Seat::East)));
///     }
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(tricks, [(0, 2, 0), (1, 2, 0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Batch {
    options: BatchOptions,
}

impl Batch {
    /// A batch with these options. Threads and memory are only taken while it runs.
    #[must_use]
    pub fn new(options: BatchOptions) -> Batch {
        Batch { options }
    }

    /// Solves all questions and tells `each` the answers in their order, until it breaks off. `limits` are those of all boards together.
    /// Returned is what all searches cost; their times are added up, whoever searched.
    ///
    /// Questions are taken, and answers told, on the calling thread.
    ///
    /// # Errors
    /// If the cards of a question do not fit together, or a limit ends the batch, or it is stopped, or a search fails. Everything
    /// before the board that the error names has been told.
    pub fn run(
        &self,
        questions: impl IntoIterator<Item = Question>,
        limits: &Limits,
        each: impl FnMut(Solved) -> ControlFlow<()>,
    ) -> Result<Cost, BatchError> {
        let checked = questions.into_iter().map(|question| question.check().map(|()| question));
        batch_run::run(&self.options, Counted::new(checked), limits, each)
    }
}
