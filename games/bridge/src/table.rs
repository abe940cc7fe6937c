//! The tricks that every declarer takes in every strain.

use std::fmt;

use crate::card::{Seat, Strain};

/// The 20 results of a deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct TrickTable {
    tricks: [[u8; 4]; 5],
}

impl TrickTable {
    /// From the tricks by strain and declarer, in the order of [`Strain::ALL`] and [`Seat::ALL`]. `None` if one of them is more than 13.
    #[must_use]
    pub fn new(tricks: [[u8; 4]; 5]) -> Option<TrickTable> {
        tricks.iter().flatten().all(|&tricks| tricks <= 13).then_some(TrickTable { tricks })
    }

    /// The tricks that `declarer` takes with `strain` as trumps.
    #[must_use]
    pub fn tricks(&self, strain: Strain, declarer: Seat) -> u8 {
        self.tricks[strain as usize][declarer as usize]
    }

    pub(crate) fn set(&mut self, strain: Strain, declarer: Seat, tricks: u8) {
        self.tricks[strain as usize][declarer as usize] = tricks;
    }
}

impl fmt::Display for TrickTable {
    /// A line a declarer, a column a strain.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(" ")?;
        for strain in Strain::ALL {
            write!(f, "{strain:>4}")?;
        }
        for seat in Seat::ALL {
            write!(f, "\n{}", seat.letter())?;
            for strain in Strain::ALL {
                write!(f, "{:4}", self.tricks(strain, seat))?;
            }
        }
        Ok(())
    }
}
