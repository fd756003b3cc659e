//! Queries of the attributes of ranges of managed memory.

use super::{Managed, Place, claim_notes};
use crate::backend::Home;
use crate::core::base::error::{Result, arguments, invalid_param};
use crate::core::base::host_memory;
use crate::core::memory::allocation::advice::Advised;

/// A query of a range, as `aclrtMemManagedRangeAttribute` numbers it, and the room for the result in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Which attribute.
    pub attribute: i32,
    /// Room for the result.
    pub room: usize,
}

/// Used instead of a device id: the host, and no place.
const HOST_ID: i32 = -1;
const NO_ID: i32 = -2;
const NUMBER: usize = size_of::<i32>();

/// aclrtMemManagedGetAttr and aclrtMemManagedGetAttrs: the numbers of each result, as many as there is room for.
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
                "dataSize is {room} for attribute {attribute}; it must be {NUMBER} bytes, or for \
                 ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY a multiple of that, not 0"
            ));
        }
    }
    let range = Managed::find("ptr", addr, len)?;
    let rooms = questions.iter().map(|question| question.room);
    let bytes = rooms.fold(size_of_val(questions), usize::saturating_add).saturating_mul(2);
    let _answers = host_memory::claim("bytes of answers", bytes, 1)?;
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

/// The value that all blocks have in common.
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
        Some(Home::Device(id)) => (Place::DEVICE, id as i32),
        Some(Home::Host) => (Place::HOST, 0),
        Some(Home::HostNode(node)) => (Place::HOST_NUMA, node as i32),
        Some(Home::NearestHostNode) => (Place::HOST_NUMA_CURRENT, 0),
        None => (Place::INVALID, 0),
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
