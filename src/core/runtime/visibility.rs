//! The devices of the machine that this process uses, and their ids.
//!
//! A *user id* counts the devices of this process; nearly every call takes it. A *logical id* counts those of the
//! machine or container, before `ASCEND_RT_VISIBLE_DEVICES`. A *physical id* counts those of the hardware; here it
//! equals the logical id.
//!
//! The backend opens only the devices of this process, so its ordinals are user ids.

use crate::algo::count::Count;
use crate::algo::host::notice::notice_once;
use crate::base::config::VISIBLE_DEVICES;
use crate::base::error::{Code, Result, error_with};

/// The devices of this process among those of the backend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Visibility {
    /// The logical ids, by user id.
    pub logical: Box<[u32]>,
    /// Number of logical ids.
    all: u32,
}

impl Visibility {
    /// Returns the devices that the variable's value selects among `all`; `None` selects all. Parsing ends at the first
    /// entry that is not an id, is not less than `all`, or is a repetition.
    pub fn choose(value: Option<&str>, all: u32) -> Self {
        let Some(value) = value else { return Self { logical: (0..all).collect(), all } };
        let mut logical = Vec::new();
        for entry in value.split(',') {
            let entry = entry.trim_matches([' ', '\t']);
            let digits = !entry.is_empty() && entry.bytes().all(|byte| byte.is_ascii_digit());
            match entry.parse() {
                Ok(id) if digits && id < all && !logical.contains(&id) => logical.push(id),
                _ => break,
            }
        }
        Self { logical: logical.into(), all }
    }

    /// Reports the first ignored entry of the variable on standard error. An empty entry and -1, which programs use on
    /// purpose as the end of the list, are not reported.
    pub fn report_ignored(&self, value: Option<&str>) {
        let Some(value) = value else { return };
        let entry = value.split(',').nth(self.logical.len()).map(|it| it.trim_matches([' ', '\t']));
        if let Some(entry) = entry.filter(|entry| !matches!(*entry, "" | "-1")) {
            notice_once(&format!(
                "the environment variable {VISIBLE_DEVICES} is \"{value}\"; \"{entry}\" and all entries after it are \
                 ignored; allowed, each once: {}",
                ids(self.all)
            ));
        }
    }

    /// Returns the number of devices of this process.
    pub fn count(&self) -> u32 {
        self.logical.len() as u32
    }

    /// Describes the valid ids, for a text about an id that is out of range.
    pub fn allowed(&self) -> String {
        let (count, all) = (self.count(), self.all);
        if count == all {
            return ids(count);
        }
        format!("{} ({VISIBLE_DEVICES} hides {})", ids(count), Count((all - count) as usize, "device"))
    }

    /// Returns the logical id of a user id.
    pub fn logical_of(&self, argument: &str, user: i32) -> Result<i32> {
        let found = usize::try_from(user).ok().and_then(|user| self.logical.get(user));
        let logical = found
            .ok_or_else(|| error_with!(Code::InvalidDeviceId, "{argument} is {user}; allowed: {}", self.allowed()))?;
        Ok(*logical as i32)
    }

    /// Returns this logical id, which is the physical id as well, if the machine has it.
    pub fn check_logical(&self, argument: &str, logical: i32) -> Result<i32> {
        if (0..self.all as i32).contains(&logical) {
            return Ok(logical);
        }
        Err(error_with!(Code::InvalidDeviceId, "{argument} is {logical}; allowed: {}", ids(self.all)))
    }

    /// Returns the user id of a logical id.
    pub fn user_of(&self, argument: &str, logical: i32) -> Result<i32> {
        self.check_logical(argument, logical)?;
        let user = self.logical.iter().position(|known| *known as i32 == logical);
        user.map(|user| user as i32).ok_or_else(|| {
            error_with!(
                Code::InvalidDeviceId,
                "{argument} is {logical}; {VISIBLE_DEVICES} hides this device, so it has no user id; list the device there, \
                 before any invalid entry"
            )
        })
    }
}

/// Returns the ids of this many devices.
fn ids(count: u32) -> String {
    match count {
        0 => "none".to_owned(),
        1 => "0, the id of the only device".to_owned(),
        more => format!("the ids 0 to {} of {}", more - 1, Count(more as usize, "device")),
    }
}

#[cfg(test)]
#[path = "visibility_tests.rs"]
mod tests;
