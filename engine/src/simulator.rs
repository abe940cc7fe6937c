//! The simulator: virtual processors in virtual time, on one thread.
//!
//! The processors are those that run on threads. The one with the smallest clock goes next; what it does costs what the
//! [`CostModel`] says, and what comes of a node is told to the others only when the node's time is over. The same options give the
//! same run to the last node, on any machine.

use std::any::Any;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::dts::processor::{Part, Processor};
use crate::game::Game;
use crate::network::Topology;
use crate::search::Search;
use crate::statistics::Statistics;
use crate::threads::renew;
use crate::trace::TraceEvent;

/// What things cost, in nanoseconds of virtual time. A node costs a microsecond, so that the other figures are thousandths of a
/// node's time; only ratios matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostModel {
    /// A node, on top of which the game may put more ([`Game::extra_cost`]).
    pub node: u64,
    /// A move taken from its source above the grain.
    pub selected: u64,
    /// A split, the copying not counted.
    pub split: u64,
    /// A ply copied for a split or a join.
    pub ply_copied: u64,
    /// A message, for who sends it and again for who reads it.
    pub message: u64,
    /// How long a split block's lock is held each time. Whoever wants it meanwhile waits.
    pub lock: u64,
    /// A look for work that finds none.
    pub idle_poll: u64,
    /// What a node costs more for each other processor that is at work at the time: they share caches, memory and the machine's clock.
    pub crowding: u64,
    /// How far the processors are from each other.
    pub topology: Topology,
}

impl Default for CostModel {
    fn default() -> Self {
        CostModel {
            node: NODE,
            selected: 0,
            split: 3 * NODE,
            ply_copied: NODE / 10,
            message: NODE,
            lock: NODE / 5,
            idle_poll: NODE / 2,
            crowding: 0,
            topology: Topology::default(),
        }
    }
}

impl std::fmt::Display for CostModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let CostModel { node, selected, split, ply_copied, message, lock, idle_poll, crowding, topology } =
            self;
        write!(
            f,
            "node {node}, selected {selected}, split {split}, ply_copied {ply_copied}, message {message}, lock {lock}, \
             idle_poll {idle_poll}"
        )?;
        // Without these the text is what it was before they were thought of.
        if *crowding != 0 {
            write!(f, ", crowding {crowding}")?;
        }
        if *topology != Topology::default() {
            let Topology { group_size, inside, between } = topology;
            write!(f, ", groups of {group_size}, latency inside {inside}, between {between}")?;
        }
        Ok(())
    }
}

/// Why a text is no cost model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CostError {
    /// Nothing of this name costs anything.
    #[error("`{name}` is nothing that costs; accepted: {}", COSTS.join(", "))]
    Unknown {
        /// What stands there.
        name: String,
    },
    /// What should be a cost is no number.
    #[error("{name}: `{cost}` is no cost; accepted: a whole number from {least} to {MOST}")]
    Number {
        /// What it is the cost of.
        name: &'static str,
        /// What stands there.
        cost: String,
        /// The least it may cost.
        least: u64,
    },
    /// The same name twice.
    #[error("`{0}` is there twice; accepted: one cost a name")]
    Twice(&'static str),
}

/// What costs, in the order in which a model is written.
const COSTS: [&str; 8] =
    ["node", "selected", "split", "ply_copied", "message", "lock", "idle_poll", "crowding"];

/// The most that may be asked for anything: ten thousand node times. Whoever waits for as long looks for work thousands of times.
const MOST: u64 = 10_000_000;

/// The least that a look for work in vain may cost: time has to get on.
const LEAST_IDLE_POLL: u64 = 10;

impl CostModel {
    /// The places of the costs, as [`COSTS`] names them.
    fn places(&mut self) -> [&mut u64; COSTS.len()] {
        let CostModel { node, selected, split, ply_copied, message, lock, idle_poll, crowding, topology: _ } =
            self;
        [node, selected, split, ply_copied, message, lock, idle_poll, crowding]
    }
}

impl std::str::FromStr for CostModel {
    type Err = CostError;

    /// Reads `node 1000, split 3000` and so on, as it is written by `Display`; what is not named costs what it does by default. The topology is
    /// no cost and not read.
    fn from_str(text: &str) -> Result<Self, CostError> {
        let mut costs = CostModel::default();
        let places = costs.places();
        let mut named = [false; COSTS.len()];
        for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            let (name, cost) = entry.split_once(char::is_whitespace).unwrap_or((entry, ""));
            let Some(which) = COSTS.iter().position(|&known| known == name) else {
                return Err(CostError::Unknown { name: name.to_owned() });
            };
            let name = COSTS[which];
            if std::mem::replace(&mut named[which], true) {
                return Err(CostError::Twice(name));
            }
            // A node without cost, or a look for work with next to none, would leave time standing still.
            let least = match name {
                "node" => 1,
                "idle_poll" => LEAST_IDLE_POLL,
                _ => 0,
            };
            let cost = cost.trim();
            *places[which] = cost
                .parse()
                .ok()
                .filter(|number| (least..=MOST).contains(number))
                .ok_or_else(|| CostError::Number { name, cost: cost.to_owned(), least })?;
        }
        Ok(costs)
    }
}

/// A node's time in the cost model's units.
const NODE: u64 = 1_000;

/// What only a simulation can tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VirtualTime {
    /// How long the search took, in node times.
    pub time: f64,
    /// W: the time of all nodes searched, by whomever.
    pub work: f64,
    /// C: the longest chain of nodes each of which had to wait for the one before. Nothing ends sooner, however many processors
    /// there are.
    pub critical_path: f64,
}

impl VirtualTime {
    /// C + W/P: what a greedy schedule of the same work would take at most (Brent, Graham).
    #[must_use]
    pub fn prediction(&self, processors: usize) -> f64 {
        self.critical_path + self.work / processors as f64
    }
}

impl std::ops::AddAssign for VirtualTime {
    /// One search after the other.
    fn add_assign(&mut self, other: VirtualTime) {
        self.time += other.time;
        self.work += other.work;
        self.critical_path += other.critical_path;
    }
}

/// The virtual processors of a searcher.
pub(crate) struct Simulator<G: Game> {
    processors: Vec<Processor<G>>,
}

/// What a run gave.
pub(crate) struct Run {
    pub(crate) elapsed: Duration,
    pub(crate) virtual_time: VirtualTime,
    pub(crate) statistics: Vec<Statistics>,
    pub(crate) traces: Vec<Vec<TraceEvent>>,
}

/// A virtual processor's place in the queue: its clock, then its number.
type Due = Reverse<(u64, usize)>;

/// What the simulation keeps of a processor.
#[derive(Clone, Copy, Debug, Default)]
struct Virtual {
    /// It has searched a node, and what came of it is not delivered yet.
    undelivered: bool,
    /// Without work since then.
    idle_since: Option<u64>,
    /// Looks for work in vain since then.
    polls: u32,
    idle: u64,
}

impl<G: Game> Simulator<G> {
    pub(crate) fn new(game: &G, count: usize) -> Self {
        Simulator { processors: (0..count).map(|index| Processor::new(game, index)).collect() }
    }

    /// The local memory of processor 0.
    pub(crate) fn local(&mut self) -> &mut G::Local {
        &mut self.processors[0].local
    }

    /// Runs a search, whose control keeps virtual time, to its end. `Err` if the game's code panics: which processor it was on, and
    /// the panic.
    pub(crate) fn run(
        &mut self,
        search: &Search<G>,
        costs: &CostModel,
        trace_events: usize,
    ) -> Result<Run, (usize, Box<dyn Any + Send>)> {
        let mut at = 0;
        let outcome = catch_unwind(AssertUnwindSafe(|| self.go(search, costs, trace_events, &mut at)));
        outcome.map_err(|panic| {
            let count = self.processors.len();
            renew(&mut self.processors, || {
                (0..count).map(|index| Processor::new(&*search.game, index)).collect()
            });
            (at, panic)
        })
    }

    fn go(&mut self, search: &Search<G>, costs: &CostModel, trace_events: usize, at: &mut usize) -> Run {
        let count = self.processors.len();
        let longest_pause = LONGEST_PAUSE.max((count / PROCESSORS_A_LOOK) as u32);
        let mut queue: BinaryHeap<Due> = (0..count).map(|index| Reverse((0, index))).collect();
        let mut states = vec![Virtual::default(); count];
        let mut free_at = vec![0_u64; search.pool.len()];
        let network = search.pool.network.as_deref();
        if let Some(network) = network {
            // Of a search that a panic ended.
            network.end_step();
        }
        for (index, processor) in self.processors.iter_mut().enumerate() {
            if let Some(network) = network {
                network.begin_step(index, 0, false);
            }
            processor.trace.begin(trace_events);
            processor.enter(search);
        }
        let mut statistics = vec![Statistics::default(); count];
        let mut traces = vec![Vec::<TraceEvent>::new(); if trace_events > 0 { count } else { 0 }];
        let (mut end, mut critical_path) = (0, 0);
        let mut work = 0;
        let mut at_work = count as u64;
        while let Some(Reverse((now, index))) = queue.pop() {
            *at = index;
            search.control.set_clock(now);
            if let Some(network) = network {
                network.begin_step(index, now, search.control.is_over());
                search.mailbox(index).receive();
            }
            let processor = &mut self.processors[index];
            let state = &mut states[index];
            let before = processor.bill();
            let part = if state.undelivered {
                state.undelivered = false;
                processor.deliver(search)
            } else {
                processor.search_part(search)
            };
            let spent = processor.bill().since(before);
            let node = costs.node + costs.crowding * at_work.saturating_sub(1);
            let nodes = spent.nodes * node + search.game.extra_cost(&mut processor.local);
            work += nodes;
            processor.span += nodes;
            let mut clock = now
                + nodes
                + spent.selected * costs.selected
                + spent.splits * costs.split
                + spent.plies_copied * costs.ply_copied
                + spent.messages * costs.message;
            if let Some(network) = network {
                let toll = network.end_step();
                clock += toll.time;
                processor.statistics.messages_abroad += toll.abroad;
            }
            if let Some(block) = processor.locked.take() {
                // The lock is had when the one before has given it back.
                let from = free_at[block as usize].max(clock);
                free_at[block as usize] = from + costs.lock;
                clock = from + costs.lock;
            }
            let was_at_work = state.idle_since.is_none();
            match part {
                Part::Searched => {
                    state.undelivered = true;
                    state.end_of_idling(now);
                }
                Part::Ready => state.end_of_idling(now),
                Part::Idle => {
                    state.idle_since.get_or_insert(now);
                    state.polls += 1;
                    // Who searches looks at the clock; but perhaps nobody does.
                    search.control.look_at_the_clock();
                    let longest = if processor.awaits_a_reply() { LONGEST_PAUSE } else { longest_pause };
                    clock += costs.idle_poll * u64::from(state.polls.min(longest));
                }
                Part::Out => {
                    if end == 0 {
                        // The first one out has finished the root, or has seen that there is to be an end.
                        end = clock;
                        critical_path = processor.span;
                    }
                    state.end_of_idling(now.min(end));
                    processor.leave(search);
                    statistics[index] = std::mem::take(&mut processor.statistics);
                    statistics[index].idle = Duration::from_nanos(state.idle);
                    if let Some(place) = traces.get_mut(index) {
                        *place = processor.trace.take();
                    }
                    at_work -= u64::from(was_at_work);
                    continue;
                }
            }
            at_work = at_work + u64::from(state.idle_since.is_none()) - u64::from(was_at_work);
            queue.push(Reverse((clock.max(now + 1), index)));
        }
        let in_nodes = |time: u64| time as f64 / NODE as f64;
        Run {
            elapsed: Duration::from_nanos(end.max(1)),
            virtual_time: VirtualTime {
                time: in_nodes(end),
                work: in_nodes(work),
                critical_path: in_nodes(critical_path),
            },
            statistics,
            traces,
        }
    }
}

/// The longest pause between two looks for work, in looks, of a few processors; of who awaits a reply always.
const LONGEST_PAUSE: u32 = 2;

/// One look longer for so many processors: among a thousand there are always some that have just begun to look, so that work is found
/// as soon, and a simulation need not spend its time on looks in vain.
const PROCESSORS_A_LOOK: usize = 32;

impl Virtual {
    fn end_of_idling(&mut self, now: u64) {
        self.polls = 0;
        if let Some(since) = self.idle_since.take() {
            self.idle += now.saturating_sub(since);
        }
    }
}
