//! The mappings and ranges of a device or session in teardown.

use std::sync::Arc;

use super::{Mapping, Physical, RANGES, Ranges, forget_address};
use crate::algo::map::slot_table;
use crate::base::teardown_errors::TeardownErrors;
use crate::order::places;
use crate::runtime::device::Device;

/// Ends the mappings for which `wanted` is true. Returns those that could not be ended.
fn end_mappings(wanted: impl Fn(&Physical) -> bool, errors: &mut TeardownErrors) -> Vec<usize> {
    let mut stuck = Vec::new();
    let (taken, driver) = {
        let mut ranges = RANGES.lock();
        let taken: Vec<_> = ranges.mappings.extract_if(.., |_, part| wanted(&part.memory)).collect();
        (taken, ranges.driver.clone())
    };
    let Some(driver) = driver else { return stuck };
    for (addr, Mapping { memory, .. }) in taken {
        forget_address(addr);
        places::end(addr, memory.len);
        let unmapped = driver.virtual_memory().unmap(addr, memory.len, memory.native());
        if unmapped.is_err() {
            stuck.push(addr);
        }
        errors.step_on_device(unmapped);
    }
    slot_table::flush_deferred();
    stuck
}

/// Ends the mappings of a device's memory; the ranges stay.
pub(crate) fn end_with_device(device: &Device, errors: &mut TeardownErrors) {
    end_mappings(|memory| memory.owner == device.owner, errors);
}

/// Ends all mappings and ranges with the session.
pub(crate) fn end_with_session(errors: &mut TeardownErrors) {
    let stuck = end_mappings(|_| true, errors);
    let Ranges { reserved, driver, .. } = std::mem::replace(&mut *RANGES.lock(), Ranges::NONE);
    let Some(driver) = driver else { return };
    for (addr, len) in reserved {
        if !stuck.iter().any(|at| at.wrapping_sub(addr) < len) {
            errors.step_on_device(driver.virtual_memory().release(addr, len));
        }
    }
}

/// Ends the mappings to a device whose memory abandoned work uses. The memory stays allocated.
pub(crate) fn forget_with_device(device: &Device) {
    end_mappings_silently(|memory| memory.owner == device.owner);
}

/// Ends all mappings and ranges at the end of a session whose memory abandoned work uses. The memory stays allocated.
pub(crate) fn forget_with_session() {
    end_mappings_silently(|_| true);
    let ranges = std::mem::replace(&mut *RANGES.lock(), Ranges::NONE);
    if !ranges.reserved.is_empty() {
        std::mem::forget(ranges.driver);
    }
}

/// Ends mappings without freeing memory: addresses become invalid, the memory stays.
fn end_mappings_silently(wanted: impl Fn(&Physical) -> bool) {
    for (addr, mapping) in &mut RANGES.lock().mappings {
        if wanted(&mapping.memory) {
            forget_address(*addr);
            places::end(*addr, mapping.memory.len);
            mapping.changing = true;
            std::mem::forget(Arc::clone(&mapping.memory));
        }
    }
}
