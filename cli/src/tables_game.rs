//! The paper's 24 positions, searched as the game that they are.

use std::collections::HashMap;

use dts_bench::{Failure, Measurement, PAPER_POSITIONS, Subject, Traced, Trial};
use dts_chess::{Engine, EngineOptions, Profile};
use dts_engine::CostModel;

use crate::options::Stop;
use crate::speedup::{Searched, trace_events, traced};
use crate::speedup_chess::search_position;

const POSITIONS: &str = include_str!("../../games/chess/data/dts24_fen.csv");
const DEPTHS: &str = include_str!("../../games/chess/data/dts24-depths.csv");

/// How much work each position is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Effort {
    /// Depths of about 100,000 nodes a position: a minute or two
    Quick,
    /// Depths of about 3 million nodes a position; the paper had about 85 million
    Full,
}

impl Effort {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Effort::Quick => "quick",
            Effort::Full => "full",
        }
    }
}

/// A position of the paper.
#[derive(Clone, Debug)]
struct PaperPosition {
    /// Its number and the move that was played: `17 25...Rg5`.
    name: String,
    /// The moves that lead to it from the start.
    moves: &'static str,
    depth: i32,
}

/// How the game is searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HowSearched {
    pub(crate) profile: Profile,
    pub(crate) effort: Effort,
    /// The table of each search, in MiB.
    pub(crate) hash: usize,
    /// Each position with an empty table and nothing learnt.
    pub(crate) fresh: bool,
    pub(crate) pin: bool,
    pub(crate) simulate: Option<CostModel>,
}

impl HowSearched {
    /// Where the depth stands in a row of the file of depths.
    fn column(&self) -> usize {
        match (self.effort, self.simulate) {
            (Effort::Quick, _) => 2,
            (Effort::Full, Some(_)) => 3,
            // Chosen by what two processors need, where the other is chosen by sixteen.
            (Effort::Full, None) => 4,
        }
    }
}

/// An engine on its way through the game.
#[derive(Debug)]
struct Player {
    engine: Engine,
    repeat: u32,
    /// The position that it has not searched yet.
    next: usize,
}

/// The paper's positions in order. Each strategy at each number of processors, in each repeat, plays a game of its own: what it
/// has found out about one position is there when it searches the next.
pub(crate) struct PaperGame {
    positions: Vec<PaperPosition>,
    how: HowSearched,
    stop: Stop,
    players: HashMap<(String, usize), Player>,
}

impl PaperGame {
    pub(crate) fn new(how: HowSearched, stop: Stop) -> PaperGame {
        let mut positions = Vec::new();
        for line in POSITIONS.lines().skip(1) {
            let columns: Vec<&'static str> = line.split(',').collect();
            let [number, full_move, played] = [columns[0], columns[1], columns[2]];
            positions.push(PaperPosition {
                name: format!("{number} {full_move}...{played}"),
                moves: columns[7],
                depth: depth_of(number, how),
            });
        }
        debug_assert_eq!(positions.len(), PAPER_POSITIONS);
        PaperGame { positions, how, stop, players: HashMap::new() }
    }

    /// The depth of each position.
    pub(crate) fn depths(&self) -> Vec<Option<i32>> {
        self.positions.iter().map(|position| Some(position.depth)).collect()
    }

    fn engine(&self, trial: &Trial<'_>, trace_events: usize) -> Result<Engine, Failure> {
        let HowSearched { profile, hash, pin, simulate, .. } = self.how;
        Ok(Engine::new(EngineOptions {
            profile,
            table_mebibytes: hash,
            threads: trial.processors,
            strategy: trial.strategy.parse()?,
            pin,
            simulate,
            trace_events,
            ..EngineOptions::default()
        })?)
    }

    /// Searches the trial's position, after those before it if nobody is there yet.
    fn search(&self, player: &mut Player, trial: &Trial<'_>) -> Result<Searched, Failure> {
        if player.repeat != trial.repeat || player.next > trial.position {
            player.engine.new_game();
            (player.repeat, player.next) = (trial.repeat, 0);
        }
        if self.how.fresh {
            player.engine.new_game();
            player.next = trial.position;
        }
        // An experiment that is taken up again has these behind it, but the engine must have seen them.
        while player.next < trial.position {
            self.search_next(player)?;
        }
        self.search_next(player)
    }

    fn search_next(&self, player: &mut Player) -> Result<Searched, Failure> {
        let position = &self.positions[player.next];
        let moves: Vec<&str> = position.moves.split(' ').collect();
        player.engine.set_position("startpos", &moves)?;
        // Where a search fails, the game has to begin anew.
        let next = std::mem::replace(&mut player.next, usize::MAX) + 1;
        let limits = self.stop.limits();
        let searched = search_position(&mut player.engine, Some(position.depth), &limits)?;
        player.next = next;
        Ok(searched)
    }
}

/// How deep a position is searched: fixed beforehand, see the example `depths` of `dts-chess`.
fn depth_of(number: &str, how: HowSearched) -> i32 {
    let profile = how.profile.name();
    let rows = DEPTHS.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let row = rows.into_iter().find(|row| row[0] == number && row[1] == profile);
    let depth = row.and_then(|row| row[how.column()].parse().ok());
    depth.expect("the program's own data are whole")
}

impl Subject for PaperGame {
    fn positions(&self) -> Vec<String> {
        self.positions.iter().map(|position| position.name.clone()).collect()
    }

    fn run(&mut self, trial: &Trial<'_>) -> Result<Measurement, Failure> {
        let key = (trial.strategy.to_owned(), trial.processors);
        let mut player = match self.players.remove(&key) {
            Some(player) => player,
            None => Player { engine: self.engine(trial, 0)?, repeat: trial.repeat, next: 0 },
        };
        let (measurement, _) = self.search(&mut player, trial)?;
        self.players.insert(key, player);
        Ok(measurement)
    }

    fn trace(&mut self, trial: &Trial<'_>) -> Result<Option<Traced>, Failure> {
        // All is measured: the memory of the others can go.
        self.players.clear();
        let capacity = trace_events(trial.processors);
        let mut player = Player { engine: self.engine(trial, capacity)?, repeat: trial.repeat, next: 0 };
        let (measurement, traces) = self.search(&mut player, trial)?;
        Ok(Some(traced(measurement, traces, capacity)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(profile: Profile, effort: Effort) -> PaperGame {
        let simulate = Some(CostModel::default());
        let how = HowSearched { profile, effort, hash: 1, fresh: false, pin: false, simulate };
        PaperGame::new(how, Stop::on_interrupt())
    }

    #[test]
    fn every_position_has_a_depth_for_every_profile_and_effort() {
        for profile in Profile::ALL {
            let depths = [Effort::Quick, Effort::Full].map(|effort| game(profile, effort).depths());
            assert_eq!(depths[0].len(), PAPER_POSITIONS);
            assert!(depths[0].iter().zip(&depths[1]).all(|(quick, full)| quick < full), "{depths:?}");
            let how = HowSearched { simulate: None, ..game(profile, Effort::Full).how };
            let two = PaperGame::new(how, Stop::on_interrupt()).depths();
            assert!(depths[0].iter().zip(&two).all(|(quick, two)| quick < two), "{two:?}");
        }
    }

    #[test]
    fn an_experiment_taken_up_again_finds_what_the_first_would_have_found() {
        let trial = |position| Trial { position, strategy: "sequential", processors: 1, repeat: 1, seed: 1 };
        let nodes =
            |game: &mut PaperGame, position| game.run(&trial(position)).expect("it is searched").nodes;
        let mut whole = game(Profile::Modern, Effort::Quick);
        let first: Vec<u64> = (0..3).map(|position| nodes(&mut whole, position)).collect();
        let mut again = game(Profile::Modern, Effort::Quick);
        assert_eq!(nodes(&mut again, 2), first[2]);
        // With nothing carried on it is another search.
        let mut fresh = game(Profile::Modern, Effort::Quick);
        fresh.how.fresh = true;
        assert_ne!(nodes(&mut fresh, 2), first[2]);
        assert_eq!(nodes(&mut fresh, 0), first[0]);
    }
}
