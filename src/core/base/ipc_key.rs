//! Checks of calls that share objects with other processes: room for keys, lists of processes.

use std::os::fd::OwnedFd;
use std::sync::OnceLock;

use crate::backend::base::broker::{Admission, BROKER, Form, Key, MOST_TEXT, OfferKind, Parcel};
use crate::backend::{self, Fault};
use crate::base::error::{Error, Result, invalid_param};

/// Fails if `len` bytes are too few for the text of a key.
pub fn check_room(len: usize) -> Result<()> {
    if len > MOST_TEXT {
        return Ok(());
    }
    Err(invalid_param!(
        "len is {len}; a key needs room for {MOST_TEXT} bytes and a terminating zero, {} bytes in all",
        MOST_TEXT + 1
    ))
}

/// An object that other processes can import until this is dropped.
pub struct Offer {
    kind: OfferKind,
    /// The key that other processes pass to import the object.
    pub key: Key,
    /// The processes that may import it.
    pub admission: Admission,
}

impl Offer {
    /// Returns the offer in this slot. The first call creates it from what `export` returns.
    pub fn of(
        slot: &OnceLock<Self>,
        kind: OfferKind,
        admission: Admission,
        export: impl FnOnce() -> backend::Result<(Vec<u8>, OwnedFd)>,
    ) -> Result<&Self> {
        if let Some(offer) = slot.get() {
            return Ok(offer);
        }
        let (bytes, descriptor) = export()?;
        let key = BROKER.offer(kind, Parcel::new(bytes, Some(descriptor)), admission, Form::Text)?;
        let made = Self { kind, key, admission };
        // Of two concurrent offers the second is withdrawn: it is dropped with the closure, which is not called.
        Ok(slot.get_or_init(move || made))
    }

    /// Ends the offer: the object can no longer be imported.
    pub fn withdraw(&self) {
        BROKER.withdraw(self.kind, &self.key);
    }
}

impl Drop for Offer {
    fn drop(&mut self) {
        self.withdraw();
    }
}

/// Maximum number of process ids on Linux.
const MOST_PROCESSES: usize = 1 << 22;

/// Reads the ids of `count` processes that may import an object. `count_name` is the name of that argument in the call.
pub fn processes(count_name: &str, count: usize, process: impl Fn(usize) -> i32) -> Result<Vec<i32>> {
    if count == 0 || count > MOST_PROCESSES {
        return Err(invalid_param!("{count_name} is {count}; allowed: 1 to {MOST_PROCESSES} processes"));
    }
    let named = |index| match process(index) {
        number @ 1.. => Ok(number),
        number => Err(invalid_param!(
            "pid[{index}] is {number}; it must be greater than 0. Pass the id that aclrtDeviceGetBareTgid returns in \
             the importing process"
        )),
    };
    (0..count).map(named).collect()
}

/// Creates an error for `fault` whose text begins with the name of the argument.
pub(crate) fn about(argument: &str, fault: Fault) -> Error {
    fault.with_text(|said| format!("{argument}: {said}")).into()
}

#[cfg(test)]
#[path = "ipc_key_tests.rs"]
mod tests;
