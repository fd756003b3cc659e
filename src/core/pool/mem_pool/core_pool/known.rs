//! What a pool of the core's own may use again: the switches that programs set, and what they let a stream
//! know of others.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::algo::alloc::pool::{Freed, Order, StreamKey};
use crate::backend::Position;
use crate::core::order::{self, Lane};

/// What a pool may use again. Bits, to be read at once.
#[derive(Clone, Copy)]
pub struct Rules(u8);

impl Rules {
    /// What other streams have freed that the stream's waits for events come behind.
    pub const FOLLOWS_EVENTS: Self = Self(1);
    /// What other streams have freed where the free has happened.
    pub const OPPORTUNISTIC: Self = Self(2);
    /// What other streams have freed if the stream is made to wait for it.
    pub const ADDS_WAITS: Self = Self(4);
    const ALL: Self = Self(7);
    /// None of that.
    pub const NONE: Self = Self(0);

    /// Whether this one is among them.
    #[inline]
    pub fn have(self, rule: Self) -> bool {
        self.0 & rule.0 != 0
    }
}

/// The [`Rules`] of a pool, which programs switch on and off at any time; on at first.
pub struct Switches(AtomicU8);

impl Switches {
    /// All are on.
    pub fn new() -> Self {
        Self(AtomicU8::new(Rules::ALL.0))
    }

    /// Those that are on.
    #[inline(always)]
    pub fn rules(&self) -> Rules {
        Rules(self.0.load(Ordering::Relaxed))
    }

    /// Switches one on or off.
    pub fn set(&self, rule: Rules, on: bool) {
        match on {
            true => self.0.fetch_or(rule.0, Ordering::Relaxed),
            false => self.0.fetch_and(!rule.0, Ordering::Relaxed),
        };
    }
}

/// What the rules of the pool let a stream know of others.
pub struct Known<'a> {
    /// Those of the pool, or fewer.
    pub rules: Rules,
    /// Who asks, if it is a stream.
    pub lane: Option<&'a Lane>,
    /// What it waits for because the pool has added that.
    pub awaited: Option<Freed>,
}

impl Order for Known<'_> {
    #[inline(always)]
    fn passed(&self, stream: StreamKey) -> Option<Position> {
        if !self.rules.have(Rules::OPPORTUNISTIC) {
            return Some(order::observed(stream));
        }
        Some(match self.lane {
            // Most of what a stream finds in a pool is its own.
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
