//! Deals: who holds what.

use std::fmt;

use crate::card::{Card, Seat, Strain, Suit};
use crate::cards::{Cards, touching};
use crate::search::position::Position;

/// Four hands; no card is in two of them. They need not hold all cards, nor equally many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Deal {
    hands: [Cards; 4],
}

/// Why cards are no deal, or no position of the play.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DealError {
    /// One card in two hands.
    #[error("{card} is in two hands, {first} and {second}: each card is wanted once")]
    CardTwice {
        /// The card.
        card: Card,
        /// One hand.
        first: Seat,
        /// The other.
        second: Seat,
    },
    /// Hands with different numbers of cards.
    #[error("{seat} has {count} {}, not {wanted}: all hands must be equally long", many(*.count, "card", "cards"))]
    Uneven {
        /// The hand that stands out.
        seat: Seat,
        /// How many cards it has.
        count: usize,
        /// How many it should have.
        wanted: usize,
    },
    /// No cards at all.
    #[error("the hands hold no cards: 1 to 13 each are wanted")]
    Empty,
    /// Too many cards on the table.
    #[error("{0} cards are on the table: a trick that is not complete has 0 to 3")]
    Table(usize),
    /// A card on the table that is elsewhere as well.
    #[error("{card} was played by {player}, but {holder} holds it: each card is wanted once")]
    PlayedAndHeld {
        /// The card.
        card: Card,
        /// Who played it.
        player: Seat,
        /// Who holds it.
        holder: Seat,
    },
    /// A card on the table twice.
    #[error("{0} is on the table twice: each card is wanted once")]
    PlayedTwice(Card),
    /// A card that its player does not hold.
    #[error("{player} does not hold {card}: a card of the hand that is to play is wanted")]
    NotHeld {
        /// The card.
        card: Card,
        /// Whose turn it is.
        player: Seat,
    },
    /// A card of another suit than the one led, from a hand that could have followed.
    #[error("{player} revokes: {card} was played while {player} holds {led}, of which a card is wanted")]
    Revoke {
        /// The card.
        card: Card,
        /// Who played it.
        player: Seat,
        /// The suit that was led.
        led: Suit,
    },
}

/// One word for one of something, another for several.
pub(crate) fn many<'w>(count: usize, one: &'w str, several: &'w str) -> &'w str {
    if count == 1 { one } else { several }
}

impl Deal {
    /// The deal of these hands, in the order of [`Seat::ALL`].
    ///
    /// # Errors
    /// If a card is in two hands.
    pub fn new(hands: [Cards; 4]) -> Result<Deal, DealError> {
        for (at, second) in Seat::ALL.into_iter().enumerate() {
            for first in Seat::ALL.into_iter().take(at) {
                if let Some(card) = hands[at].common(hands[first as usize]).iter().next() {
                    return Err(DealError::CardTwice { card, first, second });
                }
            }
        }
        Ok(Deal { hands })
    }

    /// A seat's cards.
    #[must_use]
    pub fn hand(&self, seat: Seat) -> Cards {
        self.hands[seat as usize]
    }

    /// Who holds a card.
    #[must_use]
    pub fn holder(&self, card: Card) -> Option<Seat> {
        Seat::ALL.into_iter().find(|&seat| self.hand(seat).contains(card))
    }

    /// How many cards each hand has, if all have equally many.
    ///
    /// # Errors
    /// If they have not, or there are none.
    pub fn tricks(&self) -> Result<usize, DealError> {
        let lengths = Seat::ALL.map(|seat| self.hand(seat).len());
        // The number that most hands have is the one wanted.
        let of = |length: &usize| lengths.iter().filter(|other| *other == length).count();
        let wanted = lengths.iter().copied().max_by_key(|length| (of(length), *length)).unwrap_or(0);
        // A hand of more than 13 cards is the one that is wrong, whatever the others have.
        let too_long = Seat::ALL.into_iter().find(|&seat| self.hand(seat).len() > 13);
        let uneven = || Seat::ALL.into_iter().find(|&seat| self.hand(seat).len() != wanted);
        match too_long.or_else(uneven) {
            Some(seat) => {
                let wanted = if too_long.is_some() { 13 } else { wanted };
                Err(DealError::Uneven { seat, count: self.hand(seat).len(), wanted })
            }
            None if wanted == 0 => Err(DealError::Empty),
            None => Ok(wanted),
        }
    }

    pub(crate) fn words(&self) -> [u64; 4] {
        self.hands.map(Cards::bits)
    }

    fn without(mut self, seat: Seat, card: Card) -> Deal {
        self.hands[seat as usize] = self.hand(seat).without(card);
        self
    }

    /// How many groups of equal cards a seat has.
    pub(crate) fn groups(&self, seat: Seat) -> usize {
        let own = self.hand(seat).bits();
        let others = Seat::ALL.into_iter().filter(|&other| other != seat);
        let others = others.fold(0, |all, other| all | self.hand(other).bits());
        (own & !touching(own, others)).count_ones() as usize
    }

    /// The four hands as people draw them: North above, West and East beside, South below.
    #[must_use]
    pub fn diagram(&self) -> String {
        let lines = |seat: Seat| {
            Suit::ALL.map(|suit| {
                let ranks: String =
                    self.hand(seat).of_suit(suit).iter().map(|card| card.rank().letter()).collect();
                format!("{} {}", suit.letter(), if ranks.is_empty() { "-".to_owned() } else { ranks })
            })
        };
        let mut text = String::new();
        let alone = |text: &mut String, seat| {
            for line in lines(seat) {
                text.push_str(&format!("{:12}{line}\n", ""));
            }
        };
        alone(&mut text, Seat::North);
        for (west, east) in lines(Seat::West).iter().zip(lines(Seat::East)) {
            text.push_str(&format!("{west:24}{east}\n"));
        }
        alone(&mut text, Seat::South);
        text
    }
}

impl fmt::Display for Deal {
    /// As a PBN deal that begins with North.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("N:")?;
        for seat in Seat::ALL {
            if seat != Seat::North {
                f.write_str(" ")?;
            }
            write!(f, "{}", self.hand(seat))?;
        }
        Ok(())
    }
}

/// A position of the play: what is in the hands, what is trump, who leads to the trick and what lies on the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Situation {
    deal: Deal,
    strain: Strain,
    leader: Seat,
    table: Vec<Card>,
}

impl Situation {
    /// A position in which `leader` has led to the trick, or is to lead, and `table` has been played to it, in this order.
    ///
    /// The cards on the table may be missing from the hands or still stand in them: if all hands are equally long, they still
    /// stand in them.
    ///
    /// # Errors
    /// If the hands do not fit together, or a card on the table could not have been played.
    pub fn new(deal: Deal, strain: Strain, leader: Seat, table: &[Card]) -> Result<Situation, DealError> {
        if table.len() > 3 {
            return Err(DealError::Table(table.len()));
        }
        if let Some((at, card)) = table
            .iter()
            .enumerate()
            .find(|&(at, card)| table[..at].contains(card))
            .map(|(at, card)| (at, *card))
        {
            debug_assert!(at > 0);
            return Err(DealError::PlayedTwice(card));
        }
        let lengths = Seat::ALL.map(|seat| deal.hand(seat).len());
        let mut before = deal;
        if lengths.iter().any(|&length| length != lengths[0])
            || table.iter().all(|&card| deal.holder(card).is_none())
        {
            for (at, &card) in table.iter().enumerate() {
                let player = leader.plus(at);
                if let Some(holder) = deal.holder(card) {
                    return Err(DealError::PlayedAndHeld { card, player, holder });
                }
                before.hands[player as usize] = before.hand(player).with(card);
            }
        }
        before.tricks()?;
        let mut situation = Situation { deal: before, strain, leader, table: Vec::new() };
        for &card in table {
            situation = situation.play(card)?;
        }
        Ok(situation)
    }

    /// The cards in hand, without those on the table.
    #[must_use]
    pub fn deal(&self) -> &Deal {
        &self.deal
    }

    /// What is trump.
    #[must_use]
    pub fn strain(&self) -> Strain {
        self.strain
    }

    /// Who leads, or has led, to the trick.
    #[must_use]
    pub fn leader(&self) -> Seat {
        self.leader
    }

    /// The cards on the table, in the order in which they were played.
    #[must_use]
    pub fn table(&self) -> &[Card] {
        &self.table
    }

    /// Who plays next.
    #[must_use]
    pub fn to_play(&self) -> Seat {
        self.leader.plus(self.table.len())
    }

    /// Tricks that are not complete, the one on the table included.
    #[must_use]
    pub fn tricks_left(&self) -> usize {
        self.deal.hand(self.to_play()).len()
    }

    /// The cards that the rules allow.
    #[must_use]
    pub fn legal_cards(&self) -> Cards {
        let hand = self.deal.hand(self.to_play());
        match self.table.first() {
            Some(led) if !hand.of_suit(led.suit()).is_empty() => hand.of_suit(led.suit()),
            _ => hand,
        }
    }

    /// The other cards of the hand to play that are worth as much as `card`, which it holds: no card that is still in play stands
    /// between them.
    #[must_use]
    pub fn equals(&self, card: Card) -> Cards {
        let (position, _) = self.position();
        let own = self.deal.hand(self.to_play()).of_suit(card.suit());
        let lower = Cards::of_bits(touching(position.hand(0), position.others()));
        let mut group = Cards::NONE;
        for other in own.iter() {
            if !lower.contains(other) {
                if group.contains(card) {
                    break;
                }
                group = Cards::NONE;
            }
            group = group.with(other);
        }
        group.without(card)
    }

    /// The position after `card`; after the fourth card of a trick its winner is the next leader.
    ///
    /// # Errors
    /// If the hand to play does not hold the card, or revokes by it.
    pub fn play(mut self, card: Card) -> Result<Situation, DealError> {
        let player = self.to_play();
        if !self.deal.hand(player).contains(card) {
            return Err(DealError::NotHeld { card, player });
        }
        if !self.legal_cards().contains(card) {
            let led = self.table.first().map_or(card.suit(), |led| led.suit());
            return Err(DealError::Revoke { card, player, led });
        }
        self.deal = self.deal.without(player, card);
        self.table.push(card);
        if let [first, rest @ ..] = self.table.as_slice()
            && rest.len() == 3
        {
            let mut best = (0, *first);
            for (at, &card) in rest.iter().enumerate() {
                let follows = card.suit() == best.1.suit() && card < best.1;
                let ruffs = card.suit() != best.1.suit() && Some(card.suit()) == self.strain.suit();
                if follows || ruffs {
                    best = (at + 1, card);
                }
            }
            self.leader = self.leader.plus(best.0);
            self.table.clear();
        }
        Ok(self)
    }

    /// As the search sees it, and the hands as they were before the trick.
    pub(crate) fn position(&self) -> (Position, [u64; 4]) {
        let mut hands = self.deal.words();
        for (at, card) in self.table.iter().enumerate() {
            hands[self.leader.plus(at) as usize] |= card.bit();
        }
        let left = hands[0].count_ones() as u8;
        let start = Position::new(hands, self.leader as u8, self.strain as u8, left);
        (self.table.iter().fold(start, |position, &card| position.play(card)), hands)
    }
}

impl From<&Situation> for Position {
    fn from(situation: &Situation) -> Position {
        situation.position().0
    }
}
