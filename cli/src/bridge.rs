//! `dts bridge`: what to do with bridge.

use std::process::ExitCode;

use clap::Subcommand;

use crate::bridge_par::{self, ParOptions};
use crate::bridge_play::{self, PlayOptions};
use crate::bridge_solve::{self, SolveOptions};
use crate::bridge_table::{self, TableOptions};

/// What to do with bridge.
#[derive(Debug, Subcommand)]
pub(crate) enum BridgeCommand {
    /// Solves positions of the play: the tricks of every card, double dummy
    Solve(Box<SolveOptions>),
    /// Tells the tricks of every declarer in every strain
    Table(Box<TableOptions>),
    /// Tells par: the score, and the contracts that reach it
    Par(Box<ParOptions>),
    /// Follows records of play: the value after every card, and which cards cost tricks
    Play(Box<PlayOptions>),
}

pub(crate) fn run(command: BridgeCommand) -> anyhow::Result<ExitCode> {
    match command {
        BridgeCommand::Solve(options) => bridge_solve::run(&options),
        BridgeCommand::Table(options) => bridge_table::run(&options),
        BridgeCommand::Par(options) => bridge_par::run(&options),
        BridgeCommand::Play(options) => bridge_play::run(&options),
    }
}
