//! The attributes of a launch.

use std::fmt::Display;

use crate::base::error::{Result, arguments, unsupported};

/// The attributes of a launch, by their ids from 1 on. Each has its name, the bits of its value and, if the value may
/// only be 0, what to do instead. The others are about speed or reporting and have no effect here, except
/// [`SHARED_BYTES`].
const ATTRIBUTES: [(&str, u64, Option<&str>); 9] = [
    ("SCHEM_MODE", 0xff, None),
    ("DYN_UBUF_SIZE", 0xffff_ffff, None),
    ("ENGINE_TYPE", 0xffff_ffff, None),
    ("BLOCKDIM_OFFSET", 0xffff_ffff, Some("pass the number of the first block as an argument")),
    ("BLOCK_TASK_PREFETCH", 0xff, None),
    ("DATA_DUMP", 0xff, Some("copy the memory that you want to inspect to the host")),
    ("TIMEOUT", 0xffff, Some("use aclrtSynchronizeStreamWithTimeout")),
    ("TIMEOUT_US", u64::MAX, Some("use aclrtSynchronizeStreamWithTimeout")),
    ("ENABLE_PROFILING", 0xff, None),
];

/// The id ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE.
const SHARED_BYTES: i32 = 2;

/// The attributes of a launch. Each has an id, and a value with the width of that attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// The attributes that were passed, as bits by their ids.
    passed: u16,
    /// Their values; 0 for those that were not passed.
    values: [u32; ATTRIBUTES.len()],
}

/// Returns the place of an attribute in [`ATTRIBUTES`].
fn index(id: i32, argument: impl Display) -> Result<usize> {
    Ok(arguments::enumerated(argument, id, 1..=ATTRIBUTES.len() as i32, "aclrtLaunchKernelAttrId")? - 1)
}

impl Config {
    /// Returns the ids of the attributes that were passed.
    pub fn ids(&self) -> impl Iterator<Item = i32> {
        let passed = self.passed;
        (1..=ATTRIBUTES.len() as i32).filter(move |id| passed & 1 << id != 0)
    }

    /// Returns the value of an attribute. It is 0 for an attribute that was not passed, and for one that may only be 0.
    pub fn value(&self, id: i32) -> Result<u32> {
        Ok(self.values[index(id, "attrId")?])
    }

    /// Returns the shared memory of each block in bytes, if it was passed.
    pub(super) fn shared_bytes(&self) -> Option<usize> {
        (self.passed & 1 << SHARED_BYTES != 0).then_some(self.values[SHARED_BYTES as usize - 1] as usize)
    }

    /// Converts attributes in the order in which they were passed. If an id occurs twice, the later value counts.
    pub fn new(attributes: impl Iterator<Item = (i32, [u32; 2])>) -> Result<Self> {
        let mut config = Self::default();
        for (at, (id, [low, high])) in attributes.enumerate() {
            let index = index(id, format_args!("cfg->attrs[{at}].id"))?;
            let (name, bits, instead) = ATTRIBUTES[index];
            let value = (u64::from(low) | u64::from(high) << 32) & bits;
            if let Some(instead) = instead.filter(|_| value != 0) {
                return Err(unsupported!(
                    "cfg->attrs[{at}] is ACL_RT_LAUNCH_KERNEL_ATTR_{name} with value {value}, which kernels here do \
                     not support; {instead}"
                ));
            }
            config.values[index] = value as u32;
            config.passed |= 1 << id;
        }
        Ok(config)
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
