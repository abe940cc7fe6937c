//! The root of a search: iterations, windows, and the values of root moves.
//!
//! Not a loop round the search but a state machine: whichever processor finishes the root hands the answer in under a
//! lock and goes on with the next task.

use crate::game::Game;
use crate::node_type::Expectation;
use crate::ranking::{Ranking, sort};
use crate::value::{HIGHEST, LOWEST, Range, Side, Value, Window};

/// How the value of one position is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approach {
    /// One search with the full window.
    Open,
    /// One search with a window this far to both sides of the value of the iteration before, widened when it fails.
    Aspiration {
        /// Half the width of the first window.
        width: Value,
    },
    /// A row of null windows, each asking "at least this much?", until both bounds meet.
    Zero {
        /// The first question.
        guess: Value,
        /// The distance of possible values: all are `guess` plus a multiple of this.
        step: Value,
    },
}

/// Which root moves get a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// The best one.
    Best,
    /// All of them.
    All,
    /// So many of the best, each with its line.
    Several(usize),
}

/// What a search is to find out.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Depth of the first iteration.
    pub first_depth: i32,
    /// Depth of the last iteration.
    pub last_depth: i32,
    /// From one iteration to the next.
    pub depth_step: i32,
    /// After the iterations, one more of this depth: a search to the end, for which they only prepare.
    pub finally: Option<i32>,
    /// How values are found.
    pub approach: Approach,
    /// Which root moves get one.
    pub values: Values,
}

impl Plan {
    /// One search to `depth` with the full window.
    #[must_use]
    pub fn fixed(depth: i32) -> Plan {
        Plan {
            first_depth: depth,
            last_depth: depth,
            depth_step: 1,
            finally: None,
            approach: Approach::Open,
            values: Values::Best,
        }
    }

    /// Iterations of depth 1, 2, 3 and so on up to `depth`, each with the full window.
    #[must_use]
    pub fn deepening(depth: i32) -> Plan {
        Plan { first_depth: 1, ..Plan::fixed(depth) }
    }

    /// The same with one more iteration of `depth` at the end.
    #[must_use]
    pub fn and_finally(self, depth: i32) -> Plan {
        Plan { finally: Some(depth), ..self }
    }

    /// The same with another way to find values.
    #[must_use]
    pub fn with(self, approach: Approach) -> Plan {
        Plan { approach, ..self }
    }

    /// The same with the values of all root moves.
    #[must_use]
    pub fn with_all_values(self) -> Plan {
        Plan { values: Values::All, ..self }
    }

    /// The same with the best `count` lines. Each line after the first is searched without the moves of those before it.
    #[must_use]
    pub fn with_lines(self, count: usize) -> Plan {
        Plan { values: Values::Several(count), ..self }
    }
}

/// What is known of one root move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootMove<M> {
    /// The move.
    pub chosen: M,
    /// Its value, from Max's side.
    pub range: Range,
    /// The depth that this is of.
    pub depth: i32,
    /// The line that begins with it, as far as it is known.
    pub line: Vec<M>,
}

/// What a search has found out so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootState<M> {
    /// The depth of the iteration that this is of.
    pub depth: i32,
    /// The value of the root, from Max's side; exact once the iteration is complete.
    pub range: Range,
    /// The best move; none if the game is over.
    pub best: Option<M>,
    /// The line, as far as it is known; it begins with the best move.
    pub line: Vec<M>,
    /// With [`Values::All`] every root move, best first as far as they are known. With [`Values::Several`] the lines as far as they are
    /// known, those of this iteration before what is left of the one before; within an iteration best first.
    pub moves: Vec<RootMove<M>>,
}

/// The next thing to search.
#[derive(Clone, Debug)]
pub(crate) struct Task<M> {
    /// The root move that leads to the position to search; the root itself if there is none.
    pub(crate) first: Option<M>,
    /// If the root itself is to be searched: how its moves are drawn.
    pub(crate) draws: RootDraws<M>,
    /// The depth of the root, also if a root move is to be searched.
    pub(crate) depth: i32,
    pub(crate) window: Window,
    pub(crate) expectation: Expectation,
}

/// What is drawn from the root's moves, if not all of them as they come.
#[derive(Clone, Debug)]
pub(crate) struct RootDraws<M> {
    /// These are left out.
    pub(crate) left_out: Vec<M>,
    /// This comes first.
    pub(crate) first: Option<M>,
}

impl<M> RootDraws<M> {
    /// All moves as they come.
    pub(crate) fn all() -> Self {
        RootDraws { left_out: Vec::new(), first: None }
    }
}

/// What came of a task.
pub(crate) struct Finished<'a, M> {
    /// Who moves in the position that was searched.
    pub(crate) side: Side,
    pub(crate) range: Range,
    pub(crate) best: Option<M>,
    pub(crate) line: &'a [M],
}

/// The search for one value: bounds that close in on it.
#[derive(Clone, Debug)]
struct Inquiry {
    range: Range,
    guess: Value,
    width: Value,
    /// The last window, and the side of it on which the value was.
    last: Option<(Window, Expectation)>,
}

impl Inquiry {
    fn new(approach: Approach, before: Option<Value>) -> Self {
        let (guess, width) = match approach {
            Approach::Open => (0, 0),
            Approach::Aspiration { width } => (before.unwrap_or(0), width.max(1)),
            Approach::Zero { guess, step } => {
                (before.map_or(guess, |value| on_lattice(value, guess, step)), 0)
            }
        };
        Inquiry { range: Range::UNKNOWN, guess, width, last: None }
    }

    /// The next window, `None` when the value is known.
    fn next(&mut self, approach: Approach, have_guess: bool) -> Option<(Window, Expectation)> {
        if self.range.is_exact() {
            return None;
        }
        let next = match approach {
            Approach::Open => self.last.is_none().then_some((Window::FULL, Expectation::Exact)),
            Approach::Aspiration { .. } => match self.last {
                None if !have_guess => Some((Window::FULL, Expectation::Exact)),
                None => Some((
                    Window { alpha: self.guess - self.width, beta: self.guess + self.width },
                    Expectation::Exact,
                )),
                Some((_, Expectation::Exact)) => None,
                Some((window, side)) => {
                    self.width = self.width.saturating_mul(4);
                    let wide = self.width > HIGHEST / 64;
                    let window = match side {
                        Expectation::Low => Window {
                            alpha: if wide { LOWEST } else { self.range.upper - self.width },
                            beta: window.beta,
                        },
                        _ => Window {
                            alpha: window.alpha,
                            beta: if wide { HIGHEST } else { self.range.lower + self.width },
                        },
                    };
                    Some((window, Expectation::Exact))
                }
            },
            Approach::Zero { step, .. } => {
                let question = match self.last {
                    None => Some((self.guess, Expectation::High)),
                    Some((_, Expectation::High)) => Some((self.range.lower + step, Expectation::Low)),
                    Some((_, Expectation::Low)) => Some((self.range.upper, Expectation::High)),
                    Some((_, Expectation::Exact)) => None,
                };
                question.map(|(value, expectation)| (Window::zero(value), expectation))
            }
        };
        self.last = next.map(|(window, _)| (window, Expectation::Exact));
        next
    }

    fn hear(&mut self, approach: Approach, range: Range) {
        let Some((window, _)) = self.last else { return };
        let range = match approach {
            Approach::Zero { guess, step } => Range {
                lower: if range.lower == LOWEST { LOWEST } else { -on_lattice(-range.lower, -guess, step) },
                upper: if range.upper == HIGHEST { HIGHEST } else { on_lattice(range.upper, guess, step) },
            },
            _ => range,
        };
        let before = self.range;
        self.range.lower = before.lower.max(range.lower);
        self.range.upper = before.upper.min(range.upper);
        // A memory that also gives what was found with more depth may answer two questions of one iteration differently. Bounds that
        // have crossed would never meet, whatever is asked next: the latest answer counts.
        if self.range.lower > self.range.upper {
            self.range = Range::exact(if before.lower > range.upper { range.upper } else { range.lower });
        }
        let side = if range.lower >= window.beta {
            Expectation::High
        } else if range.upper <= window.alpha {
            Expectation::Low
        } else {
            Expectation::Exact
        };
        self.last = Some((window, side));
    }
}

/// The largest value not above `value` that is `guess` plus a multiple of `step`.
fn on_lattice(value: Value, guess: Value, step: Value) -> Value {
    guess + (value - guess).div_euclid(step.max(1)) * step.max(1)
}

/// The state machine of the root.
#[derive(Debug)]
pub(crate) struct Root<G: Game> {
    pub(crate) position: G::Position,
    side: Side,
    plan: Plan,
    depth: i32,
    moves: Vec<RootMove<G::Move>>,
    /// Which root move is being searched, with [`Values::All`].
    at: usize,
    /// The best lines, with [`Values::Several`].
    ranking: Option<Ranking<G::Move>>,
    inquiry: Inquiry,
    /// The best move of this iteration and its line.
    best: Option<G::Move>,
    line: Vec<G::Move>,
    /// What the best move is worth at least to its mover.
    near: Value,
    pub(crate) committed: Option<RootState<G::Move>>,
    /// The iteration that comes after all others has begun.
    in_last_iteration: bool,
    done: bool,
    /// The depth of the last iteration that was concluded.
    concluded: i32,
}

impl<G: Game> Root<G> {
    /// The same state machine at the beginning of its iteration.
    pub(crate) fn begun_again(&self) -> Self {
        let ranking = self.ranking.as_ref().map(Ranking::begun_again);
        let guess = match (&ranking, self.moves.first()) {
            (Some(ranking), _) => ranking.guess(),
            (None, Some(first)) if self.each_move() => first.range.is_exact().then_some(first.range.lower),
            _ => self.committed.as_ref().map(|state| state.range.lower.max(LOWEST + 1)),
        };
        Root {
            position: self.position.clone(),
            side: self.side,
            plan: self.plan,
            depth: self.depth,
            moves: self.moves.clone(),
            at: 0,
            ranking,
            inquiry: Inquiry::new(self.plan.approach, guess),
            best: None,
            line: Vec::new(),
            near: LOWEST,
            committed: self.committed.clone(),
            in_last_iteration: self.in_last_iteration,
            done: self.done,
            concluded: self.concluded,
        }
    }

    /// Leaves an iteration out, if another one comes after it.
    pub(crate) fn look_ahead(&mut self) {
        let next = self.depth.saturating_add(self.plan.depth_step.max(1));
        if !self.in_last_iteration && next <= self.plan.last_depth {
            self.depth = next;
        }
    }

    /// Whether it has concluded more.
    pub(crate) fn is_further_than(&self, other: &Self) -> bool {
        (self.done, self.concluded) > (other.done, other.concluded)
    }

    /// A search of `position`; `moves` are its moves, if more than the best one is wanted.
    pub(crate) fn new(game: &G, position: G::Position, plan: Plan, moves: Vec<G::Move>) -> Self {
        let (ranking, moves) = match plan.values {
            Values::Several(count) => (Ranking::new(count, moves.len()), Vec::new()),
            _ => (None, moves),
        };
        let moves: Vec<_> = moves
            .into_iter()
            .map(|chosen| RootMove {
                chosen,
                range: Range::UNKNOWN,
                depth: plan.first_depth,
                line: vec![chosen],
            })
            .collect();
        Root {
            side: game.side(&position),
            position,
            plan,
            depth: plan.first_depth,
            moves,
            at: 0,
            ranking,
            inquiry: Inquiry::new(plan.approach, None),
            best: None,
            line: Vec::new(),
            near: LOWEST,
            committed: None,
            in_last_iteration: false,
            done: false,
            concluded: i32::MIN,
        }
    }

    fn each_move(&self) -> bool {
        self.plan.values == Values::All && !self.moves.is_empty()
    }

    /// The next task; `None` when the plan is done or `deepest` is reached.
    pub(crate) fn next(&mut self, deepest: i32) -> Option<Task<G::Move>> {
        loop {
            if self.done {
                return None;
            }
            if self.depth > deepest.max(self.plan.first_depth) {
                self.done = true;
                return None;
            }
            let have_guess = match &self.ranking {
                Some(ranking) => ranking.guess().is_some(),
                None => self.committed.is_some(),
            };
            if let Some((window, expectation)) = self.inquiry.next(self.plan.approach, have_guess) {
                let first = self.each_move().then(|| self.moves[self.at].chosen);
                let draws = match &self.ranking {
                    Some(ranking) => {
                        // In a search that has been begun, the best move so far is the most likely one.
                        RootDraws {
                            left_out: ranking.left_out(),
                            first: self.best.or_else(|| ranking.first()),
                        }
                    }
                    None => RootDraws::all(),
                };
                return Some(Task { first, draws, depth: self.depth, window, expectation });
            }
            self.conclude();
        }
    }

    /// The value asked for is known: on to the next root move or iteration.
    fn conclude(&mut self) {
        self.near = LOWEST;
        if self.each_move() {
            let value = self.inquiry.range;
            let at = self.at;
            self.moves[at].range = value;
            self.moves[at].depth = self.depth;
            self.at += 1;
            if self.at < self.moves.len() {
                let before = self.moves[self.at].range;
                let guess = if before.is_exact() { before.lower } else { value.lower.max(LOWEST + 1) };
                self.inquiry = Inquiry::new(self.plan.approach, Some(guess));
                return;
            }
            sort(&mut self.moves, self.side);
            self.at = 0;
            let best = self.moves[0].clone();
            self.commit(RootState {
                depth: self.depth,
                range: best.range,
                best: Some(best.chosen),
                line: best.line,
                moves: self.moves.clone(),
            });
        }
        if !self.conclude_line() {
            return;
        }
        self.concluded = self.depth;
        let known = self.committed.as_ref().map(|state| state.range.lower.max(LOWEST + 1));
        let next_guess = match &self.ranking {
            Some(ranking) => ranking.guess(),
            None if self.each_move() => Some(self.moves[0].range.lower),
            None => known,
        };
        self.inquiry = Inquiry::new(self.plan.approach, next_guess);
        self.best = None;
        let next = self.depth.saturating_add(self.plan.depth_step.max(1));
        self.depth = match self.plan.finally {
            _ if !self.in_last_iteration && next <= self.plan.last_depth => next,
            Some(depth) if !self.in_last_iteration && self.depth != depth => {
                self.in_last_iteration = true;
                depth
            }
            _ => {
                self.done = true;
                return;
            }
        };
    }

    /// One more line is known, if lines are wanted: on to the next one. True if the iteration is over.
    fn conclude_line(&mut self) -> bool {
        let Some(ranking) = &mut self.ranking else { return true };
        let Some(chosen) = self.best.take() else {
            // The root was answered without a move.
            *ranking = ranking.begun_again();
            let range = self.inquiry.range;
            self.commit(RootState {
                depth: self.depth,
                range,
                best: None,
                line: Vec::new(),
                moves: Vec::new(),
            });
            return true;
        };
        let line = std::mem::take(&mut self.line);
        let is_last = ranking.add(RootMove { chosen, range: self.inquiry.range, depth: self.depth, line });
        let lines = if is_last { ranking.conclude(self.side) } else { ranking.so_far() };
        if !is_last {
            self.inquiry = Inquiry::new(self.plan.approach, ranking.guess());
        }
        let best = &lines[0];
        self.commit(RootState {
            depth: self.depth,
            range: best.range,
            best: Some(best.chosen),
            line: best.line.clone(),
            moves: lines,
        });
        is_last
    }

    fn commit(&mut self, state: RootState<G::Move>) {
        self.committed = Some(state);
    }

    /// Hears what came of the last task.
    pub(crate) fn hear(&mut self, finished: &Finished<'_, G::Move>) {
        self.inquiry.hear(self.plan.approach, finished.range);
        // Only a move that is worth as much as the best one known may take its place: in a search that fails, the best move
        // is merely the one about which most is known.
        let near = match finished.side {
            Side::Max => finished.range.lower,
            Side::Min => -finished.range.upper,
        };
        let proven = finished.best.is_some() && near >= self.near;
        if proven {
            self.near = near;
        }
        if self.each_move() {
            if proven {
                let root_move = &mut self.moves[self.at];
                root_move.line.truncate(1);
                root_move.line.extend_from_slice(finished.line);
            }
            return;
        }
        if proven {
            self.best = finished.best;
            self.line = finished.line.to_vec();
        }
        if self.ranking.is_some() {
            return;
        }
        let range = self.inquiry.range;
        let complete = range.is_exact() || self.plan.approach == Approach::Open;
        if complete || self.best.is_some() || self.committed.is_none() {
            let kept = self.committed.as_ref();
            let best = self.best.or_else(|| kept.and_then(|state| state.best));
            let line = match self.best {
                Some(_) => self.line.clone(),
                None => kept.map(|state| state.line.clone()).unwrap_or_default(),
            };
            self.commit(RootState { depth: self.depth, range, best, line, moves: Vec::new() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks until the value is known; `answer` says what each question finds. The value, and how many questions there were.
    fn ask(approach: Approach, mut answer: impl FnMut(Window) -> Range) -> (Range, u32) {
        let mut inquiry = Inquiry::new(approach, None);
        let mut questions = 0;
        while let Some((window, _)) = inquiry.next(approach, true) {
            inquiry.hear(approach, answer(window));
            questions += 1;
            assert!(questions < 100, "it never ends: {inquiry:?}");
        }
        (inquiry.range, questions)
    }

    /// A search whose value is `value`, and which knows no more than what it is asked.
    fn honest(value: Value) -> impl FnMut(Window) -> Range {
        move |window| {
            if value >= window.beta {
                Range { lower: window.beta, upper: HIGHEST }
            } else if value <= window.alpha {
                Range { lower: LOWEST, upper: window.alpha }
            } else {
                Range::exact(value)
            }
        }
    }

    #[test]
    fn every_approach_finds_the_value() {
        for value in [-9, -1, 1, 3, 15] {
            let zero = Approach::Zero { guess: 1, step: 2 };
            assert_eq!(ask(zero, honest(value)).0, Range::exact(value));
            assert_eq!(ask(Approach::Aspiration { width: 2 }, honest(value)).0, Range::exact(value));
            assert_eq!(ask(Approach::Open, honest(value)), (Range::exact(value), 1));
        }
    }

    #[test]
    fn answers_that_contradict_each_other_end_with_the_latest() {
        // First it is at least 3 and more, then at most -5: a table that knows more each time.
        let zero = Approach::Zero { guess: 1, step: 2 };
        let mut answers =
            [Range { lower: 3, upper: HIGHEST }, Range { lower: LOWEST, upper: -5 }].into_iter();
        assert_eq!(ask(zero, |_| answers.next().expect("two questions")), (Range::exact(-5), 2));
        let mut answers =
            [Range { lower: LOWEST, upper: -5 }, Range { lower: 3, upper: HIGHEST }].into_iter();
        assert_eq!(ask(zero, |_| answers.next().expect("two questions")), (Range::exact(3), 2));
        let aspiration = Approach::Aspiration { width: 2 };
        let mut answers = [Range { lower: 3, upper: HIGHEST }, Range::exact(2)].into_iter();
        assert_eq!(ask(aspiration, |_| answers.next().expect("two questions")), (Range::exact(2), 2));
    }
}
