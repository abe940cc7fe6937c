//! The flag word of a processor and what the flags point at (the paper, sections 2.3 to 2.8).
//!
//! A flag only means "look": the sender writes the state first and sets the flag with release, the receiver swaps the
//! word with acquire and looks.

use crate::dts::choose::{PlySummary, Remembered};
use crate::dts::pool::Handle;
use crate::network::Line;
use crate::sync::{AtomicU32, AtomicU64, Mutex, Ordering};

/// An idle processor asks for the state of the tree.
pub(crate) const HELP: u32 = 1;
/// A bound above has improved: pull it.
pub(crate) const SHARE: u32 = 2;
/// Somebody waits in the request slot for a split.
pub(crate) const SPLIT: u32 = 4;
/// A block above has died: leave, also from the middle of a grain.
pub(crate) const CLOSED: u32 = 8;
/// The search ends.
pub(crate) const STOP: u32 = 16;

/// What a busy processor publishes of its tree state when it is asked for HELP.
#[derive(Debug, Default)]
pub(crate) struct Digest {
    /// The split block in which the processor works.
    pub(crate) home: Option<Handle>,
    /// The plies from the root down, those of split blocks included.
    pub(crate) plies: Vec<PlySummary>,
}

/// A request to split, packed into one word: who asks, at which ply, and the serial number of the node meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) asker: usize,
    pub(crate) ply: usize,
    pub(crate) serial: u64,
}

const SERIAL_BITS: u32 = 40;
const PLY_BITS: u32 = 12;
const NOBODY: u64 = 0;

impl Request {
    fn pack(self) -> u64 {
        let serial = self.serial & ((1 << SERIAL_BITS) - 1);
        ((self.asker as u64 + 1) << (SERIAL_BITS + PLY_BITS)) | ((self.ply as u64) << SERIAL_BITS) | serial
    }

    fn unpack(word: u64) -> Option<Request> {
        (word != NOBODY).then(|| Request {
            asker: (word >> (SERIAL_BITS + PLY_BITS)) as usize - 1,
            ply: (word >> SERIAL_BITS) as usize & ((1 << PLY_BITS) - 1),
            serial: word & ((1 << SERIAL_BITS) - 1),
        })
    }

    /// Whether a node with this serial number is the one meant.
    pub(crate) fn means(self, serial: u64) -> bool {
        self.serial == serial & ((1 << SERIAL_BITS) - 1)
    }

    /// Whether a ply can be named in a request.
    pub(crate) fn can_name(ply: usize) -> bool {
        ply < 1 << PLY_BITS
    }
}

/// What came of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// Nothing yet.
    Pending,
    /// The owner has split: the block to join.
    Granted(Handle),
    /// The owner could not or would not.
    Refused,
}

const PENDING: u64 = 0;
const REFUSED: u64 = 1;

/// What others may write to about one processor.
#[derive(Debug)]
pub(crate) struct Mailbox {
    /// The flag word, tested once a node.
    pub(crate) flags: AtomicU32,
    /// Whether the processor is searching (1) or idle (0).
    pub(crate) busy: AtomicU32,
    request: AtomicU64,
    reply: AtomicU64,
    /// Whether the digest has been published since the last time nothing of it could be used. Beside the lock, so that who looks for
    /// work need not take it for nothing.
    fresh: AtomicU32,
    pub(crate) digest: Mutex<Digest>,
    /// What the digest was found to be worth since it was published.
    pub(crate) worth: Remembered,
    /// The way here, in a simulation in which it takes time.
    line: Option<Box<Line>>,
}

impl Mailbox {
    pub(crate) fn new() -> Self {
        Mailbox {
            flags: AtomicU32::new(0),
            busy: AtomicU32::new(0),
            request: AtomicU64::new(NOBODY),
            reply: AtomicU64::new(PENDING),
            fresh: AtomicU32::new(0),
            digest: Mutex::new(Digest::default()),
            worth: Remembered::new(),
            line: None,
        }
    }

    /// The same at the end of a way that takes time.
    pub(crate) fn at(self, line: Option<Line>) -> Self {
        Mailbox { line: line.map(Box::new), ..self }
    }

    /// Empties everything before a search.
    pub(crate) fn reset(&self) {
        self.flags.store(0, Ordering::Relaxed);
        self.busy.store(0, Ordering::Relaxed);
        self.request.store(NOBODY, Ordering::Relaxed);
        self.reply.store(PENDING, Ordering::Relaxed);
        self.set_fresh(false);
        if let Some(line) = &self.line {
            line.reset();
        }
    }

    /// Whether the digest may be of use.
    pub(crate) fn is_fresh(&self) -> bool {
        self.fresh.load(Ordering::Acquire) != 0
    }

    /// Called with the digest's lock held, but before a search.
    pub(crate) fn set_fresh(&self, fresh: bool) {
        self.worth.forget();
        self.fresh.store(u32::from(fresh), Ordering::Release);
    }

    /// Sets a flag, or sends it on its way if that takes time. The end of the search comes from outside: it is there at once.
    pub(crate) fn raise(&self, flag: u32) {
        if let Some(line) = &self.line
            && flag != STOP
            && line.send_flag(flag)
        {
            return;
        }
        self.flags.fetch_or(flag, Ordering::Release);
    }

    /// Sets the flags that have come since the last time.
    pub(crate) fn receive(&self) {
        if let Some(line) = &self.line {
            self.flags.fetch_or(line.arrived(), Ordering::Release);
        }
    }

    /// Whether a flag is set, or will be without anybody's doing.
    pub(crate) fn is_told(&self, flag: u32) -> bool {
        self.flags.load(Ordering::Relaxed) & flag != 0
            || self.line.as_ref().is_some_and(|line| line.is_coming(flag))
    }

    /// Who takes the digest's lock to read it says so, since the way may take time.
    pub(crate) fn read_digest(&self) {
        if let Some(line) = &self.line {
            line.read();
        }
    }

    /// Takes all flags.
    pub(crate) fn take_flags(&self) -> u32 {
        self.flags.swap(0, Ordering::Acquire)
    }

    /// Puts a request into the slot; false if somebody else's is there.
    pub(crate) fn ask(&self, request: Request) -> bool {
        let free = self
            .request
            .compare_exchange(NOBODY, request.pack(), Ordering::AcqRel, Ordering::Relaxed)
            .is_ok();
        if let Some(line) = &self.line {
            line.ask(free);
        }
        if free {
            self.raise(SPLIT);
        }
        free
    }

    /// Takes the request out of the slot.
    pub(crate) fn take_request(&self) -> Option<Request> {
        if self.line.as_ref().is_some_and(|line| !line.request_has_come()) {
            return None;
        }
        Request::unpack(self.request.swap(NOBODY, Ordering::AcqRel))
    }

    /// Takes one's own request back; false if the owner already has it, whose reply is then on its way.
    pub(crate) fn withdraw(&self, request: Request) -> bool {
        if let Some(line) = &self.line {
            line.withdraw();
        }
        self.request.compare_exchange(request.pack(), NOBODY, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Leaves the reply to a request in the asker's mailbox.
    pub(crate) fn reply(&self, granted: Option<Handle>) {
        if let Some(line) = &self.line {
            line.reply();
        }
        let word = granted.map_or(REFUSED, |handle| (handle.pack() << 1) | (1 << 63));
        self.reply.store(word, Ordering::Release);
    }

    /// Takes the reply to one's own request.
    pub(crate) fn take_reply(&self) -> Reply {
        if self.line.as_ref().is_some_and(|line| !line.reply_has_come()) {
            return Reply::Pending;
        }
        match self.reply.swap(PENDING, Ordering::Acquire) {
            PENDING => Reply::Pending,
            REFUSED => Reply::Refused,
            word => Reply::Granted(Handle::unpack((word & !(1 << 63)) >> 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_survives_packing() {
        let request = Request { asker: 1023, ply: 4095, serial: (1 << 40) - 1 };
        assert_eq!(Request::unpack(request.pack()), Some(request));
        assert_eq!(Request::unpack(NOBODY), None);
    }

    #[test]
    fn the_slot_takes_one_request() {
        let mailbox = Mailbox::new();
        let first = Request { asker: 0, ply: 3, serial: 7 };
        let second = Request { asker: 1, ..first };
        assert!(mailbox.ask(first));
        assert!(!mailbox.ask(second));
        assert!(!mailbox.withdraw(second));
        assert_eq!(mailbox.take_request(), Some(first));
        assert!(!mailbox.withdraw(first));
        assert!(mailbox.ask(second));
        assert!(mailbox.withdraw(second));
        assert_eq!(mailbox.take_request(), None);
    }

    #[test]
    fn replies_are_taken_once() {
        let mailbox = Mailbox::new();
        let handle = Handle { index: 5, generation: 9 };
        assert_eq!(mailbox.take_reply(), Reply::Pending);
        mailbox.reply(Some(handle));
        assert_eq!(mailbox.take_reply(), Reply::Granted(handle));
        assert_eq!(mailbox.take_reply(), Reply::Pending);
        mailbox.reply(None);
        assert_eq!(mailbox.take_reply(), Reply::Refused);
    }
}
