//! The reuse rules of a core pool: attributes that programs set, and what they let a stream know of other streams.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::algo::alloc::pool::{Freed, Order, StreamKey};
use crate::backend::Position;
use crate::order::{self, Lane};

/// The reuse rules of a pool, as bits that are read at once.
#[derive(Clone, Copy)]
pub(super) struct Rules(u8);

impl Rules {
    /// The pool reuses memory that another stream has freed if events order the stream after the free.
    pub(super) const FOLLOWS_EVENTS: Self = Self(1);
    /// The pool reuses memory that another stream has freed if the free is complete.
    pub(super) const OPPORTUNISTIC: Self = Self(2);
    /// The pool reuses memory that another stream has freed after adding a wait for the free.
    pub(super) const ADDS_WAITS: Self = Self(4);
    const ALL: Self = Self(7);

    /// Whether the rule is set.
    #[inline]
    pub(super) fn have(self, rule: Self) -> bool {
        self.0 & rule.0 != 0
    }
}

/// The [`Rules`] of a pool, which programs can change at any time. At first all are set.
pub(super) struct Switches(AtomicU8);

impl Switches {
    /// Creates switches of which all rules are set.
    pub(super) fn new() -> Self {
        Self(AtomicU8::new(Rules::ALL.0))
    }

    /// Returns the rules that are set.
    #[inline(always)]
    pub(super) fn rules(&self) -> Rules {
        Rules(self.0.load(Ordering::Relaxed))
    }

    /// Sets or clears a rule.
    pub(super) fn set(&self, rule: Rules, on: bool) {
        match on {
            true => self.0.fetch_or(rule.0, Ordering::Relaxed),
            false => self.0.fetch_and(!rule.0, Ordering::Relaxed),
        };
    }
}

/// The knowledge that the rules of the pool give a stream about other streams.
pub(super) struct Known<'a> {
    /// The pool's rules, or a subset.
    pub rules: Rules,
    /// The lane of the stream that allocates.
    pub lane: Option<&'a Lane>,
    /// The free for which the pool has added a wait.
    pub awaited: Option<Freed>,
}

impl Known<'static> {
    /// The knowledge for requests without a stream.
    pub(super) const NOTHING: Self = Self { rules: Rules(0), lane: None, awaited: None };
}

impl Order for Known<'_> {
    #[inline(always)]
    fn passed(&self, stream: StreamKey) -> Option<Position> {
        if !self.rules.have(Rules::OPPORTUNISTIC) {
            return Some(order::observed(stream));
        }
        Some(match self.lane {
            // Most blocks that a stream finds in a pool were freed by the stream itself.
            Some(lane) if lane.key() == stream => lane.finished(),
            _ => order::finished(stream),
        })
    }

    fn followed(&self, stream: StreamKey) -> Option<Position> {
        let added = self.awaited.filter(|freed| freed.stream == stream);
        let follows = self.rules.have(Rules::FOLLOWS_EVENTS);
        let asked_for = self.lane.filter(|_| follows).and_then(|it| it.position_in(stream));
        asked_for.max(added.map(|freed| freed.position))
    }

    fn can_follow(&self, stream: StreamKey) -> bool {
        order::find(stream).is_some_and(|lane| lane.takes_more())
    }
}
