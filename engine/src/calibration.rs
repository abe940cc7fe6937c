//! What handing work over costs on real threads: measured one handover at a time, for the simulator's cost model.

use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use crossbeam_utils::CachePadded;

use crate::control::{Control, Limits};
use crate::dts::choose::SplitPolicy;
use crate::dts::mailbox::{Mailbox, Reply, Request};
use crate::dts::pool::Pool;
use crate::dts::processor::{Activity, Processor};
use crate::game::Game;
use crate::root::{Plan, Root};
use crate::search::Search;
use crate::strategy::Strategy;

/// One handover from a processor to another on a thread of its own, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handover {
    /// A look of the processor without work, which found none.
    pub look: u64,
    /// What its owner did for the split: HELP answered, the request taken, plies copied into the split block.
    pub split: u64,
    /// What the other one did until it had a move to search: the reply taken, plies copied out of the block.
    pub join: u64,
    /// Plies copied by both together.
    pub plies: u64,
}

/// What the owner wants of the other processor.
enum Order<G: Game> {
    /// Look for work some times.
    Look(Arc<Search<G>>),
    /// Join what has been split.
    Join(Arc<Search<G>>),
}

/// Looks a handover, of which the shortest counts. Few enough for calls for HELP not to be all of them.
const LOOKS: u32 = 7;
/// Nodes searched before the splits: so many and up to so many more.
const NODES: [u64; 2] = [50, 500];

/// Searches `position` to `depth` for a moment and hands a branch over to a processor on another thread, up to `rounds` times, each
/// time at another node and another ply. Rounds in which there is nothing to split are left out.
///
/// # Panics
/// If the game panics, or the system gives no thread.
pub fn handovers<G: Game>(
    game: G,
    shared: G::Shared,
    position: &G::Position,
    depth: i32,
    rounds: u64,
) -> Vec<Handover> {
    let (game, shared) = (Arc::new(game), Arc::new(shared));
    let pool = Arc::new(Pool::new(16));
    let mut owner = Processor::new(&*game, 0);
    let (orders, to_do) = mpsc::channel::<Order<G>>();
    let (done, times) = mpsc::channel::<Option<u64>>();
    thread::scope(|scope| {
        let other_game = Arc::clone(&game);
        scope.spawn(move || {
            let mut other = Processor::new(&*other_game, 1);
            // Either side ends when the other one is gone.
            for order in to_do {
                let time = match order {
                    Order::Look(search) => Some(look(&mut other, &search)),
                    Order::Join(search) => join(&mut other, &search),
                };
                if done.send(time).is_err() {
                    return;
                }
            }
        });
        let ask = |order| {
            orders.send(order).ok()?;
            times.recv().ok()?
        };
        let mut all = Vec::new();
        for round in 0..rounds {
            let mailboxes = (0..2).map(|_| CachePadded::new(Mailbox::new())).collect();
            let search = Arc::new(Search::new(
                (Arc::clone(&game), Arc::clone(&shared)),
                Control::new(mailboxes, Limits::new()),
                Arc::clone(&pool),
                Root::new(&*game, position.clone(), Plan::fixed(depth), Vec::new()),
                Strategy::Dts,
                SplitPolicy::default(),
                None,
            ));
            owner.enter(&search);
            let nodes = NODES[0] + round * 37 % NODES[1];
            while owner.activity == Activity::Searching && owner.visits.nodes < nodes {
                owner.step(&search);
            }
            let Some(request) = splittable(&owner, &search, round) else { continue };
            let look = ask(Order::Look(Arc::clone(&search)));
            search.mailbox(0).ask(request);
            let before = owner.statistics.plies_copied;
            let began = Instant::now();
            owner.attend(&search);
            let split = nanoseconds(began);
            let plies = 2 * (owner.statistics.plies_copied - before);
            if let (Some(look), Some(join)) = (look, ask(Order::Join(Arc::clone(&search)))) {
                all.push(Handover { look, split, join, plies });
            }
            pool.reset();
        }
        drop(orders);
        all
    })
}

fn nanoseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// A request for one of the plies of `owner` that can be split.
fn splittable<G: Game>(owner: &Processor<G>, search: &Search<G>, round: u64) -> Option<Request> {
    if owner.activity != Activity::Searching {
        return None;
    }
    let possible = |&ply: &usize| owner.tree.can_be_split(&search.game, ply);
    let plies: Vec<usize> = (owner.base..owner.top).filter(possible).collect();
    let ply = *plies.get(round as usize % plies.len().max(1))?;
    Some(Request { asker: 1, ply, serial: owner.tree.plies[ply].serial })
}

/// The shortest of some looks for work.
fn look<G: Game>(other: &mut Processor<G>, search: &Search<G>) -> u64 {
    other.enter(search);
    let times = (0..LOOKS).map(|_| {
        let began = Instant::now();
        other.look_for_work(search);
        nanoseconds(began)
    });
    times.min().unwrap_or_default()
}

/// Joins the block that has been split for `other`; none if nothing has been.
fn join<G: Game>(other: &mut Processor<G>, search: &Search<G>) -> Option<u64> {
    let began = Instant::now();
    let joined = match search.mailbox(1).take_reply() {
        Reply::Granted(handle) => other.join(search, handle),
        Reply::Pending | Reply::Refused => false,
    };
    joined.then(|| nanoseconds(began))
}

#[cfg(test)]
mod tests {
    use super::handovers;
    use crate::toys::{Scouts, Shape};

    #[test]
    fn work_is_handed_over_at_several_plies() {
        let shape = Shape { depth: 7, widest: 6, ..Shape::random(3) };
        let all = handovers(Scouts::new(shape), None, &shape.root(), 7, 50);
        let plies: std::collections::BTreeSet<u64> = all.iter().map(|handover| handover.plies).collect();
        assert!(all.len() > 5 && plies.len() > 1, "{all:?}");
        assert!(all.iter().all(|handover| handover.split > 0 && handover.join > 0));
    }
}
