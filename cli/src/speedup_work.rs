//! `dts speedup --work`: how deep each position is to be searched, so that all of them take about as long.

use anyhow::bail;
use dts_engine::{Limits, Options, Strategy};

use crate::options::{Stop, Watching};

/// With so many depths in a row that take the same nodes, a position is searched to its end.
const SAME: usize = 4;

/// For each position the least depth that takes one processor at least about `work` nodes. `search` makes one search
/// of a position to a depth and tells its nodes; it need not go on when its limits end it.
///
/// A position that comes to its end before is searched to there, which is said on standard error.
pub(crate) fn depths_for<T>(
    work: u64,
    deepest: i32,
    positions: &[(String, T)],
    stop: &Stop,
    search: impl Fn(&(String, T), i32, Options, &Limits) -> anyhow::Result<u64>,
) -> anyhow::Result<Vec<Option<i32>>> {
    let mut depths = Vec::new();
    for position in positions {
        let name = &position.0;
        let found = least_depth(work, deepest, |depth| {
            let limits = stop.limits();
            // More nodes than these tell nothing more.
            limits.set_nodes(Some(work));
            let _watching = Watching::new(format!("{name}, depth {depth}"), &limits);
            let options = Options { processors: 1, strategy: Strategy::Sequential, ..Options::default() };
            let nodes = search(position, depth, options, &limits)?;
            if stop.is_wanted() {
                bail!("stopped");
            }
            Ok(nodes)
        })?;
        if found.nodes < work {
            eprintln!(
                "dts: {name}: a search of depth {} is one to the end, and takes {} nodes, less than --work {work}",
                found.depth, found.nodes
            );
        }
        depths.push(Some(found.depth));
    }
    Ok(depths)
}

/// Depths as an experiment names them.
pub(crate) fn listed(depths: &[Option<i32>]) -> String {
    depths.iter().flatten().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

#[derive(Debug, PartialEq)]
struct Found {
    depth: i32,
    nodes: u64,
}

fn least_depth(
    work: u64,
    deepest: i32,
    mut nodes_to: impl FnMut(i32) -> anyhow::Result<u64>,
) -> anyhow::Result<Found> {
    let mut found = Found { depth: 1, nodes: nodes_to(1)? };
    let mut same = 0;
    for depth in 2..=deepest {
        if found.nodes >= work || same == SAME {
            break;
        }
        let nodes = nodes_to(depth)?;
        if nodes == found.nodes {
            same += 1;
        } else {
            same = 0;
            found = Found { depth, nodes };
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(work: u64, nodes: impl Fn(i32) -> u64) -> (Found, i32) {
        let mut searches = 0;
        let found = least_depth(work, 20, |depth| {
            searches += 1;
            assert_eq!(depth, searches);
            Ok(nodes(depth))
        });
        (found.expect("no search fails"), searches)
    }

    #[test]
    fn the_least_depth_that_is_enough() {
        let powers = |depth: i32| 3_u64.pow(depth as u32);
        assert_eq!(found(1, powers), (Found { depth: 1, nodes: 3 }, 1));
        assert_eq!(found(27, powers), (Found { depth: 3, nodes: 27 }, 3));
        assert_eq!(found(28, powers), (Found { depth: 4, nodes: 81 }, 4));
    }

    #[test]
    fn a_tree_that_ends_is_searched_to_its_end() {
        let ends = |depth: i32| 10 * depth.min(5) as u64;
        assert_eq!(found(1_000, ends), (Found { depth: 5, nodes: 50 }, 9));
        // A deeper search may take fewer nodes, and is deeper all the same.
        assert_eq!(found(1_000, |depth| 100 - depth as u64), (Found { depth: 20, nodes: 80 }, 20));
    }

    #[test]
    fn depths_are_listed() {
        assert_eq!(listed(&[Some(7), Some(12)]), "7, 12");
    }
}
