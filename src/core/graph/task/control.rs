//! Control flow of a task: labels, jumps, streams that start others, and conditional tasks.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use crate::algo::map::slot_table::Handle;
use crate::backend::Span;
use crate::base::error::{Result, arguments, invalid_param};

/// Maximum number of bodies of a task.
const MOST_BODIES: u32 = 1024;

/// A comparison of two numbers: the orders for which it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition(&'static [Ordering]);

impl Condition {
    /// Converts the number of C: a value of `aclrtCondition`.
    pub fn from_number(number: i32) -> Result<Self> {
        // ==, !=, >, >=, <, <=
        const ALL: [&[Ordering]; 6] =
            [&[Equal], &[Less, Greater], &[Greater], &[Greater, Equal], &[Less], &[Less, Equal]];
        arguments::numbered("cond", number, &ALL, "ACL_RT_EQUAL 0 to ACL_RT_LESS_OR_EQUAL 5").map(Self)
    }

    /// Whether the condition is true for these numbers.
    pub fn holds(self, left: i64, right: i64) -> bool {
        self.0.contains(&left.cmp(&right))
    }
}

/// Control flow of a stream of a graph, by values in memory when a run reaches it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// A target of jumps: the label with this handle.
    Label(u64),
    /// Jumps to the label whose index is read from memory. An index beyond the list selects the last label.
    SwitchLabel {
        /// The place of the index, of 32 bits.
        index: Span,
        /// The handles of the labels.
        labels: Box<[u64]>,
    },
    /// Starts another stream, and continues.
    Start(Handle),
    /// Compares two values, starts one of two streams, and ends. If the condition is false and there is no second
    /// stream, it continues instead.
    SwitchStream {
        /// The place of a signed number of 32 or 64 bits.
        left: Span,
        /// The place of a number of the same length.
        right: Span,
        /// The comparison.
        condition: Condition,
        /// The stream that starts if it is true.
        if_true: Handle,
        /// The stream that starts if it is false.
        if_false: Option<Handle>,
    },
    /// Runs other graphs, or none, by a value.
    Conditional(Conditional),
}

impl Control {
    /// Returns the memory that the control flow reads.
    pub(crate) fn spans(&self) -> [Option<Span>; 2] {
        match self {
            Self::Label(_) | Self::Start(_) => [None; 2],
            Self::SwitchLabel { index, .. } => [Some(*index), None],
            Self::SwitchStream { left, right, .. } => [Some(*left), Some(*right)],
            Self::Conditional(conditional) => [Some(conditional.value), None],
        }
    }

    /// Returns the streams that the control flow may start.
    pub fn starts(&self) -> impl Iterator<Item = Handle> {
        let streams = match self {
            Self::Label(_) | Self::SwitchLabel { .. } | Self::Conditional(_) => [None; 2],
            Self::Start(stream) => [Some(*stream), None],
            Self::SwitchStream { if_true, if_false, .. } => [Some(*if_true), *if_false],
        };
        streams.into_iter().flatten()
    }
}

/// The way in which a value selects a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionKind {
    /// Selects the first body if the value is not 0, otherwise the second one, if there is one.
    If,
    /// Selects the body again and again, until the value is 0.
    While,
    /// Selects the body with this index, if there is one.
    Switch,
}

impl ConditionKind {
    /// Converts the number of C.
    pub fn from_number(number: i32) -> Result<Self> {
        let allowed = "ACL_MODEL_RI_COND_TYPE_IF 0, _WHILE 1 and _SWITCH 2";
        arguments::numbered("params.type", number, &[Self::If, Self::While, Self::Switch], allowed)
    }

    /// Returns the body that a value selects, which need not exist.
    pub fn choose(self, value: u64) -> Option<usize> {
        match self {
            Self::If => Some(usize::from(value == 0)),
            Self::While => (value != 0).then_some(0),
            Self::Switch => usize::try_from(value).ok(),
        }
    }

    /// Fails if a task of this kind cannot have this number of bodies.
    pub fn check_count(self, count: u32) -> Result<()> {
        let (most, allowed) = match self {
            Self::If => (2, "1 (a body for values other than 0) and 2 (also a body for 0)"),
            Self::While => (1, "1"),
            Self::Switch => (MOST_BODIES, "1 to 1024"),
        };
        if (1..=most).contains(&count) {
            return Ok(());
        }
        Err(invalid_param!("params.size is {count}; allowed for this type: {allowed}"))
    }
}

/// A conditional task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conditional {
    /// The way in which the value selects a body.
    pub kind: ConditionKind,
    /// The condition handle.
    pub condition: Handle,
    /// The place of the value.
    pub value: Span,
    /// The bodies.
    pub bodies: Box<[Handle]>,
}

/// Converts the bytes of a number that is read from memory.
pub(crate) fn signed(bytes: &[u8]) -> i64 {
    match bytes.try_into() {
        Ok(four) => i64::from(i32::from_ne_bytes(four)),
        Err(_) => bytes.try_into().map_or(0, i64::from_ne_bytes),
    }
}

#[cfg(test)]
#[path = "control_tests.rs"]
mod tests;
