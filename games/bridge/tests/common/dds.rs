//! The DDS library (Debian's `libdds0`), if it is there.

use std::ffi::c_int;
use std::mem::ManuallyDrop;

use dts_bridge::{Card, Rank, Seat, Situation, Suit};
use libloading::Library;

#[repr(C)]
struct RawDeal {
    trump: c_int,
    first: c_int,
    table_suit: [c_int; 3],
    table_rank: [c_int; 3],
    cards: [[u32; 4]; 4],
}

#[repr(C)]
#[derive(Default)]
struct RawFuture {
    nodes: c_int,
    cards: c_int,
    suit: [c_int; 13],
    rank: [c_int; 13],
    equals: [c_int; 13],
    score: [c_int; 13],
}

#[repr(C)]
struct RawTableDeal {
    cards: [[u32; 4]; 4],
}

#[repr(C)]
#[derive(Default)]
struct RawTable {
    tricks: [[c_int; 4]; 5],
}

type SolveBoard = unsafe extern "C" fn(RawDeal, c_int, c_int, c_int, *mut RawFuture, c_int) -> c_int;
type CalcTable = unsafe extern "C" fn(RawTableDeal, *mut RawTable) -> c_int;
type SetThreads = unsafe extern "C" fn(c_int);

/// The library, used by one thread at a time.
pub(crate) struct Dds {
    // Never unloaded: the library does not survive that.
    library: ManuallyDrop<Library>,
}

fn bit(rank: Rank) -> u32 {
    // 2 is the deuce, 14 the ace.
    let at = Rank::ALL.iter().position(|&of| of == rank).expect("a rank");
    1 << (14 - at)
}

fn holdings(hand: impl Fn(Seat) -> dts_bridge::Cards) -> [[u32; 4]; 4] {
    Seat::ALL
        .map(|seat| Suit::ALL.map(|suit| hand(seat).of_suit(suit).iter().map(|card| bit(card.rank())).sum()))
}

impl Dds {
    /// The library with one thread; none if it is not installed.
    pub(crate) fn load() -> Option<Dds> {
        // SAFETY: the library's initialisers only set up its own memory.
        let library = unsafe { Library::new("libdds.so.0").or_else(|_| Library::new("libdds.so")) }.ok()?;
        // SAFETY: the type is that of the library's header.
        unsafe {
            let set_threads = library.get::<SetThreads>(b"SetMaxThreads\0").ok()?;
            set_threads(1);
        }
        Some(Dds { library: ManuallyDrop::new(library) })
    }

    /// The cards with their tricks for the side to play: one best card, or all (`solutions` 1 or 3); equal cards are all told.
    pub(crate) fn solve(&self, situation: &Situation, solutions: i32) -> Vec<(Card, u8)> {
        let mut raw = RawDeal {
            trump: situation.strain() as c_int,
            first: situation.leader() as c_int,
            table_suit: [0; 3],
            table_rank: [0; 3],
            cards: holdings(|seat| situation.deal().hand(seat)),
        };
        for (at, card) in situation.table().iter().enumerate() {
            raw.table_suit[at] = card.suit() as c_int;
            raw.table_rank[at] = bit(card.rank()).trailing_zeros() as c_int;
        }
        let mut future = RawFuture::default();
        // SAFETY: the types are those of the library's header, and `future` outlives the call.
        let code = unsafe {
            let solve = self.library.get::<SolveBoard>(b"SolveBoard\0").expect("SolveBoard");
            solve(raw, -1, solutions, 1, &mut future, 0)
        };
        assert_eq!(code, 1, "SolveBoard of {situation:?}");
        let mut values = Vec::new();
        for at in 0..future.cards as usize {
            let suit = Suit::ALL[future.suit[at] as usize];
            for rank in Rank::ALL {
                let is_card = bit(rank) == 1 << future.rank[at];
                if is_card || future.equals[at] as u32 & bit(rank) != 0 {
                    values.push((Card::new(suit, rank), future.score[at] as u8));
                }
            }
        }
        values.sort();
        values
    }

    /// The tricks by strain and declarer of a full deal.
    pub(crate) fn table(&self, deal: &dts_bridge::Deal) -> [[u8; 4]; 5] {
        let raw = RawTableDeal { cards: holdings(|seat| deal.hand(seat)) };
        let mut table = RawTable::default();
        // SAFETY: the types are those of the library's header, and `table` outlives the call.
        let code = unsafe {
            let calculate = self.library.get::<CalcTable>(b"CalcDDtable\0").expect("CalcDDtable");
            calculate(raw, &mut table)
        };
        assert_eq!(code, 1, "CalcDDtable of {deal}");
        table.tricks.map(|seats| seats.map(|tricks| tricks as u8))
    }
}

// SAFETY: this is how the C library declares it.
unsafe extern "C" {
    fn _exit(code: c_int) -> !;
}

/// Ends the program at once, as successful. The library (2.9.0) crashes a program that ends in the usual way.
pub(crate) fn leave() -> ! {
    let _ = std::io::Write::flush(&mut std::io::stdout());
    // SAFETY: nothing is left to be done.
    unsafe { _exit(0) }
}
