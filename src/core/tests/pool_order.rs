//! The freed memory that a stream reuses, over any order of frees, records, waits and waits of the host: it is never
//! memory that the rules of its pool forbid, and always memory if they allow some.
//!
//! The model keeps sets of frees where `order.rs` keeps positions, and a pool of three places, so that each allocation
//! has to reuse one of them.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::backend::{Position, Stream as _};
use crate::memory::access::Location;
use crate::pool::mem_pool::{self, Props};
use crate::stream::event;

const STREAMS: usize = 3;
const EVENTS: usize = 3;
const PLACES: usize = 3;
const PLACE: usize = 2 << 20;

/// Numbers of attributes.
const FOLLOW: i32 = 1;
const OPPORTUNISTIC: i32 = 2;
const INTERNAL: i32 = 3;
const THRESHOLD: i32 = 4;

/// Frees, by number.
type Frees = BTreeSet<usize>;

#[derive(Clone, Debug)]
enum Step {
    Alloc(usize),
    Free(usize, usize),
    Record(usize, usize),
    Wait(usize, usize),
    /// The stream has work until `Finish`.
    Begin(usize),
    Finish(usize),
    Synchronize(usize),
    SynchronizeEvent(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let (stream, event) = (0..STREAMS, 0..EVENTS);
    prop_oneof![
        8 => stream.clone().prop_map(Step::Alloc),
        8 => (any::<usize>(), stream.clone()).prop_map(|(pick, stream)| Step::Free(pick, stream)),
        4 => (event.clone(), stream.clone()).prop_map(|(event, stream)| Step::Record(event, stream)),
        4 => (stream.clone(), event.clone()).prop_map(|(stream, event)| Step::Wait(stream, event)),
        3 => stream.clone().prop_map(Step::Begin),
        3 => stream.clone().prop_map(Step::Finish),
        1 => stream.prop_map(Step::Synchronize),
        1 => event.prop_map(Step::SynchronizeEvent),
    ]
}

/// The rules of the pool that are on.
#[derive(Clone, Copy, Debug)]
struct Rules {
    follow: bool,
    opportunistic: bool,
    internal: bool,
}

/// An unused place, with the free that left it.
#[derive(Clone, Copy, Debug)]
struct Left {
    free: usize,
    stream: usize,
}

struct Run {
    rules: Rules,
    pool: u64,
    streams: Vec<(u64, Arc<ScriptStream>)>,
    busy: [bool; STREAMS],
    events: Vec<u64>,
    /// The stream of each record, and what it is ordered after.
    records: Vec<Option<(usize, Frees)>>,
    /// Memory for operations whose data does not matter.
    scratch: u64,
    live: Vec<usize>,
    left: BTreeMap<usize, Left>,
    frees: usize,
    /// The frees that the next operation of each stream is ordered after.
    behind: [Frees; STREAMS],
    /// The frees that each stream has not reached yet.
    ahead: [Frees; STREAMS],
    /// The frees that the host knows to be complete.
    seen: Frees,
}

impl Run {
    fn new(bench: &Bench, rules: Rules) -> Self {
        let pool = mem_pool::create(Props {
            alloc_type: 0,
            handle_type: 0,
            location: Location { kind: Location::DEVICE, id: 0 },
            max_size: PLACES * PLACE,
            usage: 0,
        });
        let pool = pool.unwrap();
        for (attribute, on) in
            [(FOLLOW, rules.follow), (OPPORTUNISTIC, rules.opportunistic), (INTERNAL, rules.internal)]
        {
            mem_pool::set_attribute(pool, attribute, on.into()).unwrap();
        }
        mem_pool::set_attribute(pool, THRESHOLD, u64::MAX).unwrap();
        Self {
            rules,
            pool,
            streams: (0..STREAMS).map(|_| bench.stream()).collect(),
            busy: [false; STREAMS],
            events: (0..EVENTS).map(|_| event::create_plain().unwrap()).collect(),
            records: vec![None; EVENTS],
            scratch: event::create_plain().unwrap(),
            live: Vec::new(),
            left: BTreeMap::new(),
            frees: 0,
            behind: Default::default(),
            ahead: Default::default(),
            seen: Frees::new(),
        }
    }

    fn is_complete(&self, left: Left) -> bool {
        !self.ahead[left.stream].contains(&left.free)
    }

    fn is_allowed(&self, stream: usize, left: Left) -> bool {
        left.stream == stream
            || self.seen.contains(&left.free)
            || (self.rules.follow && self.behind[stream].contains(&left.free))
            || (self.rules.opportunistic && self.is_complete(left))
    }

    fn find(&self, allowed: impl Fn(Left) -> bool) -> bool {
        self.left.values().any(|&left| allowed(left))
    }

    fn alloc(&mut self, stream: usize) {
        let (raw, native) = self.streams[stream].clone();
        let waits = native.limits().len();
        let submitted = self.submitted();
        let is_new = self.live.len() + self.left.len() < PLACES;
        let taken = mem_pool::malloc_async(PLACE, self.pool, raw);
        let waits = native.limits().len() - waits;
        if is_new || self.find(|left| self.is_allowed(stream, left)) {
            let addr = taken.expect("there is memory that it may have");
            let left = self.left.remove(&addr);
            assert!(left.is_none_or(|left| self.is_allowed(stream, left)), "{left:?} for {stream}");
            assert_eq!(waits, 0, "a wait without need");
            return self.take(addr, is_new && left.is_none());
        }
        if self.rules.internal && !self.left.is_empty() {
            let addr = taken.expect("a wait gives it memory");
            let left = self.left.remove(&addr).expect("all of it was allocated before");
            assert_eq!(waits, 1);
            // The stream that it waits for, or one that that stream is ordered after.
            let awaited = (0..STREAMS).find(|&it| it != stream && self.submitted()[it] > submitted[it]);
            let all = self.behind[awaited.expect("it waits for a stream")].clone();
            assert!(all.contains(&left.free), "{left:?} for {stream}");
            self.behind[stream].extend(all);
            return self.take(addr, false);
        }
        assert_eq!(waits, 0);
        // The host sees complete frees before it fails.
        let complete = self.left.values().filter(|&&left| self.is_complete(left));
        self.seen.extend(complete.map(|left| left.free).collect::<Vec<_>>());
        if self.find(|left| self.is_allowed(stream, left)) {
            let addr = taken.expect("there is memory once it is seen to be free");
            let left = self.left.remove(&addr).expect("all of it was allocated before");
            assert!(self.is_allowed(stream, left), "{left:?} for {stream}");
            return self.take(addr, false);
        }
        fails(taken, Code::MemoryAllocation, &["maxSize"]);
    }

    /// Returns the number of operations that each stream got.
    fn submitted(&self) -> [Position; STREAMS] {
        std::array::from_fn(|stream| self.streams[stream].1.submitted().unwrap())
    }

    /// Notes an allocation. `first`: the pool had no memory before, and all of it is in use now.
    fn take(&mut self, addr: usize, first: bool) {
        assert!(!self.live.contains(&addr) && addr.is_multiple_of(PLACE));
        assert!(first || self.live.len() + self.left.len() < PLACES);
        self.live.push(addr);
    }

    fn free(&mut self, pick: usize, stream: usize) {
        if self.live.is_empty() {
            return;
        }
        let addr = self.live.swap_remove(pick % self.live.len());
        mem_pool::free_async(addr, self.streams[stream].0).unwrap();
        self.left.insert(addr, Left { free: self.frees, stream });
        self.behind[stream].insert(self.frees);
        if self.busy[stream] {
            self.ahead[stream].insert(self.frees);
        }
        self.frees += 1;
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Alloc(stream) => self.alloc(stream),
            Step::Free(pick, stream) => self.free(pick, stream),
            Step::Record(event, stream) => {
                event::record(self.events[event], self.streams[stream].0).unwrap();
                self.records[event] = Some((stream, self.behind[stream].clone()));
            }
            Step::Wait(stream, event) => {
                if let Some((_, behind)) = self.records[event].clone() {
                    event::wait(self.streams[stream].0, self.events[event]).unwrap();
                    self.behind[stream].extend(behind);
                }
            }
            Step::Begin(stream) if !self.busy[stream] => {
                self.busy[stream] = true;
                self.streams[stream].1.begin();
                event::record(self.scratch, self.streams[stream].0).unwrap();
            }
            Step::Finish(stream) if self.busy[stream] => self.finish(stream),
            Step::Synchronize(stream) if self.ends(stream, &self.behind[stream]) => {
                stream::synchronize(self.streams[stream].0).unwrap();
                self.seen.extend(self.behind[stream].clone());
            }
            Step::SynchronizeEvent(event) => {
                if let Some((stream, behind)) = self.records[event].clone()
                    && self.ends(stream, &behind)
                {
                    event::synchronize(self.events[event], -1).unwrap();
                    self.seen.extend(behind);
                }
            }
            Step::Begin(_) | Step::Finish(_) | Step::Synchronize(_) => {}
        }
    }

    /// Whether a wait of the host for everything after these ends.
    fn ends(&self, stream: usize, behind: &Frees) -> bool {
        !self.busy[stream] && self.ahead.iter().all(|ahead| ahead.is_disjoint(behind))
    }

    fn finish(&mut self, stream: usize) {
        self.busy[stream] = false;
        self.ahead[stream].clear();
        self.streams[stream].1.finish();
    }
}

impl Drop for Run {
    /// Ends all work: the session that ends next must not wait for it.
    fn drop(&mut self) {
        (0..STREAMS).for_each(|stream| self.finish(stream));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]
    #[test]
    fn streams_get_exactly_the_blocks_that_the_rules_allow(
        (follow, opportunistic, internal) in any::<(bool, bool, bool)>(),
        steps in prop::collection::vec(step(), 1..80),
    ) {
        let bench = Bench::new();
        let mut run = Run::new(&bench, Rules { follow, opportunistic, internal });
        for step in &steps {
            run.step(step);
        }
    }
}
