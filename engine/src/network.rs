//! Distances between virtual processors: what the simulator delays and what it charges for, if its cost model has a topology.
//!
//! Only a simulation with a [`Topology`] has a [`Network`]; nobody else pays more than a test whether there is one, a message or a
//! lock. A network changes *when* others hear of something and what that costs, never what is said.
//!
//! - A flag raised for another processor is in its flag word when the latency between the two is over. It is on its way meanwhile and
//!   is delivered before a step of the receiver, whatever he does then; when the search is over, all flags arrive at once.
//! - A request lies in the owner's slot at once, so that nobody else asks him meanwhile, but he sees it only when its SPLIT arrives;
//!   the reply likewise.
//! - Who puts a request into a slot, takes it back, or takes the lock of a split block waits for the way there and back. A block lies
//!   with the processor that took it from the pool. A step that comes back to a block it has had pays once.
//! - Digests, and blocks that are only read in a look for work, are asked for all at once: a look costs the longest way there and back.
//!
//! What is one atomic word (who is busy, what joining a block is worth) is seen by everybody at once, as if it were broadcast.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::sync::Mutex;

/// How far virtual processors are from each other: groups of so many (machines), those of the lowest numbers first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Topology {
    /// Processors in each group, the last one maybe fewer; zero means that all are in one.
    pub group_size: usize,
    /// What a message takes from one processor to another of its group, in nanoseconds of virtual time, of which a node takes 1,000.
    pub inside: u64,
    /// The same between two groups.
    pub between: u64,
}

impl Topology {
    /// The group of a processor.
    #[must_use]
    pub fn group(self, processor: usize) -> usize {
        processor.checked_div(self.group_size).unwrap_or(0)
    }

    /// What a message takes from one processor to another.
    #[must_use]
    pub fn latency(self, from: usize, to: usize) -> u64 {
        if from == to {
            0
        } else if self.group(from) == self.group(to) {
            self.inside
        } else {
            self.between
        }
    }

    /// Whether `processors` are all in one group and have no latency: then it makes no difference.
    fn is_trivial(self, processors: usize) -> bool {
        self.inside == 0 && self.group(processors - 1) == 0
    }
}

/// The way between the processors of a simulation. Its numbers are atomic only because a search can be shared between threads; one
/// thread runs all virtual processors.
#[derive(Debug)]
pub(crate) struct Network {
    topology: Topology,
    /// The virtual time of the step that is being made.
    now: AtomicU64,
    /// Whose step that is.
    current: AtomicUsize,
    /// The search is over: nothing is waited for any more.
    over: AtomicU64,
    /// What the step has waited for, one after the other.
    waited: AtomicU64,
    /// The longest way there and back of what it has asked for all at once.
    read: AtomicU64,
    /// Messages of the step that have gone to another group, and blocks that it has had there.
    abroad: AtomicU64,
    /// The blocks that the step has had.
    had: Mutex<Vec<u32>>,
    /// Who took each block from the pool.
    makers: Box<[AtomicUsize]>,
}

/// What distances have cost a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Toll {
    pub(crate) time: u64,
    /// Messages to other groups, and blocks had there.
    pub(crate) abroad: u64,
}

impl Network {
    /// None if the topology makes no difference.
    pub(crate) fn new(topology: Topology, processors: usize, blocks: usize) -> Option<Arc<Network>> {
        (!topology.is_trivial(processors)).then(|| {
            Arc::new(Network {
                topology,
                now: AtomicU64::new(0),
                current: AtomicUsize::new(0),
                over: AtomicU64::new(0),
                waited: AtomicU64::new(0),
                read: AtomicU64::new(0),
                abroad: AtomicU64::new(0),
                had: Mutex::new(Vec::new()),
                makers: (0..blocks).map(|_| AtomicUsize::new(0)).collect(),
            })
        })
    }

    /// A step of `processor` begins at `now`.
    pub(crate) fn begin_step(&self, processor: usize, now: u64, over: bool) {
        self.current.store(processor, Ordering::Relaxed);
        self.now.store(now, Ordering::Relaxed);
        self.over.store(u64::from(over), Ordering::Relaxed);
        self.had.lock().clear();
    }

    /// What distances have cost the step that ends.
    pub(crate) fn end_step(&self) -> Toll {
        Toll {
            time: self.waited.swap(0, Ordering::Relaxed) + self.read.swap(0, Ordering::Relaxed),
            abroad: self.abroad.swap(0, Ordering::Relaxed),
        }
    }

    fn same_group(&self, one: usize, other: usize) -> bool {
        self.topology.group(one) == self.topology.group(other)
    }

    /// Whether a processor is in another group than who makes this step.
    pub(crate) fn is_abroad(&self, processor: usize) -> bool {
        !self.same_group(self.current(), processor)
    }

    /// Whether a block lies in another group than who makes this step.
    pub(crate) fn is_block_abroad(&self, block: u32) -> bool {
        self.is_abroad(self.maker(block))
    }

    fn current(&self) -> usize {
        self.current.load(Ordering::Relaxed)
    }

    fn maker(&self, block: u32) -> usize {
        self.makers[block as usize].load(Ordering::Relaxed)
    }

    fn there_and_back(&self, to: usize) -> u64 {
        2 * self.topology.latency(self.current(), to)
    }

    fn wait_for(&self, processor: usize) {
        self.waited.fetch_add(self.there_and_back(processor), Ordering::Relaxed);
    }

    fn read_from(&self, processor: usize) {
        self.read.fetch_max(self.there_and_back(processor), Ordering::Relaxed);
    }

    /// Who makes this step takes a block from the pool: from now on it lies with him.
    pub(crate) fn make_block(&self, block: u32) {
        self.makers[block as usize].store(self.current(), Ordering::Relaxed);
    }

    /// Who makes this step takes the lock of a block.
    pub(crate) fn have_block(&self, block: u32) {
        let mut had = self.had.lock();
        if !had.contains(&block) {
            had.push(block);
            let maker = self.maker(block);
            self.abroad.fetch_add(u64::from(self.is_abroad(maker)), Ordering::Relaxed);
            self.wait_for(maker);
        }
    }

    /// Who makes this step looks at a block.
    pub(crate) fn read_block(&self, block: u32) {
        self.read_from(self.maker(block));
    }

    /// A message of who makes this step: when it is there.
    fn send(&self, to: usize) -> u64 {
        let from = self.current();
        if !self.same_group(from, to) {
            self.abroad.fetch_add(1, Ordering::Relaxed);
        }
        self.now.load(Ordering::Relaxed) + self.topology.latency(from, to)
    }

    fn has_come(&self, due: u64) -> bool {
        due <= self.now.load(Ordering::Relaxed) || self.over.load(Ordering::Relaxed) != 0
    }
}

/// The end of the network at one processor's mailbox.
#[derive(Debug)]
pub(crate) struct Line {
    network: Arc<Network>,
    processor: usize,
    /// Flags on their way, and when they are there.
    coming: Mutex<Vec<(u64, u32)>>,
    request_due: AtomicU64,
    reply_due: AtomicU64,
}

impl Line {
    pub(crate) fn new(network: Arc<Network>, processor: usize) -> Self {
        Line {
            network,
            processor,
            coming: Mutex::new(Vec::new()),
            request_due: AtomicU64::new(0),
            reply_due: AtomicU64::new(0),
        }
    }

    /// Before a search.
    pub(crate) fn reset(&self) {
        self.coming.lock().clear();
        self.request_due.store(0, Ordering::Relaxed);
        self.reply_due.store(0, Ordering::Relaxed);
    }

    /// Sends a flag; false if it need not be sent, because it is there at once.
    pub(crate) fn send_flag(&self, flag: u32) -> bool {
        let due = self.network.send(self.processor);
        if self.network.has_come(due) {
            return false;
        }
        let mut coming = self.coming.lock();
        match coming.iter_mut().find(|(time, _)| *time == due) {
            Some((_, flags)) => *flags |= flag,
            None => coming.push((due, flag)),
        }
        true
    }

    /// The flags that have come.
    pub(crate) fn arrived(&self) -> u32 {
        let mut all = 0;
        self.coming.lock().retain(|&(due, flags)| {
            let here = self.network.has_come(due);
            if here {
                all |= flags;
            }
            !here
        });
        all
    }

    /// Whether a flag is on its way.
    pub(crate) fn is_coming(&self, flag: u32) -> bool {
        self.coming.lock().iter().any(|&(_, flags)| flags & flag != 0)
    }

    /// Who makes this step has put a request into the slot, or has tried to: he learns which when he could have heard.
    pub(crate) fn ask(&self, done: bool) {
        self.network.wait_for(self.processor);
        let due = self.network.send(self.processor);
        if done {
            self.request_due.store(due, Ordering::Relaxed);
        }
    }

    pub(crate) fn request_has_come(&self) -> bool {
        self.network.has_come(self.request_due.load(Ordering::Relaxed))
    }

    /// Who makes this step takes a request back.
    pub(crate) fn withdraw(&self) {
        self.network.wait_for(self.processor);
    }

    /// Who makes this step replies.
    pub(crate) fn reply(&self) {
        self.reply_due.store(self.network.send(self.processor), Ordering::Relaxed);
    }

    pub(crate) fn reply_has_come(&self) -> bool {
        self.network.has_come(self.reply_due.load(Ordering::Relaxed))
    }

    /// Who makes this step reads the digest.
    pub(crate) fn read(&self) {
        self.network.read_from(self.processor);
    }
}
