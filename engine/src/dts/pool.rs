//! Split blocks and the fixed pool they come from (the paper, section 2.4).

use std::sync::Arc;
use std::sync::atomic;

use crossbeam_utils::CachePadded;

use crate::dts::choose::{PlySummary, Remembered, worth_of_joining};
use crate::game::Game;
use crate::network::Network;
use crate::search::Search;
use crate::sync::{AtomicU32, AtomicU64, Mutex, MutexGuard, Ordering};
use crate::tree::{Branch, TreeState};

/// Names a split block for as long as it lives: when the block has gone back to the pool and been taken again, its generation
/// tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Handle {
    pub(crate) index: u32,
    pub(crate) generation: u64,
}

const INDEX_BITS: u32 = 20;
const GENERATION_BITS: u32 = 42;

impl Handle {
    pub(crate) fn pack(self) -> u64 {
        let generation = self.generation & ((1 << GENERATION_BITS) - 1);
        (generation << INDEX_BITS) | u64::from(self.index)
    }

    pub(crate) fn unpack(word: u64) -> Handle {
        Handle { index: (word & ((1 << INDEX_BITS) - 1)) as u32, generation: word >> INDEX_BITS }
    }
}

/// What a split block is at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    /// In the pool.
    Free,
    /// Being searched.
    Live,
    /// Cut off or closed from above: somebody else carries on above it; who is still below only drops out.
    Dead,
}

/// One thing in flight at a split block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strand {
    /// A processor.
    Processor(usize),
    /// A whole deeper split block, whose processors share one branch of this one.
    Block(Handle),
}

/// The state of a split block, under its lock.
#[derive(Debug)]
pub(crate) struct BlockState<G: Game> {
    pub(crate) generation: u64,
    pub(crate) life: Life,
    /// Whether it hangs from what is above it: until then nobody may split above it.
    pub(crate) linked: bool,
    /// A strand has left without handing in its part, because a block above has died: no value of this block counts any more, even if
    /// who is still here has not heard of it yet.
    pub(crate) spoiled: bool,
    /// The longest chain of work that led to the split point, in the simulator's time.
    pub(crate) span: u64,
    /// The longest chain of work that has been handed in.
    pub(crate) longest: u64,
    /// The split block above, of which this one is a strand; none if the branch hangs from the root.
    pub(crate) parent: Option<Handle>,
    /// The block owns the plies from here to `split`; those above are copies.
    pub(crate) first: usize,
    /// The split point.
    pub(crate) split: usize,
    pub(crate) tree: TreeState<G>,
    pub(crate) strands: Vec<Strand>,
    /// Which branch each strand has, in the order of `strands`; none while it is between two branches.
    pub(crate) branches: Vec<Option<Branch<G::Move>>>,
    /// The processor whose ply it was before the split.
    pub(crate) master: usize,
}

impl<G: Game> BlockState<G> {
    /// Sets up a block that has just been taken from the pool: split at ply `split` of `tree`, whose plies from `first` on become its
    /// own. It has no strands yet.
    pub(crate) fn set_up(
        &mut self,
        tree: &TreeState<G>,
        parent: Option<Handle>,
        first: usize,
        split: usize,
        master: usize,
    ) {
        self.life = Life::Live;
        self.parent = parent;
        self.first = first;
        self.split = split;
        self.tree.copy_plies(tree, 0, split);
        self.clear();
        self.master = master;
        // What has been searched below the split point belongs to a branch of it.
        self.span = tree.plies[split].span;
        self.longest = self.span;
    }

    /// Adds a strand, which has `branch`.
    pub(crate) fn add(&mut self, strand: Strand, branch: Option<Branch<G::Move>>) {
        self.strands.push(strand);
        self.branches.push(branch);
    }

    /// Notes which branch a strand goes down.
    pub(crate) fn note_branch(&mut self, strand: Strand, branch: Branch<G::Move>) {
        if let Some(place) = self.place(strand) {
            self.branches[place] = Some(branch);
        }
    }

    /// Replaces one strand by another, which has the same branch.
    pub(crate) fn replace(&mut self, old: Strand, new: Strand) {
        if let Some(place) = self.place(old) {
            self.strands[place] = new;
        }
    }

    /// Takes a strand away.
    pub(crate) fn remove(&mut self, old: Strand) {
        if let Some(place) = self.place(old) {
            self.strands.swap_remove(place);
            self.branches.swap_remove(place);
        }
    }

    /// Takes all strands away.
    pub(crate) fn clear(&mut self) {
        self.strands.clear();
        self.branches.clear();
    }

    fn place(&self, strand: Strand) -> Option<usize> {
        let place = self.strands.iter().position(|&other| other == strand);
        debug_assert!(place.is_some(), "{strand:?} is no strand of this block: {:?}", self.strands);
        place
    }

    /// Whether this is the live block that `handle` names.
    pub(crate) fn is_live(&self, handle: Handle) -> bool {
        self.generation == handle.generation && self.life == Life::Live && !self.spoiled
    }
}

/// A split block.
#[derive(Debug)]
pub(crate) struct Block<G: Game> {
    state: Mutex<BlockState<G>>,
    /// What idle processors see without the lock: the score of joining here (bits of an `f32`, zero if there is nothing to do).
    score: AtomicU32,
    /// Generation of the block that the score is of.
    generation: AtomicU64,
    /// What a split above it was found to be worth since somebody last had the lock.
    pub(crate) above: Remembered,
}

impl<G: Game> Block<G> {
    pub(crate) fn lock(&self) -> MutexGuard<'_, BlockState<G>> {
        let state = self.state.lock();
        self.above.forget();
        state
    }

    /// The lock for who changes nothing.
    pub(crate) fn lock_to_read(&self) -> MutexGuard<'_, BlockState<G>> {
        self.state.lock()
    }

    /// The score of joining, and whom to join, as last published.
    pub(crate) fn offer(&self, index: u32) -> Option<(f32, Handle)> {
        let score = f32::from_bits(self.score.load(Ordering::Acquire));
        let generation = self.generation.load(Ordering::Relaxed);
        (score > 0.0).then_some((score, Handle { index, generation }))
    }

    /// Publishes what joining is worth; called with the lock held.
    pub(crate) fn publish(&self, state: &BlockState<G>, search: &Search<G>, summaries: &mut Vec<PlySummary>) {
        let worth = if state.life == Life::Live { state.worth(search, summaries) } else { 0.0 };
        self.generation.store(state.generation, Ordering::Relaxed);
        self.score.store(worth.to_bits(), Ordering::Release);
    }

    /// Publishes that there is nothing to do here.
    pub(crate) fn withdraw_offer(&self) {
        self.score.store(0, Ordering::Release);
    }
}

impl<G: Game> BlockState<G> {
    /// The score of joining at the split point.
    fn worth(&self, search: &Search<G>, summaries: &mut Vec<PlySummary>) -> f32 {
        if self.tree.moves_left(&search.game, self.split) == 0 {
            return 0.0;
        }
        summaries.clear();
        for ply in self.tree.root..=self.split {
            summaries.push(self.tree.summary(search, ply, ply == self.split));
        }
        worth_of_joining(summaries, &search.judging())
    }
}

/// Blocks to a word of the set of those in use.
const BITS: usize = u64::BITS as usize;

/// All split blocks of a searcher.
#[derive(Debug)]
pub(crate) struct Pool<G: Game> {
    blocks: Box<[CachePadded<Block<G>>]>,
    free: Mutex<Vec<u32>>,
    /// A bit for each block, set while it is not in `free`: who looks for work passes over the others, which are by far the most. No more
    /// than a hint, so that loom need not follow it.
    taken: Box<[atomic::AtomicU64]>,
    /// The way to a block, in a simulation in which it takes time.
    pub(crate) network: Option<Arc<Network>>,
}

impl<G: Game> Pool<G> {
    pub(crate) fn new(count: usize) -> Self {
        assert!(count < 1 << INDEX_BITS, "at most {} split blocks", 1 << INDEX_BITS);
        let block = |_| {
            CachePadded::new(Block {
                state: Mutex::new(BlockState {
                    generation: 0,
                    life: Life::Free,
                    linked: false,
                    spoiled: false,
                    span: 0,
                    longest: 0,
                    parent: None,
                    first: 0,
                    split: 0,
                    tree: TreeState::new(),
                    strands: Vec::new(),
                    branches: Vec::new(),
                    master: 0,
                }),
                score: AtomicU32::new(0),
                generation: AtomicU64::new(0),
                above: Remembered::new(),
            })
        };
        Pool {
            blocks: (0..count).map(block).collect(),
            free: Mutex::new((0..count as u32).rev().collect()),
            taken: (0..count.div_ceil(BITS)).map(|_| atomic::AtomicU64::new(0)).collect(),
            network: None,
        }
    }

    /// The same where the way to a block takes time.
    pub(crate) fn in_network(self, network: Option<Arc<Network>>) -> Self {
        Pool { network, ..self }
    }

    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// A block, which the caller is about to lock.
    pub(crate) fn block(&self, handle: Handle) -> &Block<G> {
        if let Some(network) = &self.network {
            network.have_block(handle.index);
        }
        &self.blocks[handle.index as usize]
    }

    #[cfg(all(test, not(dts_loom)))]
    pub(crate) fn blocks(&self) -> impl Iterator<Item = (u32, &Block<G>)> {
        self.blocks.iter().enumerate().map(|(index, block)| (index as u32, &**block))
    }

    /// The blocks that are in use, in order. Who comes or goes meanwhile may be among them or not.
    pub(crate) fn blocks_in_use(&self) -> impl Iterator<Item = (u32, &Block<G>)> {
        self.taken.iter().enumerate().flat_map(move |(word, bits)| {
            let mut bits = bits.load(Ordering::Acquire);
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
                bits &= bits - 1;
                let index = word * BITS + bit;
                Some((index as u32, &*self.blocks[index]))
            })
        })
    }

    fn bit(&self, index: u32) -> (&atomic::AtomicU64, u64) {
        (&self.taken[index as usize / BITS], 1 << (index as usize % BITS))
    }

    /// Takes a block out of the pool; nobody else sees it until it is linked and published. `None` when all are in use.
    pub(crate) fn take(&self) -> Option<Handle> {
        let index = self.free.lock().pop()?;
        let mut state = self.blocks[index as usize].lock();
        debug_assert_eq!(state.life, Life::Free);
        state.generation += 1;
        state.linked = false;
        state.spoiled = false;
        if let Some(network) = &self.network {
            network.make_block(index);
        }
        let (word, bit) = self.bit(index);
        word.fetch_or(bit, Ordering::AcqRel);
        Some(Handle { index, generation: state.generation })
    }

    /// Gives a block back, once its state has been marked free.
    pub(crate) fn give_back(&self, handle: Handle) {
        self.blocks[handle.index as usize].withdraw_offer();
        let (word, bit) = self.bit(handle.index);
        word.fetch_and(!bit, Ordering::AcqRel);
        self.free.lock().push(handle.index);
    }

    /// How many blocks are not in use.
    pub(crate) fn free_count(&self) -> usize {
        self.free.lock().len()
    }

    /// Frees everything after a search that was stopped; nobody is inside any more.
    pub(crate) fn reset(&self) {
        let mut free = self.free.lock();
        if free.len() == self.blocks.len() {
            return;
        }
        free.clear();
        self.taken.iter().for_each(|word| word.store(0, Ordering::Release));
        for index in (0..self.blocks.len()).rev() {
            let block = &self.blocks[index];
            let mut state = block.lock();
            state.life = Life::Free;
            state.clear();
            block.withdraw_offer();
            free.push(index as u32);
        }
    }
}
