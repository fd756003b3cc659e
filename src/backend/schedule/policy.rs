//! Chooses which of several actors goes on: random priorities that change at few steps (PCT, Burckhardt et al., ASPLOS
//! 2010).
//!
//! The actor with the highest priority goes on whenever it can. At a *change point* the one that would go on gets the
//! lowest priority instead. An error that needs few actors in a certain order is found with a known probability, and a
//! schedule is a seed and a few numbers.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;

use crate::algo::math::mix::mix;

/// The text that says what a program may write into `PORTACL_SCHEDULE`.
pub const ALLOWED: &str = "lazy, eager or seed:N (N from 0 to 18446744073709551615), optionally followed by ,at:none \
    or ,at:STEP+STEP... with steps from 1 to 4294967295";

/// The number of turns in a row without new work after which a thread of the program that only queries lets the others
/// go on.
const PATIENCE: u32 = 100;

/// A thread of the program, in the order of their first calls of the library, or a stream, by its device and number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Actor {
    Thread(u32),
    Stream(u64),
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Thread(number) => write!(f, "thread {number}"),
            Self::Stream(id) => write!(f, "stream {}.{}", id >> 48, id & ((1 << 48) - 1)),
        }
    }
}

/// The priorities at the beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Base {
    /// The program goes before its streams: work starts as late as possible.
    Lazy,
    /// Streams go before the program: work starts at once.
    Eager,
    Seed(u64),
}

/// A schedule, as `PORTACL_SCHEDULE` names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    base: Base,
    /// The change points: numbers of steps, which count from 1.
    at: Vec<u32>,
    /// The file of `PORTACL_SCHEDULE_LOG`.
    pub log: Option<PathBuf>,
}

impl Settings {
    /// Parses the value of the variable, and keeps the path of the log. Returns `None` if the value is not valid.
    pub fn parse(text: &str, log: Option<PathBuf>) -> Option<Self> {
        let (base, at) = text.split_once(",at:").map_or((text, None), |(base, at)| (base, Some(at)));
        let base = match base {
            "lazy" => Base::Lazy,
            "eager" => Base::Eager,
            seed => Base::Seed(seed.strip_prefix("seed:")?.parse().ok()?),
        };
        let at = match (at, base) {
            (None, Base::Seed(seed)) => drawn(seed),
            (None | Some("none"), _) => Vec::new(),
            (Some(steps), _) => {
                let steps: Vec<u32> = steps.split('+').map(|step| step.parse().ok()).collect::<Option<_>>()?;
                steps.iter().all(|&step| step > 0).then_some(steps)?
            }
        };
        Some(Self { base, at, log })
    }

    /// Returns the seed for what else is random.
    pub fn seed(&self) -> u64 {
        if let Base::Seed(seed) = self.base { seed } else { 0 }
    }

    /// Returns the actor's priority at the beginning, which is positive. The highest goes first.
    fn rank(&self, actor: Actor) -> i64 {
        const MIDDLE: i64 = 1 << 61;
        let (is_thread, number) = match actor {
            Actor::Thread(number) => (true, u64::from(number)),
            Actor::Stream(number) => (false, number),
        };
        match self.base {
            Base::Seed(seed) => (mix(seed ^ mix(number << 1 | u64::from(is_thread))) >> 2) as i64 + 1,
            // Among equal actors the older ones go first.
            base @ (Base::Lazy | Base::Eager) => {
                (if is_thread == (base == Base::Lazy) { 2 * MIDDLE - 1 } else { MIDDLE }) - number as i64
            }
        }
    }
}

/// Returns up to three change points for a seed. Most of them are early, because the number of steps is unknown.
fn drawn(seed: u64) -> Vec<u32> {
    let random = |index: u64| mix(mix(seed).wrapping_add(index));
    let one = |index| (random(2 * index) % (4 << (random(2 * index + 1) % 8))) as u32 + 1;
    (1..=random(0) % 4).map(one).collect()
}

/// A plan in execution.
pub(super) struct Policy {
    plan: Settings,
    /// The priorities of the actors that fell at a change point.
    fallen: HashMap<Actor, i64>,
    /// The number of times that more than one actor could go on.
    step: u32,
    /// The actor that went on last, and its number of turns in a row without new work.
    repeated: (Option<Actor>, u32),
}

impl Policy {
    pub(super) fn new(plan: Settings) -> Self {
        Self { plan, fallen: HashMap::new(), step: 0, repeated: (None, 0) }
    }

    /// Notes that an operation was enqueued.
    pub(super) fn note_work(&mut self) {
        self.repeated = (None, 0);
    }

    /// Chooses one of these actors, of which there is at least one. Returns its index, and the number of the step if
    /// there was a choice.
    pub(super) fn choose(&mut self, enabled: &[Actor]) -> (usize, Option<u32>) {
        if enabled.len() < 2 {
            return (0, None);
        }
        self.step += 1;
        let mut best = self.best(enabled);
        if self.plan.at.contains(&self.step) || self.only_asks(enabled[best]) {
            self.fallen.insert(enabled[best], -i64::from(self.step));
            best = self.best(enabled);
        }
        (best, Some(self.step))
    }

    fn best(&self, enabled: &[Actor]) -> usize {
        let rank = |actor: Actor| self.fallen.get(&actor).copied().unwrap_or_else(|| self.plan.rank(actor));
        (0..enabled.len()).max_by_key(|&index| rank(enabled[index])).unwrap_or(0)
    }

    /// Whether an actor is a thread that only queries whether work is complete. It would go on forever, and the work
    /// never would.
    fn only_asks(&mut self, actor: Actor) -> bool {
        if self.repeated.0 != Some(actor) {
            self.repeated = (Some(actor), 0);
        }
        self.repeated.1 += 1;
        matches!(actor, Actor::Thread(_)) && self.repeated.1.is_multiple_of(PATIENCE)
    }
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
