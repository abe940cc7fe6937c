//! Chess and Chess960 for the search of [`dts_engine`]: a plain search as it was measured in 1993, a selective one as it is
//! usual today, an evaluation of our own, and perft.
//!
//! The rules of movement are [`cozy_chess`]'s. [`Engine`] is what a program uses: a position with its game, limits, a table that is
//! kept from one search to the next.
//!
//! ```
//! use dts_chess::{Engine, EngineOptions, Question, Score};
//! use dts_engine::Limits;
//!
//! let mut engine = Engine::new(EngineOptions { table_mebibytes: 1, ..EngineOptions::default() })?;
//! engine.set_position("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", &[])?;
//! let found = engine.search(Question::default(), &Limits::new().with_depth(4), |_| {})?;
//! assert_eq!(found.score, Score::Mate(1));
//! assert_eq!(found.best_text().as_deref(), Some("d1d8"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod attempts;
mod chess;
mod choice;
mod draw;
mod engine;
mod entry;
pub mod epd;
mod evaluation;
mod exchange;
mod fen;
mod generation;
mod history;
mod local;
mod mate;
mod memory;
mod mover;
mod moves;
mod notation;
mod outlook;
mod pawns;
pub mod perft;
mod plain;
mod position;
mod profile;
mod quiescence;
mod remembered;
mod score;
mod selective;
mod selective_depth;

pub use cozy_chess::{Board, Move};

pub use chess::Chess;
pub use choice::{Choice, Kind, PackedMove};
pub use engine::{
    Engine, EngineError, EngineOptions, Found, Known, PositionError, Question, RankedLine, SearchProgress,
};
pub use evaluation::{Counts, FEATURES, ROWS, Weight, evaluate, features, weight_of};
pub use exchange::{best_exchange, exchange_value};
pub use fen::{FenError, fen_text, is_chess960, parse_fen};
pub use mate::{MATE, Score, score_for};
pub use memory::ChessMemory;
pub use notation::{MoveError, line_text, move_text, parse_move};
pub use position::Position;
pub use profile::{Profile, UnknownProfile};
