//! Batches: the right answers in the order of the questions, whatever the number of processors; errors, stops and limits.

mod common;

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Random, card_values, cards, data, listed, random_deal, random_ending, records, table};
use dts_bridge::{
    Batch, BatchError, BatchOptions, Play, Question, Reply, Seat, Situation, Solver, SolverOptions,
    TrickTable,
};
use dts_engine::{CostModel, Limits, Options, StopReason, Strategy};

fn batch(processors: usize) -> Batch {
    let search = Options { processors, strategy: Strategy::DtsAdaptive, ..Options::default() };
    Batch::new(BatchOptions { search, table_mebibytes: 32 })
}

/// The replies to all questions, which must come in order.
fn replies(batch: &Batch, questions: Vec<Question>) -> Result<Vec<Reply>, BatchError> {
    let mut replies = Vec::new();
    batch.run(questions, &Limits::new(), |solved| {
        assert_eq!(solved.index, replies.len(), "out of order");
        replies.push(solved.reply);
        ControlFlow::Continue(())
    })?;
    Ok(replies)
}

fn tables(text: &str, column: usize, count: usize) -> (Vec<Question>, Vec<TrickTable>) {
    let all: Vec<_> = records(text).into_iter().take(count).collect();
    let question = |record: &Vec<&str>| Question::Table(record[1].parse().expect("a deal"));
    let wanted = |record: &Vec<&str>| TrickTable::new(table(record[column])).expect("tricks");
    (all.iter().map(question).collect(), all.iter().map(wanted).collect())
}

fn check_tables(found: &[Reply], wanted: &[TrickTable]) {
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        assert!(matches!(found, Reply::Table(found) if found == wanted), "{found:?}, wanted\n{wanted}");
    }
}

#[test]
fn tables_are_right_with_any_number_of_processors() {
    let text = data("a_dds_list1000.tsv");
    for (processors, count) in [(1, 4), (2, 9), (3, 1), (8, 1), (4, 6)] {
        let (questions, wanted) = tables(&text, 4, count);
        check_tables(&replies(&batch(processors), questions).expect("no error"), &wanted);
    }
}

#[test]
fn what_is_too_hard_for_one_is_solved_by_all() {
    let text = data("f_hard20.tsv");
    let record = &records(&text)[2];
    let wanted = TrickTable::new(table(record[4])).expect("tricks");
    let question = Question::Table(record[1].parse().expect("a deal"));
    check_tables(&replies(&batch(2), vec![question]).expect("no error"), &[wanted]);
}

#[test]
fn simulated_processors_give_the_same_and_tell_virtual_time() {
    let text = data("a_dds_list1000.tsv");
    let (questions, wanted) = tables(&text, 4, 2);
    let search = Options { processors: 4, simulate: Some(CostModel::default()), ..Options::default() };
    let batch = Batch::new(BatchOptions { search, ..BatchOptions::default() });
    let mut found = Vec::new();
    let mut times = Vec::new();
    batch
        .run(questions, &Limits::new(), |solved| {
            found.push(solved.reply);
            times.push(solved.virtual_time.expect("a virtual time").time);
            ControlFlow::Continue(())
        })
        .expect("no error");
    check_tables(&found, &wanted);
    assert!(times.iter().all(|&time| time > 1_000.0), "{times:?}");
}

#[test]
fn questions_of_all_kinds_may_be_mixed() {
    let leads = data("a_dds_list1000_leads.tsv");
    let lead = &records(&leads)[0];
    let situation = |record: &Vec<&str>| {
        let (strain, leader) = (record[2].parse().expect("a strain"), record[3].parse().expect("a seat"));
        Situation::new(record[1].parse().expect("a deal"), strain, leader, &[]).expect("a position")
    };
    let plays = data("d_plays_60.tsv");
    let play = &records(&plays)[3];
    let leader: Seat = play[3].parse().expect("a seat");
    let of_play = Play {
        deal: play[1].parse().expect("a deal"),
        strain: play[2].parse().expect("a strain"),
        declarer: leader.plus(3),
        cards: cards(play[4]),
    };
    let tables_text = data("a_dds_list1000.tsv");
    let (mut questions, wanted) = tables(&tables_text, 4, 1);
    questions.push(Question::Cards(situation(lead)));
    questions.push(Question::Play(of_play));
    questions.push(Question::Value(situation(lead)));
    for processors in [1, 2, 8] {
        let found = replies(&batch(processors), questions.clone()).expect("no error");
        let [table, Reply::Cards(values), Reply::Play(tricks), Reply::Value(value)] = found.as_slice() else {
            panic!("{found:?}");
        };
        check_tables(std::slice::from_ref(table), &wanted);
        assert_eq!(listed(values), card_values(lead[4]));
        let most = card_values(lead[4]).iter().map(|&(_, tricks)| tricks).max();
        assert_eq!(Some(value.tricks), most);
        let numbers: Vec<u8> = play[7].split(' ').map(|number| number.parse().expect("a number")).collect();
        assert_eq!(*tricks, numbers);
    }
}

fn small(count: usize) -> Vec<Question> {
    let mut random = Random(7);
    (0..count).map(|_| Question::Table(random_deal(&mut random, 3))).collect()
}

#[test]
fn a_wrong_board_ends_the_batch_after_those_before_it() {
    for processors in [1, 2, 5] {
        let mut questions = small(40);
        questions[23] = Question::Table("N:A... K... Q... J.2..".parse().expect("a deal"));
        let mut told = 0;
        let ended = batch(processors).run(questions, &Limits::new(), |_| {
            told += 1;
            ControlFlow::Continue(())
        });
        let error = ended.expect_err("an error");
        assert_eq!((error.index, told), (23, 23));
        assert_eq!(error.to_string(), "board 24: West has 2 cards, not 1: all hands must be equally long");
        assert_eq!(error.stopped(), None);
    }
}

#[test]
fn nothing_is_asked_and_nothing_answered() {
    for processors in [1, 2] {
        assert!(replies(&batch(processors), Vec::new()).expect("no error").is_empty());
    }
}

#[test]
fn questions_are_taken_only_so_many_ahead() {
    let taken = AtomicUsize::new(0);
    let questions = small(2_000).into_iter().inspect(|_| {
        taken.fetch_add(1, Ordering::Relaxed);
    });
    let mut told = 0;
    let ended = batch(2).run(questions, &Limits::new(), |_| {
        told += 1;
        let ahead = taken.load(Ordering::Relaxed) - told;
        assert!(ahead <= 256, "{ahead} ahead");
        if told == 500 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(ended.is_ok());
    assert_eq!(told, 500);
}

#[test]
fn a_stop_says_where_it_stopped() {
    for processors in [1, 2, 4] {
        let limits = Limits::new();
        let mut told = 0;
        let ended = batch(processors).run(small(5_000), &limits, |_| {
            told += 1;
            if told == 30 {
                limits.stop();
            }
            ControlFlow::Continue(())
        });
        let error = ended.expect_err("a stop");
        assert_eq!(error.stopped(), Some(StopReason::Stopped));
        assert_eq!(error.index, told);
        assert!((30..5_000).contains(&told), "{told}");
    }
}

#[test]
fn limits_are_those_of_all_boards_together() {
    let text = data("a_dds_list1000.tsv");
    for processors in [1, 2] {
        let (questions, wanted) = tables(&text, 4, 20);
        let limits = Limits::new().with_nodes(4_000_000);
        let mut found = Vec::new();
        let ended = batch(processors).run(questions, &limits, |solved| {
            found.push(solved.reply);
            ControlFlow::Continue(())
        });
        let error = ended.expect_err("a limit");
        assert_eq!((error.stopped(), error.index), (Some(StopReason::Nodes), found.len()));
        assert!((1..20).contains(&found.len()), "{}", found.len());
        check_tables(&found, &wanted[..found.len()]);
        assert_eq!(limits.nodes(), Some(4_000_000), "the limits are the caller's again");
    }
}

#[test]
fn a_panic_of_the_caller_is_the_callers() {
    let panics = catch_unwind(AssertUnwindSafe(|| {
        let _ = batch(3).run(small(100), &Limits::new(), |solved| {
            assert!(solved.index < 10, "the caller's own");
            ControlFlow::Continue(())
        });
    }));
    let message = *panics.expect_err("a panic").downcast::<&str>().expect("a text");
    assert_eq!(message, "the caller's own");
}

#[test]
fn endings_with_cards_on_the_table_are_solved() {
    let mut random = Random(99);
    let situations: Vec<_> = (0..200).map(|at| random_ending(&mut random, 2 + at % 5)).collect();
    let found =
        replies(&batch(2), situations.iter().cloned().map(Question::Cards).collect()).expect("no error");
    let mut solver = Solver::new(SolverOptions::default()).expect("a solver");
    for (situation, found) in situations.iter().zip(&found) {
        let wanted = solver.solve_cards(situation, &Limits::new()).expect("values");
        assert!(matches!(found, Reply::Cards(found) if found.cards == wanted.cards), "{situation:?}");
        for of in &wanted.cards {
            assert_eq!(situation.equals(of.card), of.equals);
        }
    }
}
