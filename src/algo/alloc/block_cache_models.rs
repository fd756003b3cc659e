use loom::sync::Arc as Shared;
use loom::thread;

use super::*;
use crate::tests::model;

const ALL: usize = usize::MAX;

/// Each model runs with a stripe that one thread has to itself, and with one that threads share.
const STRIPES: [usize; 2] = [0, OWN];

/// A thread frees a block during a flush: it is flushed, or was not cached.
#[test]
fn loom_flushing_misses_nothing() {
    STRIPES.into_iter().for_each(|stripe| model(move || flushing_misses_nothing(stripe)));
}

fn flushing_misses_nothing(stripe: usize) {
    let map = Shared::new(AddressMap::new());
    let cache = Shared::new(BlockCache::default());
    map.insert(Range { base: 0, len: 0x100, words: [0; 3] }).unwrap();
    // The stripe is there already.
    assert!(!cache.put(Seat::numbered(stripe), (7, 100, ALL), || None));
    let freeing = {
        let (map, cache) = (map.clone(), cache.clone());
        thread::spawn(move || {
            let (entry, _) = map.find_entry(0).unwrap();
            cache.put(Seat::numbered(stripe), (7, 100, ALL), || map.park(entry))
        })
    };
    let (flushed, pressure) = cache.flush();
    let put = freeing.join().unwrap();
    drop(pressure);
    assert_eq!(flushed.len(), usize::from(put));
    assert_eq!(map.find(0).is_some(), !put);
    assert_eq!((map.remove_parked(flushed).len(), cache.bytes()), (usize::from(put), 0));
}

/// A thread allocates during a flush: the block is live, or flushed.
#[test]
fn loom_flushing_and_taking_share_no_block() {
    STRIPES.into_iter().for_each(|stripe| model(move || flushing_and_taking_share_no_block(stripe)));
}

fn flushing_and_taking_share_no_block(stripe: usize) {
    let map = Shared::new(AddressMap::new());
    let cache = Shared::new(BlockCache::default());
    map.insert(Range { base: 0, len: 0x100, words: [0; 3] }).unwrap();
    let (entry, _) = map.find_entry(0).unwrap();
    assert!(cache.put(Seat::numbered(stripe), (7, 100, ALL), || map.park(entry)));
    let taking = {
        let (map, cache) = (map.clone(), cache.clone());
        let unpark = move |block| map.unpark(block);
        thread::spawn(move || cache.take(Seat::numbered(stripe), 7, unpark).is_some())
    };
    let (flushed, pressure) = cache.flush();
    assert!(!cache.put(shared(0), (8, 100, ALL), || unreachable!("under pressure")));
    drop(pressure);
    let taken = taking.join().unwrap();
    assert_eq!(flushed.len(), usize::from(!taken));
    assert_eq!(map.find(0).is_some(), taken);
    map.remove_parked(flushed);
}

/// A thread frees a block into its stripe after a flush, and during the end of that: it finds the stripe as the
/// flush left it.
#[test]
fn loom_the_owner_sees_what_a_flush_did() {
    model(|| {
        let map = Shared::new(AddressMap::new());
        let cache = Shared::new(BlockCache::default());
        map.insert(Range { base: 0, len: 0x100, words: [0; 3] }).unwrap();
        let (entry, _) = map.find_entry(0).unwrap();
        assert!(cache.put(Seat::numbered(0), (7, 100, ALL), || map.park(entry)));
        let flushing = {
            let (map, cache) = (map.clone(), cache.clone());
            thread::spawn(move || map.remove_parked(cache.flush().0).len())
        };
        let taken = cache.take(Seat::numbered(0), 7, |block| map.unpark(block)).is_some();
        let cached = cache.contents();
        assert_eq!(cached.served_blocks, u64::from(taken));
        let flushed = flushing.join().unwrap();
        assert_eq!(flushed, usize::from(!taken));
        assert_eq!(cache.bytes(), 0);
    });
}
