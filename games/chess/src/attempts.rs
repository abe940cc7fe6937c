//! How the modern profile tries moves: late ones less deep first, a null move and the test of the table's move in windows of their own.

use dts_engine::{Attempt, Node, Range, Scope, Side, Value, Window};

use crate::chess::depth_of;
use crate::choice::{Choice, Kind};
use crate::mate::is_mate;
use crate::mover::{far_bound, near_end, refutes};
use crate::position::Position;

/// How a move of the selective search is tried.
#[inline]
pub(crate) fn attempt_selectively(
    node: &Node<'_, Position>,
    chosen: Choice,
    number: u32,
    tries: u32,
    last: Option<Range>,
) -> Attempt {
    let position = node.position();
    let (side, window) = (position.side(), node.window);
    match (chosen.kind, last) {
        (Kind::Null, None) => {
            return Attempt::Search { depth: i32::from(chosen.reduction), scope: Scope::Scout(window) };
        }
        (Kind::Null, Some(range)) => {
            let refutes = refutes(side, range, far_bound(side, window)) && !is_mate(near_end(side, range));
            return if refutes { Attempt::Count } else { Attempt::Discard };
        }
        (Kind::Without, None) => {
            let bound = Value::from(chosen.bound);
            let scope = Scope::Scout(match side {
                Side::Max => Window::zero(bound),
                Side::Min => Window::zero(bound + 1),
            });
            return Attempt::Search { depth: (node.depth - 1) / 2, scope };
        }
        (Kind::Without, Some(_)) => return Attempt::Discard,
        _ => {}
    }
    let depth = depth_of(node) - 1 + i32::from(chosen.extension);
    let is_first = number == 0 || chosen.kind == Kind::Table;
    if is_first || chosen.reduction <= 0 {
        return dts_engine::scout_first(side, window, depth, u32::from(!is_first), tries, last);
    }
    let reduced = depth - i32::from(chosen.reduction);
    match last {
        None => Attempt::Search { depth: reduced, scope: Scope::Scout(window.scout(side)) },
        Some(range) => {
            if tries == 1 && !window.is_beaten_by(side, range) {
                return Attempt::Count;
            }
            if tries == 1 {
                // Less depth has promised what all of it has to confirm.
                let scope = if window.is_open() { Scope::Scout(window.scout(side)) } else { Scope::Real };
                return Attempt::Search { depth, scope };
            }
            dts_engine::scout_first(side, window, depth, number, tries, last)
        }
    }
}
