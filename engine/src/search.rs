//! What all processors of one search see.

use std::sync::Arc;

use crate::alone::BeingSearched;
use crate::control::Control;
use crate::dts::choose::{Judging, SplitPolicy};
use crate::dts::mailbox::Mailbox;
use crate::dts::pool::Pool;
use crate::game::Game;
use crate::root::{Root, RootState};
use crate::strategy::Strategy;
use crate::strategy::learned::Learned;
use crate::sync::{AtomicU32, Mutex};

/// Told what has been found out, each time the root knows more.
pub(crate) type ReportTo<M> = Box<dyn Fn(&Progress<'_, M>) + Send + Sync>;

/// How far a search has come.
#[derive(Debug)]
pub struct Progress<'a, M> {
    /// What is known of the root; none if nothing is yet.
    pub state: Option<&'a RootState<M>>,
    /// Nodes searched so far, within some thousands.
    pub nodes: u64,
    /// Time since the search began.
    pub elapsed: std::time::Duration,
}

/// What all processors of one search see.
pub(crate) struct Search<G: Game> {
    pub(crate) game: Arc<G>,
    pub(crate) shared: Arc<G::Shared>,
    pub(crate) control: Arc<Control>,
    pub(crate) pool: Arc<Pool<G>>,
    pub(crate) root: Mutex<Root<G>>,
    pub(crate) strategy: Strategy,
    pub(crate) policy: SplitPolicy,
    pub(crate) learned: Learned,
    /// Whether the strategy learns: asked at every node.
    pub(crate) learns: bool,
    /// Whether processors split without being asked: asked at every node.
    pub(crate) splits_unasked: bool,
    /// What is being searched, for who searches alone.
    pub(crate) being_searched: BeingSearched,
    /// Whether every processor searches the root for itself: asked at every node.
    pub(crate) is_each_for_itself: bool,
    /// How many processors are without work.
    pub(crate) looking: AtomicU32,
    pub(crate) report_to: Option<ReportTo<G::Move>>,
}

impl<G: Game> Search<G> {
    /// A search by the processors of `control`, all of which are still outside.
    pub(crate) fn new(
        (game, shared): (Arc<G>, Arc<G::Shared>),
        control: Arc<Control>,
        pool: Arc<Pool<G>>,
        root: Root<G>,
        strategy: Strategy,
        policy: SplitPolicy,
        report_to: Option<ReportTo<G::Move>>,
    ) -> Self {
        // One alone need not learn what the others had better do, nor look out for them.
        let processors = control.mailboxes.len();
        let learns = strategy.rules().learns() && processors > 1;
        Search {
            game,
            shared,
            control,
            pool,
            root: Mutex::new(root),
            strategy,
            policy,
            learned: Learned::new(learns),
            learns,
            splits_unasked: strategy.rules().splits_unasked() && processors > 1,
            being_searched: BeingSearched::new(strategy),
            is_each_for_itself: strategy.is_each_for_itself() && processors > 1,
            looking: AtomicU32::new(0),
            report_to,
        }
    }

    /// Tells the caller what the root knows.
    pub(crate) fn tell(&self, root: &Root<G>) {
        if let Some(report_to) = &self.report_to {
            report_to(&Progress {
                state: root.committed.as_ref(),
                nodes: self.control.nodes(),
                elapsed: self.control.elapsed(),
            });
        }
    }

    pub(crate) fn mailbox(&self, processor: usize) -> &Mailbox {
        &self.control.mailboxes[processor]
    }

    /// How split points are judged.
    pub(crate) fn judging(&self) -> Judging<'_> {
        Judging { rules: self.strategy.rules(), policy: &self.policy, learned: &self.learned }
    }

    pub(crate) fn processors(&self) -> usize {
        self.control.mailboxes.len()
    }
}
