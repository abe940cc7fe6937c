//! loom models of split blocks: the real processors over a tree of a few nodes, under every order of their steps that loom finds
//! within its bound of preemptions. Each names the race it guards.

use std::sync::Arc as StdArc;

use crossbeam_utils::CachePadded;

use crate::control::{Control, Limits};
use crate::dts::choose::SplitPolicy;
use crate::dts::mailbox::{Mailbox, Reply, Request};
use crate::dts::pool::{Handle, Pool};
use crate::dts::processor::{Processor, Step};
use crate::game::{Answer, Game, Memory, Node, Opening};
use crate::root::{Plan, Root};
use crate::search::Search;
use crate::strategy::Strategy;
use crate::sync::AtomicUsize;
use crate::value::{Range, Side, Value};

/// A tree of fixed widths: Max at the root, sides alternate, leaves in order.
#[derive(Debug)]
struct Tiny {
    widths: &'static [u32],
    leaves: &'static [Value],
}

#[derive(Clone, Debug)]
struct Place {
    ply: usize,
    number: usize,
}

#[derive(Clone, Debug, Default)]
struct Next {
    next: u32,
    end: u32,
}

impl Game for Tiny {
    type Position = Place;
    type Move = u32;
    type Source = Next;
    type Proof = ();
    type Shared = ();
    type Local = ();

    fn local(&self, _: usize) {}

    fn side(&self, place: &Place) -> Side {
        if place.ply % 2 == 0 { Side::Max } else { Side::Min }
    }

    fn open(&self, node: &Node<'_, Place>, source: &mut Next, _: &mut Memory<'_, Self>) -> Opening<()> {
        let place = node.position();
        match self.widths.get(place.ply) {
            None => Opening::Answered(Answer::exact(self.leaves[place.number])),
            Some(&width) => {
                *source = Next { next: 0, end: width };
                Opening::Search(Answer::unknown())
            }
        }
    }

    fn select(&self, _: &Place, source: &mut Next) -> Option<u32> {
        (source.next < source.end).then(|| {
            source.next += 1;
            source.next - 1
        })
    }

    fn play(&self, place: &Place, chosen: u32) -> Place {
        Place { ply: place.ply + 1, number: place.number * self.widths[place.ply] as usize + chosen as usize }
    }

    fn moves_left(&self, _: &Place, source: &Next) -> u32 {
        source.end - source.next
    }

    fn grain(&self, _: &Node<'_, Place>) -> bool {
        false
    }

    fn leave(&self, node: &Node<'_, Place>, answer: &Answer<()>, _: Option<u32>, _: &mut Memory<'_, Self>) {
        let (place, value) = (node.position(), self.value(node.position()));
        assert!(answer.range.contains(value), "{place:?}: {value} is not in {:?}", answer.range);
    }
}

impl Tiny {
    /// Plain minimax.
    fn value(&self, place: &Place) -> Value {
        let Some(&width) = self.widths.get(place.ply) else { return self.leaves[place.number] };
        let children = (0..width).map(|chosen| self.value(&self.play(place, chosen)));
        let best = if self.side(place) == Side::Max { children.max() } else { children.min() };
        best.expect("a node has children")
    }
}

fn search(
    widths: &'static [u32],
    leaves: &'static [Value],
    processors: usize,
    blocks: usize,
) -> Search<Tiny> {
    let mailboxes: StdArc<[_]> = (0..processors).map(|_| CachePadded::new(Mailbox::new())).collect();
    let game = Tiny { widths, leaves };
    let root = Root::new(&game, Place { ply: 0, number: 0 }, Plan::fixed(9), Vec::new());
    let own = (StdArc::new(game), StdArc::new(()));
    let control = Control::new(mailboxes, Limits::new());
    let pool = StdArc::new(Pool::new(blocks));
    Search::new(own, control, pool, root, Strategy::Dts, SplitPolicy::default(), None)
}

fn entered(search: &Search<Tiny>, index: usize) -> Processor<Tiny> {
    let mut processor = Processor::new(&*search.game, index);
    processor.enter(search);
    processor
}

/// Steps until the processor is without work, or the search is over.
fn work(search: &Search<Tiny>, processor: &mut Processor<Tiny>) {
    while processor.has_work() {
        if processor.step(search) == Step::Out {
            break;
        }
    }
}

/// Exactly one processor finished the root, with the right value, and no block leaked.
fn judge(search: &Search<Tiny>, value: Value) {
    assert!(search.control.is_finished(), "nobody carried the value to the root");
    let state = search.root.lock().committed.take().expect("a result");
    assert_eq!(state.range, Range::exact(value));
    assert_eq!(search.pool.free_count(), search.pool.len(), "a block leaked");
}

/// Processor 0 at the first leaf below the first child of the root, with a split block at each of `plies`.
fn split_at(search: &Search<Tiny>, plies: &[usize]) -> (Processor<Tiny>, Vec<Handle>) {
    let mut first = entered(search, 0);
    let deepest = plies.iter().copied().max().unwrap_or(0);
    while first.top <= deepest {
        first.step(search);
    }
    let blocks = plies.iter().map(|&ply| first.split(search, ply).expect("a free block")).collect();
    (first, blocks)
}

fn model(check: impl Fn() + Sync + Send + 'static) {
    loom::model(check);
}

/// The last one out against a joiner: either the joiner gets a branch, or he is told that there is none.
#[test]
fn the_last_one_out_and_a_joiner() {
    model(|| {
        let search = loom::sync::Arc::new(search(&[3], &[1, 3, 2], 2, 1));
        let (mut first, blocks) = split_at(&search, &[0]);
        let helper = {
            let search = loom::sync::Arc::clone(&search);
            let block = blocks[0];
            loom::thread::spawn(move || {
                let mut second = entered(&search, 1);
                second.join(&search, block);
                work(&search, &mut second);
            })
        };
        work(&search, &mut first);
        helper.join().expect("no panic");
        judge(&search, 3);
    });
}

/// Two at a Min node below the root: a better bound of one may close what the other searches, and the parent's strand goes to
/// exactly one of them.
#[test]
fn a_cutoff_and_the_other_strand() {
    model(|| {
        // The first child is worth 5; the second is cut off by its first leaf that is below 5.
        let search = loom::sync::Arc::new(search(&[2, 2], &[5, 6, 4, 3], 2, 2));
        let mut first = entered(&search, 0);
        while first.tree.plies[0].tally.counted() == 0 || first.top < 2 {
            first.step(&search);
        }
        let block = first.split(&search, 1).expect("a free block");
        let helper = {
            let search = loom::sync::Arc::clone(&search);
            loom::thread::spawn(move || {
                let mut second = entered(&search, 1);
                second.join(&search, block);
                work(&search, &mut second);
            })
        };
        work(&search, &mut first);
        helper.join().expect("no panic");
        judge(&search, 5);
    });
}

/// A block at the root and one below it: the bound found at the upper closes the lower from above while its strands merge and unsplit.
#[test]
fn closed_from_above_while_the_lower_block_ends() {
    model(|| {
        let search = loom::sync::Arc::new(search(&[2, 2], &[2, 1, 7, 8], 3, 3));
        let (mut first, blocks) = split_at(&search, &[0, 1]);
        let helpers: Vec<_> = [1, 2]
            .into_iter()
            .map(|index| {
                let search = loom::sync::Arc::clone(&search);
                let block = blocks[index - 1];
                loom::thread::spawn(move || {
                    let mut helper = entered(&search, index);
                    helper.join(&search, block);
                    work(&search, &mut helper);
                })
            })
            .collect();
        work(&search, &mut first);
        for helper in helpers {
            helper.join().expect("no panic");
        }
        judge(&search, 7);
    });
}

/// A block dies while two are at work in a block below it. One of them hears of it and leaves; the other, who has not heard yet,
/// must not take the lower block for complete: the branch of the one who left has no answer.
#[test]
fn a_strand_leaves_a_live_block_below_a_dead_one() {
    model(|| {
        // The first child of the root is worth 5. The second is cut off by its second child, which is worth 4; its first child is worth 8,
        // and 7 without its second leaf.
        let search = search(&[2, 2, 2], &[5, 5, 6, 6, 7, 8, 4, 3], 3, 2);
        let search = loom::sync::Arc::new(search);
        let mut first = entered(&search, 0);
        while first.tree.plies[0].tally.counted() == 0 || first.top < 3 {
            first.step(&search);
        }
        let upper = first.split(&search, 1).expect("a free block");
        let lower = first.split(&search, 2).expect("a free block");
        let helpers: Vec<_> = [(1, lower), (2, upper)]
            .into_iter()
            .map(|(index, block)| {
                let mut helper = entered(&search, index);
                assert!(helper.join(&search, block), "there is a move left");
                let search = loom::sync::Arc::clone(&search);
                loom::thread::spawn(move || work(&search, &mut helper))
            })
            .collect();
        work(&search, &mut first);
        for helper in helpers {
            helper.join().expect("no panic");
        }
        judge(&search, 5);
    });
}

/// A split above a block while that block ends: no strand is lost between the two.
#[test]
fn a_split_above_a_block_that_ends() {
    model(|| {
        let search = loom::sync::Arc::new(search(&[2, 2], &[2, 1, 7, 8], 2, 2));
        let (mut first, blocks) = split_at(&search, &[1]);
        let serial = first.tree.plies[0].serial;
        let helper = {
            let search = loom::sync::Arc::clone(&search);
            let block = blocks[0];
            loom::thread::spawn(move || {
                let mut second = entered(&search, 1);
                second.split_above(&search, block, 0, serial);
                work(&search, &mut second);
            })
        };
        work(&search, &mut first);
        helper.join().expect("no panic");
        judge(&search, 7);
    });
}

/// The same with a block above both: for a while it counts a strand too many, which somebody may rely on.
#[test]
fn a_split_between_two_blocks() {
    model(|| {
        let search = loom::sync::Arc::new(search(&[2, 1, 1], &[2, 7], 2, 3));
        let mut first = entered(&search, 0);
        while first.top <= 2 {
            first.step(&search);
        }
        first.split(&search, 0).expect("a free block");
        let lower = first.split(&search, 2).expect("a free block");
        let serial = first.tree.plies[1].serial;
        let helper = {
            let search = loom::sync::Arc::clone(&search);
            loom::thread::spawn(move || {
                let mut second = entered(&search, 1);
                second.split_above(&search, lower, 1, serial);
                work(&search, &mut second);
            })
        };
        work(&search, &mut first);
        helper.join().expect("no panic");
        judge(&search, 7);
    });
}

/// The request slot: the asker gets exactly one answer, or has his request back.
#[test]
fn a_request_is_answered_or_taken_back() {
    model(|| {
        let mailboxes = loom::sync::Arc::new([Mailbox::new(), Mailbox::new()]);
        let request = Request { asker: 1, ply: 2, serial: 3 };
        let owner = {
            let mailboxes = loom::sync::Arc::clone(&mailboxes);
            loom::thread::spawn(move || {
                if mailboxes[0].take_flags() != 0
                    && let Some(request) = mailboxes[0].take_request()
                {
                    mailboxes[request.asker].reply(None);
                }
            })
        };
        assert!(mailboxes[0].ask(request));
        let withdrawn = mailboxes[0].withdraw(request);
        owner.join().expect("no panic");
        let wanted = if withdrawn { Reply::Pending } else { Reply::Refused };
        assert_eq!(mailboxes[1].take_reply(), wanted);
    });
}

/// A flag raised while the word is being taken is seen then or the next time, with what was written before it.
#[test]
fn no_flag_is_lost() {
    model(|| {
        let mailbox = loom::sync::Arc::new((Mailbox::new(), AtomicUsize::new(0)));
        let sender = {
            let mailbox = loom::sync::Arc::clone(&mailbox);
            loom::thread::spawn(move || {
                mailbox.1.store(1, crate::sync::Ordering::Relaxed);
                mailbox.0.raise(crate::dts::mailbox::SHARE);
            })
        };
        mailbox.0.raise(crate::dts::mailbox::HELP);
        let early = mailbox.0.take_flags();
        if early & crate::dts::mailbox::SHARE != 0 {
            assert_eq!(mailbox.1.load(crate::sync::Ordering::Relaxed), 1);
        }
        sender.join().expect("no panic");
        let late = mailbox.0.take_flags();
        assert_eq!((early | late) & 3, 3);
    });
}

/// A split above a block that does not hang from the block above it yet: a strand would be left there for ever.
#[test]
fn a_split_above_a_block_that_is_being_made() {
    model(|| {
        let search = loom::sync::Arc::new(search(&[2, 1, 1], &[2, 7], 2, 3));
        let mut first = entered(&search, 0);
        while first.top <= 2 {
            first.step(&search);
        }
        first.split(&search, 0).expect("a free block");
        let serial = first.tree.plies[1].serial;
        let helper = {
            let search = loom::sync::Arc::clone(&search);
            loom::thread::spawn(move || {
                let mut second = entered(&search, 1);
                second.split_above(&search, Handle { index: 1, generation: 1 }, 1, serial);
                work(&search, &mut second);
            })
        };
        first.split(&search, 2);
        work(&search, &mut first);
        helper.join().expect("no panic");
        judge(&search, 7);
    });
}

/// The same where the block that is being made is itself a split above.
#[test]
fn a_split_above_a_split_above_that_is_being_made() {
    model(|| {
        let search = loom::sync::Arc::new(search(&[2, 1, 1, 1], &[2, 7], 3, 4));
        let mut first = entered(&search, 0);
        while first.top <= 3 {
            first.step(&search);
        }
        first.split(&search, 0).expect("a free block");
        let lower = first.split(&search, 3).expect("a free block");
        let serials = [first.tree.plies[1].serial, first.tree.plies[2].serial];
        let x = {
            let search = loom::sync::Arc::clone(&search);
            loom::thread::spawn(move || {
                let mut second = entered(&search, 1);
                second.split_above(&search, lower, 2, serials[1]);
                work(&search, &mut second);
            })
        };
        let y = {
            let search = loom::sync::Arc::clone(&search);
            loom::thread::spawn(move || {
                let mut third = entered(&search, 2);
                third.split_above(&search, Handle { index: 2, generation: 1 }, 1, serials[0]);
                work(&search, &mut third);
            })
        };
        work(&search, &mut first);
        x.join().expect("no panic");
        y.join().expect("no panic");
        judge(&search, 7);
    });
}
