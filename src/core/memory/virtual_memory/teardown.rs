//! The mappings and ranges of a device or session in teardown.

use std::sync::Arc;

use super::{Mapping, Physical, RANGES, Range, forget_address};
use crate::algo::map::slot_table;
use crate::core::base::teardown_errors::TeardownErrors;
use crate::core::runtime::device::Device;

/// Ends mappings: of one device, or all. Returns those that could not be ended.
fn end_mappings(wanted: impl Fn(&Physical) -> bool, errors: &mut TeardownErrors) -> Vec<usize> {
    let mut taken = Vec::new();
    for range in RANGES.lock().0.values_mut() {
        let of_it = range.mappings.extract_if(.., |_, part| wanted(&part.memory));
        taken.extend(of_it.map(|(addr, part)| (addr, part, range.driver.clone())));
    }
    let mut stuck = Vec::new();
    for (addr, Mapping { memory, .. }, driver) in taken {
        forget_address(addr);
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
pub fn end_with_device(device: &Device, errors: &mut TeardownErrors) {
    end_mappings(|memory| memory.owner == device.owner, errors);
}

/// Ends all mappings and ranges with the session.
pub fn end_with_session(errors: &mut TeardownErrors) {
    let stuck = end_mappings(|_| true, errors);
    let all = std::mem::take(&mut RANGES.lock().0);
    for (addr, Range { len, driver, .. }) in all {
        if stuck.iter().any(|at| at.wrapping_sub(addr) < len) {
            continue;
        }
        errors.step_on_device(driver.virtual_memory().release(addr, len));
    }
}

/// As [`end_with_device`], if abandoned work uses its memory.
pub fn forget_with_device(device: &Device) {
    end_mappings_silently(|memory| memory.owner == device.owner);
}

/// As [`end_with_session`], if abandoned work uses its memory.
pub fn forget_with_session() {
    end_mappings_silently(|_| true);
    std::mem::forget(std::mem::take(&mut RANGES.lock().0));
}

/// Addresses become invalid, the memory stays.
fn end_mappings_silently(wanted: impl Fn(&Physical) -> bool) {
    for range in RANGES.lock().0.values_mut() {
        for (addr, mapping) in &mut range.mappings {
            if wanted(&mapping.memory) {
                forget_address(*addr);
                mapping.changing = true;
                std::mem::forget(Arc::clone(&mapping.memory));
            }
        }
    }
}
