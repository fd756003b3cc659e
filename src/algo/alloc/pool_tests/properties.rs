//! Checks any order of calls: the pool does nothing that the model forbids, and finds what the model finds.

use std::collections::HashMap;

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

use super::class::suits;
use super::ledger::{Block, TestPool};
use super::model::Model;
use super::{Freed, GRAIN, GRANULE, Order, Segment, StreamKey};

const STREAMS: usize = 4;
/// The number of places for segments. Some places are adjacent.
const PLACES: usize = 12;

/// The progress of the streams.
#[derive(Clone, Default)]
struct Streams {
    /// The keys of the streams. A forgotten stream gets a new key.
    keys: [u64; STREAMS],
    submitted: [u64; STREAMS],
    passed: [Option<u64>; STREAMS],
    followed: [Option<u64>; STREAMS],
}

impl Streams {
    fn index(&self, key: StreamKey) -> usize {
        let found = self.keys.iter().position(|&of| of == key.0);
        found.expect("only streams that exist are looked up")
    }

    fn key(&self, index: usize) -> StreamKey {
        StreamKey(self.keys[index])
    }

    fn has_passed(&self, freed: Freed) -> bool {
        self.passed(freed.stream).is_some_and(|position| freed.position <= position)
    }

    fn is_usable(&self, freed: Freed, stream: StreamKey) -> bool {
        freed.stream == stream
            || self.has_passed(freed)
            || self.followed(freed.stream).is_some_and(|position| freed.position <= position)
    }
}

impl Order for Streams {
    fn passed(&self, stream: StreamKey) -> Option<u64> {
        self.passed[self.index(stream)]
    }

    fn followed(&self, stream: StreamKey) -> Option<u64> {
        self.followed[self.index(stream)]
    }

    fn can_follow(&self, stream: StreamKey) -> bool {
        // Some streams accept no more work.
        !self.index(stream).is_multiple_of(3)
    }
}

#[derive(Clone, Debug)]
enum Step {
    Alloc {
        len: usize,
        stream: usize,
        behind: bool,
    },
    Free {
        pick: usize,
        stream: Option<usize>,
    },
    /// A stream submits work, and makes progress.
    Work {
        stream: usize,
        passes: Option<u64>,
    },
    /// Orders allocating streams after another one.
    Follow {
        stream: usize,
        position: Option<u64>,
    },
    Forget {
        stream: usize,
    },
    Add {
        place: usize,
        granules: usize,
    },
    Release {
        keep: u64,
    },
    MakeRoom {
        bytes: u64,
    },
    /// A stream gets a part of the pool.
    Spread {
        stream: usize,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let stream = 0..STREAMS;
    let len = prop_oneof![
        3 => 1usize..20 * GRAIN,
        2 => 1usize..GRANULE / 2,
        1 => GRANULE / 2..3 * GRANULE,
    ];
    prop_oneof![
        8 => (len, stream.clone(), any::<bool>())
            .prop_map(|(len, stream, behind)| Step::Alloc { len, stream, behind }),
        6 => (any::<usize>(), prop::option::weighted(0.9, stream.clone()))
            .prop_map(|(pick, stream)| Step::Free { pick, stream }),
        2 => (stream.clone(), prop::option::of(0..40u64))
            .prop_map(|(stream, passes)| Step::Work { stream, passes }),
        1 => (stream.clone(), prop::option::of(0..40u64))
            .prop_map(|(stream, position)| Step::Follow { stream, position }),
        1 => stream.clone().prop_map(|stream| Step::Forget { stream }),
        1 => (0..PLACES, 1..4usize).prop_map(|(place, granules)| Step::Add { place, granules }),
        1 => (0..10 * GRANULE as u64).prop_map(|keep| Step::Release { keep }),
        1 => (0..6 * GRANULE as u64).prop_map(|bytes| Step::MakeRoom { bytes }),
        1 => stream.prop_map(|stream| Step::Spread { stream }),
    ]
}

#[derive(Default)]
struct Run {
    pool: Option<TestPool>,
    model: Model,
    streams: Streams,
    live: Vec<(Block, usize)>,
    places: HashMap<usize, Segment>,
    next_key: u64,
    /// Whether the pool may have several parts.
    spreads: bool,
    /// Whether the pool has several parts: then it does not find what reaches from one to another.
    is_spread: bool,
}

impl Run {
    fn new(spreads: bool) -> Self {
        let mut run = Self { spreads, pool: Some(TestPool::new()), ..Self::default() };
        for stream in 0..STREAMS {
            run.new_stream(stream);
        }
        run
    }

    fn new_stream(&mut self, stream: usize) {
        self.next_key += 1;
        self.streams.keys[stream] = self.next_key;
        self.streams.submitted[stream] = 0;
        self.streams.passed[stream] = None;
        self.streams.followed[stream] = None;
    }

    fn step(&mut self, step: &Step) {
        let pool = self.pool.take().expect("between steps it is there");
        self.step_on(&pool, step);
        assert_eq!(pool.stats(), self.model.stats);
        assert_eq!(pool.stats().blocks, self.live.len() as u64);
        self.pool = Some(pool);
    }

    fn step_on(&mut self, pool: &TestPool, step: &Step) {
        match *step {
            Step::Alloc { len, stream, behind } => {
                let key = self.streams.key(stream);
                if behind {
                    self.alloc_behind(pool, len, key);
                } else {
                    self.alloc(pool, len, key);
                }
            }
            Step::Free { pick, stream } if !self.live.is_empty() => {
                let (taken, _) = self.live.swap_remove(pick % self.live.len());
                let freed = stream
                    .map(|stream| Freed { stream: self.streams.key(stream), position: self.streams.submitted[stream] });
                let freed_now = match freed {
                    Some(Freed { stream, position }) => {
                        pool.free_at(taken, (stream, position), self.streams.has_passed(Freed { stream, position }))
                    }
                    None => pool.free_unused(taken),
                };
                assert!(freed_now);
                self.model.free(taken.addr, freed);
            }
            Step::Free { .. } => {}
            Step::Work { stream, passes } => {
                self.streams.submitted[stream] += 1;
                let position = passes.map(|passes| passes.min(self.streams.submitted[stream]));
                self.streams.passed[stream] = self.streams.passed[stream].max(position);
            }
            Step::Follow { stream, position } => self.streams.followed[stream] = position,
            Step::Forget { stream } => {
                let key = self.streams.key(stream);
                pool.forget(key);
                self.model.reclaim(|freed| freed.stream == key);
                self.new_stream(stream);
            }
            Step::Add { place, granules } => self.add(pool, place, granules),
            Step::Release { keep } => self.release(pool, keep),
            Step::MakeRoom { bytes } => self.make_room(pool, bytes),
            Step::Spread { stream } if self.spreads => {
                self.is_spread = true;
                pool.spread(self.streams.key(stream));
            }
            Step::Spread { .. } => {}
        }
    }

    fn take(&mut self, pool: &TestPool, taken: Block, len: usize, usable: impl Fn(Freed) -> bool) {
        assert_eq!(taken.len, len.next_multiple_of(GRAIN));
        let (addr, whole) = pool.extent(taken.note);
        assert_eq!(addr, taken.addr);
        let [whole_units, units] = [whole, taken.len].map(|bytes| (bytes / GRAIN) as u32);
        assert!(whole_units >= units && suits(whole_units, units));
        self.model.take(addr, whole, taken.len, usable);
        self.live.push((taken, len));
    }

    fn alloc(&mut self, pool: &TestPool, len: usize, key: StreamKey) {
        let streams = self.streams.clone();
        let usable = |freed| streams.is_usable(freed, key);
        let at_home = pool.alloc_at_home(len, key, &streams);
        match at_home.map_or_else(|| pool.alloc(len, key, &streams), Ok) {
            Ok(taken) => self.take(pool, taken, len, usable),
            Err(shortage) => {
                assert!(shortage.least >= len && shortage.least % GRANULE == 0);
                match pool.alloc_slow(len, key, &streams) {
                    Some(taken) => self.take(pool, taken, len, usable),
                    None => {
                        let has = self.model.has(len, usable);
                        assert!(self.is_spread || !has, "{len} bytes are there");
                    }
                }
            }
        }
    }

    fn alloc_behind(&mut self, pool: &TestPool, len: usize, key: StreamKey) {
        let streams = self.streams.clone();
        let usable = |freed| streams.is_usable(freed, key);
        match pool.alloc_or_follow(len, key, &streams) {
            Ok(taken) => self.take(pool, taken, len, usable),
            Err(Some(wait)) => {
                let has = self.model.has(len, usable);
                assert!(self.is_spread || !has, "a wait without need");
                assert!(streams.can_follow(wait.stream));
                let mut behind = streams.clone();
                let followed = &mut behind.followed[streams.index(wait.stream)];
                *followed = (*followed).max(Some(wait.position));
                let taken = pool.alloc_or_follow(len, key, &behind).expect("it waits for enough");
                self.take(pool, taken, len, |freed| behind.is_usable(freed, key));
            }
            Err(None) => {
                let others = self.model.streams().into_iter();
                for other in others.filter(|&other| streams.can_follow(other)) {
                    let usable = |freed: Freed| usable(freed) || freed.stream == other;
                    let has = self.model.has(len, usable);
                    assert!(self.is_spread || !has, "{len} bytes are there");
                }
            }
        }
    }

    fn add(&mut self, pool: &TestPool, place: usize, granules: usize) {
        let mut taken = self.places.iter().flat_map(|(&place, segment)| place..place + segment.len / GRANULE);
        if taken.any(|other| (place..place + granules).contains(&other)) {
            return;
        }
        let addr = (100 + place) * GRANULE;
        let segment = Segment { addr, len: granules * GRANULE, token: place as u64 };
        pool.add_segment(segment, self.streams.key(place % STREAMS));
        self.model.add_segment(segment);
        self.places.insert(place, segment);
    }

    /// Updates the model, and removes the segments that the pool has released.
    fn note_released(&mut self, released: &[Segment]) {
        let streams = &self.streams;
        self.model.reclaim(|freed| streams.has_passed(freed));
        for segment in released {
            assert!(self.model.is_free(segment), "{segment:?} is in use");
            assert_eq!(self.places.remove(&(segment.token as usize)), Some(*segment));
            self.model.remove_segment(segment);
        }
    }

    fn make_room(&mut self, pool: &TestPool, bytes: u64) {
        let released = pool.release_at_least(bytes, &self.streams);
        self.note_released(&released);
        let sum = |segments: &[Segment]| segments.iter().map(|it| it.len as u64).sum::<u64>();
        let mut left = self.model.segments();
        left.retain(|segment| self.model.is_free(segment));
        match released.split_last() {
            // The pool released no more than necessary.
            Some((_, others)) => assert!(sum(others) < bytes && sum(&released) >= bytes),
            None => assert!(bytes == 0 || sum(&left) < bytes),
        }
    }

    fn release(&mut self, pool: &TestPool, keep: u64) {
        let before = self.model.stats.reserved;
        let released = pool.release(keep, &self.streams);
        self.note_released(&released);
        assert!(released.is_empty() || self.model.stats.reserved >= keep);
        // What remains is in use, or would be too much.
        for segment in self.model.segments() {
            let rest = self.model.stats.reserved - segment.len as u64;
            assert!(rest < keep || !self.model.is_free(&segment), "{segment:?} of {before}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 400 },
        // In properties.seeds.
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("seeds"))),
        ..ProptestConfig::default()
    })]
    #[test]
    fn nothing_forbidden_is_done_and_what_there_is_is_found(
        spreads in any::<bool>(),
        steps in prop::collection::vec(step(), 1..120),
    ) {
        let mut run = Run::new(spreads);
        let pool = run.pool.take().expect("just made");
        run.add(&pool, 3, 3);
        run.pool = Some(pool);
        for step in &steps {
            run.step(step);
        }
        // At the end all memory can be released.
        let pool = run.pool.take().expect("between steps it is there");
        for (taken, _) in run.live.drain(..) {
            pool.free_unused(taken);
        }
        for stream in 0..STREAMS {
            pool.forget(run.streams.key(stream));
        }
        prop_assert_eq!(pool.release(0, &run.streams).len(), run.places.len());
        prop_assert_eq!(pool.stats().reserved, 0);
    }
}
