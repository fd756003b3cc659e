//! What calls that share objects with other processes check: room for keys, lists of processes.

use crate::backend::Fault;
use crate::backend::base::broker::MOST_TEXT;
use crate::core::base::error::{Error, Result, invalid_param};

/// Fails if `len` bytes are too few for the text of a key.
pub fn check_room(len: usize) -> Result<()> {
    if len > MOST_TEXT {
        return Ok(());
    }
    Err(invalid_param!("len is {len}; a key needs room for {MOST_TEXT} bytes and a zero, {} in all", MOST_TEXT + 1))
}

/// Linux has at most this many process ids.
const MOST_PROCESSES: usize = 1 << 22;

/// Processes that may import an object.
pub struct ProcessList(Vec<i32>);

impl ProcessList {
    /// Reads `count` process ids. `count_name` is the name of that argument in the call.
    pub fn new(count_name: &str, count: usize, process: impl Fn(usize) -> i32) -> Result<Self> {
        if count == 0 || count > MOST_PROCESSES {
            return Err(invalid_param!(
                "{count_name} is {count}; the list has between 1 and {MOST_PROCESSES} processes"
            ));
        }
        let named = |index| match process(index) {
            number @ 1.. => Ok(number),
            number => Err(invalid_param!(
                "pid[{index}] is {number}; processes have numbers above 0 (aclrtDeviceGetBareTgid there)"
            )),
        };
        (0..count).map(named).collect::<Result<_>>().map(Self)
    }

    /// The process ids.
    pub(in crate::core) fn numbers(&self) -> &[i32] {
        &self.0
    }
}

/// An error for `fault` whose text begins with the name of the argument.
pub(in crate::core) fn about(argument: &str, fault: Fault) -> Error {
    let text = format!("{argument}: {}", fault.text());
    fault.with_text(text).into()
}
