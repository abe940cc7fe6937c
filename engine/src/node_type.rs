//! PV, CUT and ALL nodes (the paper, sections 3.1 and 3.2), freed from strict alternation.

use crate::game::Scope;
use crate::value::Side;

/// What a node's value is expected to be against its window, from Max's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expectation {
    /// Inside the window.
    Exact,
    /// At most alpha.
    Low,
    /// At least beta.
    High,
}

/// The three kinds of nodes of Knuth and Moore, in Marsland's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeType {
    /// On the principal variation: all moves are searched, the first of them first.
    Pv,
    /// One good move refutes: never a split point.
    Cut,
    /// All moves have to be searched: the split point to look for.
    All,
}

impl Expectation {
    /// The type of a node where `side` moves.
    ///
    /// | expectation | Max to move | Min to move |
    /// |---|---|---|
    /// | Exact | PV | PV |
    /// | High | CUT | ALL |
    /// | Low | ALL | CUT |
    #[must_use]
    pub fn node_type(self, side: Side) -> NodeType {
        match (self, side) {
            (Expectation::Exact, _) => NodeType::Pv,
            (Expectation::High, Side::Max) | (Expectation::Low, Side::Min) => NodeType::Cut,
            (Expectation::High, Side::Min) | (Expectation::Low, Side::Max) => NodeType::All,
        }
    }

    /// What is expected of a child: the first child of a PV node is on the principal variation, its other children and its
    /// scouts are expected not to beat the first; a child of any other node inherits.
    #[must_use]
    pub fn of_child(self, side: Side, first: bool, scope: Scope) -> Expectation {
        match (self, scope) {
            (Expectation::Exact, Scope::Real) if first => Expectation::Exact,
            (Expectation::Exact, _) => match side {
                Side::Max => Expectation::Low,
                Side::Min => Expectation::High,
            },
            (inherited, _) => inherited,
        }
    }

    /// What to expect when this turned out wrong.
    #[must_use]
    pub fn flipped(self) -> Expectation {
        match self {
            Expectation::Exact => Expectation::Exact,
            Expectation::Low => Expectation::High,
            Expectation::High => Expectation::Low,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Window;

    /// With strict alternation the rules give the paper's: below a PV node's other children CUT and ALL alternate.
    #[test]
    fn alternating_sides_alternate_types() {
        let mut expectation = Expectation::Exact.of_child(Side::Max, false, Scope::Real);
        let mut side = Side::Min;
        let mut types = Vec::new();
        for _ in 0..4 {
            types.push(expectation.node_type(side));
            expectation = expectation.of_child(side, true, Scope::Real);
            side = side.opposite();
        }
        assert_eq!(types, [NodeType::Cut, NodeType::All, NodeType::Cut, NodeType::All]);
    }

    /// An extra turn keeps the type: one good move still suffices.
    #[test]
    fn the_same_side_keeps_the_type() {
        let child = Expectation::Low.of_child(Side::Min, true, Scope::Real);
        assert_eq!(child.node_type(Side::Min), NodeType::Cut);
    }

    #[test]
    fn a_scout_at_a_pv_node_is_expected_to_fail() {
        let scout = Scope::Scout(Window::zero(1));
        assert_eq!(Expectation::Exact.of_child(Side::Max, true, scout), Expectation::Low);
        assert_eq!(Expectation::Exact.of_child(Side::Min, false, Scope::Real), Expectation::High);
    }
}
