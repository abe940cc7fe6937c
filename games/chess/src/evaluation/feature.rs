//! The features of the evaluation and their places in the table of weights.

/// Gives every row of features its place, one after the other.
macro_rules! rows {
    ($($(#[doc = $about:literal])+ $name:ident: $count:literal;)+) => {
        rows!(@place 0; $($(#[doc = $about])+ $name: $count;)+);

        /// The rows of features: name, first feature, how many there are.
        pub const ROWS: &[(&str, usize, usize)] = &[$((stringify!($name), $name, $count)),+];
    };
    (@place $at:expr; $(#[doc = $about:literal])+ $name:ident: $count:literal; $($rest:tt)*) => {
        $(#[doc = $about])+
        pub(crate) const $name: usize = $at;
        rows!(@place $name + $count; $($rest)*);
    };
    (@place $at:expr;) => {
        /// How many features there are.
        pub const FEATURES: usize = $at;
    };
}

rows! {
    /// Piece (pawn first, king last) on square, squares as their owner sees them, a1 first.
    PLACE: 384;
    /// Pieces, pawn to queen.
    MATERIAL: 5;
    /// Squares a knight can go to.
    MOBILITY_KNIGHT: 9;
    /// Squares a bishop can go to.
    MOBILITY_BISHOP: 14;
    /// Squares a rook can go to.
    MOBILITY_ROOK: 15;
    /// Squares a queen can go to.
    MOBILITY_QUEEN: 28;
    /// Two bishops.
    BISHOP_PAIR: 1;
    /// Own pawns on the colour of a bishop.
    BISHOP_PAWNS: 1;
    /// A rook on a file without pawns.
    ROOK_OPEN: 1;
    /// A rook on a file without own pawns.
    ROOK_HALF_OPEN: 1;
    /// A rook behind an own passed pawn.
    ROOK_BEHIND_PASSED: 1;
    /// A knight that no pawn can drive away, defended by one.
    OUTPOST_KNIGHT: 1;
    /// The same with a bishop.
    OUTPOST_BISHOP: 1;
    /// A minor piece right behind an own pawn.
    MINOR_BEHIND_PAWN: 1;
    /// A pawn behind another of its own on the file.
    PAWN_DOUBLED: 1;
    /// A pawn without own pawns on the files beside it.
    PAWN_ISOLATED: 1;
    /// A pawn that cannot be supported and cannot advance safely.
    PAWN_BACKWARD: 1;
    /// A pawn defended by a pawn, by rank.
    PAWN_SUPPORTED: 8;
    /// A pawn with another beside it, by rank.
    PAWN_PHALANX: 8;
    /// A passed pawn, by rank.
    PASSED: 8;
    /// A passed pawn that is blocked by a piece, by rank.
    PASSED_BLOCKED: 8;
    /// A passed pawn whose next square is not attacked, by rank.
    PASSED_SAFE: 8;
    /// The own king's distance to the square before a passed pawn beyond the middle.
    PASSED_OWN_KING: 8;
    /// The other king's distance to it.
    PASSED_OTHER_KING: 8;
    /// How far ahead of the king the nearest own pawn is (0: none), on his file.
    SHELTER_FILE: 8;
    /// The same on the files beside him.
    SHELTER_BESIDE: 8;
    /// How far ahead of the king the nearest other pawn is (0: none), on his file and those beside.
    STORM: 8;
    /// How dangerous the attack on the other king is.
    DANGER: 32;
    /// A minor piece attacked by a pawn.
    PAWN_HITS_MINOR: 1;
    /// A rook attacked by a pawn.
    PAWN_HITS_ROOK: 1;
    /// A queen attacked by a pawn.
    PAWN_HITS_QUEEN: 1;
    /// A rook attacked by a minor piece.
    MINOR_HITS_ROOK: 1;
    /// A queen attacked by a minor piece.
    MINOR_HITS_QUEEN: 1;
    /// A queen attacked by a rook.
    ROOK_HITS_QUEEN: 1;
    /// A piece that is attacked and not defended.
    HANGING_PIECE: 1;
    /// A pawn that is attacked and not defended.
    HANGING_PAWN: 1;
    /// The move.
    TEMPO: 1;
}
