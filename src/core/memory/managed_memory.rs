//! Managed memory: one address for the host and all devices, and the program's advice about it.

use std::sync::Arc;

use crate::algo::host::host_memory::claim::Claim;
use crate::backend::{Advice, Home, Op, Span};
use crate::base::error::{Result, arguments, invalid_param, param_invalid};
use crate::base::host_memory;
use crate::memory::allocation::advice::{ADVISED, Advised};
use crate::memory::allocation::{Allocation, Kind};
use crate::memory::memory_hook::MemoryKind;
use crate::memory::pointer::span::outside;
use crate::memory::request::bounded::Bounded;
use crate::memory::request::device_memory::DeviceMemory;
use crate::memory::request::hooks::Hooks;
use crate::memory::request::{MemoryRequest, Resource, Statistics, Target};
use crate::runtime::device::{self, Device};
use crate::runtime::{self, Session, thread};
use crate::stream;

/// Sizes and advised ranges are multiples of this.
const GRAIN: usize = 2 << 20;

/// The stages of managed memory. It is freed as device memory is.
const MANAGED: Hooks<Bounded<Hooks<Statistics<DeviceMemory>>>> =
    Hooks::of_program(Bounded(Hooks::of_device(Statistics(DeviceMemory))));

/// Implements aclrtMemAllocManaged: allocates memory on the current device. Returns the address.
pub fn alloc(size: u64, flag: u32) -> Result<usize> {
    const GLOBAL: u32 = 1;
    arguments::not_zero("size", size, "allocate at least one byte")?;
    ensure!(flag == GLOBAL, invalid_param!("flag is {flag:#x}; it must be ACL_RT_MEM_ATTACH_GLOBAL 1"));
    thread::refuse_inside_host_function()?;
    let len = (size as usize).checked_next_multiple_of(GRAIN);
    let request = MemoryRequest { len, ..MemoryRequest::new(MemoryKind::Managed, Target::Current, size as usize) };
    Ok(MANAGED.allocate(request)?.addr)
}

/// Maximum number of bytes of host memory that a block needs for its advice, in the map and in a list of results.
const NOTE: usize = 512;

/// Claims host memory for advice about these ranges.
fn claim_notes(spans: impl Iterator<Item = Span> + Clone) -> Result<Claim> {
    let first = spans.clone().map(|span| span.addr).min().unwrap_or(0);
    let end = spans.clone().map(|span| span.addr + span.len).max().unwrap_or(0);
    let all = spans.map(|span| span.len / GRAIN).fold(0, usize::saturating_add);
    // Several ranges may contain the same block.
    let blocks = all.min((end - first) / GRAIN);
    let what = format_args!("records of advice and prefetches, one for each {GRAIN} bytes of managed memory");
    host_memory::claim(what, blocks, NOTE)
}

/// A range of managed memory. It holds its device.
struct Managed {
    span: Span,
    device: Arc<Device>,
}

impl Managed {
    fn find(argument: &str, addr: usize, len: usize) -> Result<Self> {
        arguments::not_null(argument, addr, "pass memory from aclrtMemAllocManaged")?;
        if len == 0 || !len.is_multiple_of(GRAIN) {
            return Err(invalid_param!(
                "the size at {argument} {addr:#x} is {len}; it must be a multiple of {GRAIN} bytes, greater than 0"
            ));
        }
        arguments::aligned(argument, addr, GRAIN, format_args!("{GRAIN} bytes"))?;
        thread::refuse_inside_host_function()?;
        let found = Allocation::find(addr);
        let managed = found.filter(|found| matches!(found.kind, Kind::Managed(_)));
        let held = managed.and_then(|found| Some((found, found.device()?)));
        let Some((allocation, device)) = held else {
            return Err(param_invalid!("{argument} {addr:#x} is not in a live allocation from aclrtMemAllocManaged"));
        };
        ensure!(len <= allocation.len - (addr - allocation.base), outside(argument, addr, len));
        Ok(Self { span: Span { addr, len, place: allocation.place() }, device })
    }

    fn note(&self, mut note: impl FnMut(&mut Advised)) {
        let mut all = ADVISED.lock();
        for piece in (self.span.addr..self.span.addr + self.span.len).step_by(GRAIN) {
            let said = all.entry(piece).or_default();
            note(said);
            if *said == Advised::default() {
                all.remove(&piece);
            }
        }
    }

    /// Returns the advice for each block of the range.
    fn said(&self) -> Vec<Advised> {
        let all = ADVISED.lock();
        let pieces = (self.span.addr..self.span.addr + self.span.len).step_by(GRAIN);
        pieces.map(|piece| all.get(&piece).cloned().unwrap_or_default()).collect()
    }
}

/// A place as it came from C: an aclrtMemManagedLocationType, and a number.
#[derive(Clone, Copy, Debug)]
pub struct ManagedLocation {
    /// The kind of the place.
    pub kind: i32,
    /// The number of the place.
    pub id: i32,
}

impl ManagedLocation {
    const INVALID: i32 = 0;
    const DEVICE: i32 = 1;
    const HOST: i32 = 2;
    const HOST_NUMA: i32 = 3;
    const HOST_NUMA_CURRENT: i32 = 4;

    fn home(self, argument: &str, session: &Session) -> Result<Home> {
        match self.kind {
            Self::DEVICE => {
                device::slot(session, &format!("the id of {argument}"), self.id)?;
                Ok(Home::Device(self.id as u32))
            }
            Self::HOST => Ok(Home::Host),
            Self::HOST_NUMA => u32::try_from(self.id)
                .map(Home::HostNode)
                .map_err(|_| invalid_param!("the id of {argument} is {}; NUMA nodes are numbered from 0", self.id)),
            Self::HOST_NUMA_CURRENT => Ok(Home::NearestHostNode),
            kind => Err(invalid_param!(
                "the type of {argument} is {kind}; allowed: 1 (a device), 2 (the host), 3 (a NUMA node of the host), 4 \
                 (the caller's NUMA node)"
            )),
        }
    }
}

/// Implements aclrtMemManagedAdvise. `advice` is an aclrtMemManagedAdviseType.
pub fn advise(addr: usize, size: u64, advice: i32, place: ManagedLocation) -> Result<()> {
    const LAST: i32 = 5;
    arguments::enumerated("advise", advice, 0..=LAST, "aclrtMemManagedAdviseType")?;
    let session = runtime::session()?;
    // Other kinds of advice have no place and ignore it.
    let home = match advice {
        2 | 4 | LAST => Some(place.home("location", &session)?),
        _ => None,
    };
    let range = Managed::find("ptr", addr, size as usize)?;
    let advice = match (advice, home) {
        (2, home) => Advice::PreferredHome(home),
        (3, _) => Advice::PreferredHome(None),
        (set, Some(home @ (Home::Device(_) | Home::Host))) => Advice::AccessedBy(home, set == 4),
        (_, Some(_)) => {
            return Err(invalid_param!(
                "the type of location is {}; allowed for advise {advice}: 1 (a device), 2 (the host)",
                place.kind
            ));
        }
        (set, None) => Advice::ReadMostly(set == 0),
    };
    let _memory = claim_notes([range.span].into_iter())?;
    range.device.native.advise(range.span, advice)?;
    range.note(|said| match advice {
        Advice::ReadMostly(set) => said.read_mostly = set,
        Advice::PreferredHome(home) => said.preferred = home,
        Advice::AccessedBy(home, set) => {
            said.accessed_by.retain(|other| *other != home);
            if set {
                said.accessed_by.push(home);
            }
        }
    });
    Ok(())
}

/// A range to move, and its destination.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// The first byte.
    pub addr: usize,
    /// The length in bytes.
    pub len: usize,
    /// The destination.
    pub place: ManagedLocation,
}

/// Implements aclrtMemManagedPrefetchAsync and aclrtMemManagedPrefetchBatchAsync: checks all arguments before it queues
/// anything. `argument` returns the names of the arguments for a range.
pub fn prefetch(moves: &[Move], flags: u64, stream: u64, argument: impl Fn(usize) -> (String, String)) -> Result<()> {
    arguments::no_flags("flags", flags)?;
    let session = runtime::session()?;
    let mut ready = host_memory::list("ranges", moves.len())?;
    for (index, one) in moves.iter().enumerate() {
        let (range, place) = argument(index);
        let home = one.place.home(&place, &session)?;
        ready.push((Managed::find(&range, one.addr, one.len)?, home));
    }
    let _memory = claim_notes(ready.iter().map(|(range, _)| range.span))?;
    let mut all = host_memory::list("ranges", ready.len())?;
    all.extend(ready.iter().map(|(range, home)| (range.span, *home)));
    stream::resolve(stream)?.submit(Op::Prefetch(&all))?;
    for (range, home) in ready {
        range.note(|said| said.prefetched = Some(home));
    }
    Ok(())
}

/// Fails unless `count` ranges can have this many places.
pub fn check_counts(count: usize, places: usize) -> Result<()> {
    arguments::not_zero("count", count, "pass at least one range")?;
    ensure!(
        places != 0 && places <= count,
        invalid_param!("numPrefetchLocs is {places}; allowed: 1 to {count}, the value of count")
    );
    Ok(())
}

/// Returns the place of each of `count` ranges. `firsts`, which is not empty, has the first range of each place.
pub fn places(firsts: &[usize], count: usize) -> Result<Vec<usize>> {
    let ascends = firsts.windows(2).all(|pair| pair[0] < pair[1]);
    if firsts[0] != 0 || !ascends || firsts.iter().any(|&first| first >= count) {
        return Err(invalid_param!(
            "prefetchLocIdxs is {firsts:?}; it must begin with 0, ascend, and stay below count {count}"
        ));
    }
    let mut places = host_memory::list("ranges", count)?;
    places.extend((0..count).map(|range| firsts.partition_point(|&first| first <= range) - 1));
    Ok(places)
}

/// A query of a range, as `aclrtMemManagedRangeAttribute` numbers it, and the room for the result in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// The attribute.
    pub attribute: i32,
    /// The room for the result in bytes.
    pub room: usize,
}

/// A value in place of a device id: the host, or no place.
const HOST_ID: i32 = -1;
const NO_ID: i32 = -2;
const NUMBER: usize = size_of::<i32>();

/// Implements aclrtMemManagedGetAttr and aclrtMemManagedGetAttrs: returns the numbers of each result, as many as there
/// is room for.
pub fn attributes(questions: &[Question], addr: usize, len: usize) -> Result<Vec<Vec<i32>>> {
    const ACCESSED_BY: i32 = 3;
    for &Question { attribute, room } in questions {
        arguments::enumerated("attribute", attribute, 1..=8, "aclrtMemManagedRangeAttribute")?;
        let fits = match attribute {
            ACCESSED_BY => room != 0 && room.is_multiple_of(NUMBER),
            _ => room == NUMBER,
        };
        if !fits {
            return Err(invalid_param!(
                "the size of the result of attribute {attribute} (dataSize or dataSizes) is {room}; allowed: {NUMBER}, and \
                 for attribute 3 (ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY) every multiple of {NUMBER} except 0"
            ));
        }
    }
    let range = Managed::find("ptr", addr, len)?;
    let rooms = questions.iter().map(|question| question.room);
    let bytes = rooms.fold(size_of_val(questions), usize::saturating_add).saturating_mul(2);
    let _answers = host_memory::claim("bytes of results", bytes, 1)?;
    let _memory = claim_notes([range.span].into_iter())?;
    let said = range.said();
    let preferred = common(&said, |said| said.preferred);
    let prefetched = common(&said, |said| said.prefetched);
    let answer = |question: &Question| match question.attribute {
        1 => vec![i32::from(said.iter().all(|said| said.read_mostly))],
        2 => vec![device_or_host(preferred)],
        ACCESSED_BY => accessed_by(&said, question.room / NUMBER),
        4 => vec![kind_and_id(preferred).0],
        5 => vec![kind_and_id(preferred).1],
        6 => vec![device_or_host(prefetched)],
        7 => vec![kind_and_id(prefetched).0],
        _ => vec![kind_and_id(prefetched).1],
    };
    Ok(questions.iter().map(answer).collect())
}

/// Returns the value that all blocks have in common.
fn common(said: &[Advised], of: impl Fn(&Advised) -> Option<Home>) -> Option<Home> {
    let first = of(said.first()?)?;
    said.iter().all(|said| of(said) == Some(first)).then_some(first)
}

fn device_or_host(home: Option<Home>) -> i32 {
    match home {
        Some(Home::Device(id)) => id as i32,
        Some(Home::Host | Home::HostNode(_) | Home::NearestHostNode) => HOST_ID,
        None => NO_ID,
    }
}

fn kind_and_id(home: Option<Home>) -> (i32, i32) {
    match home {
        Some(Home::Device(id)) => (ManagedLocation::DEVICE, id as i32),
        Some(Home::Host) => (ManagedLocation::HOST, 0),
        Some(Home::HostNode(node)) => (ManagedLocation::HOST_NUMA, node as i32),
        Some(Home::NearestHostNode) => (ManagedLocation::HOST_NUMA_CURRENT, 0),
        None => (ManagedLocation::INVALID, 0),
    }
}

fn accessed_by(said: &[Advised], room: usize) -> Vec<i32> {
    let by_all = |home: &&Home| said.iter().all(|said| said.accessed_by.contains(home));
    let homes = said.first().map_or(&[][..], |said| &said.accessed_by).iter().filter(by_all);
    let mut ids: Vec<_> = homes.map(|home| device_or_host(Some(*home))).collect();
    ids.sort_unstable();
    ids.resize(room, NO_ID);
    ids
}
