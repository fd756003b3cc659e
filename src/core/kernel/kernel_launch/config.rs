//! The attributes of a launch.

use crate::core::base::error::{Result, invalid_param, unsupported};

/// Attributes of a launch, as numbers of the API.
mod attribute {
    pub const SCHEM_MODE: i32 = 1;
    pub const DYN_UBUF_SIZE: i32 = 2;
    pub const ENGINE_TYPE: i32 = 3;
    pub const BLOCKDIM_OFFSET: i32 = 4;
    pub const BLOCK_TASK_PREFETCH: i32 = 5;
    pub const DATA_DUMP: i32 = 6;
    pub const TIMEOUT: i32 = 7;
    pub const TIMEOUT_US: i32 = 8;
    pub const ENABLE_PROFILING: i32 = 9;
}

/// The attributes of a launch. Each has an id and a value with the attribute's own width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Shared memory of each block in bytes.
    pub(super) shared_bytes: Option<usize>,
    /// The attributes that were passed: bits by their ids.
    given: u16,
    /// The values of those without effect here, by [`Self::HINTS`].
    hints: [u32; 4],
}

impl Config {
    /// Attributes about speed or reporting, with the bits of their values.
    const HINTS: [(i32, u32); 4] = [
        (attribute::SCHEM_MODE, 0xff),
        (attribute::ENGINE_TYPE, u32::MAX),
        (attribute::BLOCK_TASK_PREFETCH, 0xff),
        (attribute::ENABLE_PROFILING, 0xff),
    ];

    /// The ids of the attributes that were passed.
    pub fn ids(&self) -> impl Iterator<Item = i32> {
        let given = self.given;
        (attribute::SCHEM_MODE..=attribute::ENABLE_PROFILING).filter(move |id| given & 1 << id != 0)
    }

    /// The value of an attribute; 0 for one that was not passed. Those that may only be 0 are 0.
    pub fn value(&self, id: i32) -> Result<u32> {
        if !(attribute::SCHEM_MODE..=attribute::ENABLE_PROFILING).contains(&id) {
            return Err(invalid_param!("attrId is {id}; allowed: the enumerators of aclrtLaunchKernelAttrId, 1 to 9"));
        }
        if id == attribute::DYN_UBUF_SIZE {
            return Ok(self.shared_bytes.unwrap_or(0) as u32);
        }
        let hint = Self::HINTS.iter().position(|(hint, _)| *hint == id);
        Ok(hint.map_or(0, |index| self.hints[index]))
    }

    /// Converts attributes in the order in which they were passed; of two equal ids the later one counts.
    pub fn new(attributes: impl Iterator<Item = (i32, [u32; 2])>) -> Result<Self> {
        let mut config = Self::default();
        for (index, (id, value)) in attributes.enumerate() {
            let cannot = |name: &str, value: u64, instead: &str| {
                unsupported!(
                    "cfg->attrs[{index}] is ACL_RT_LAUNCH_KERNEL_ATTR_{name} with value {value}, which kernels \
                     here do not have; {instead}"
                )
            };
            let long = u64::from(value[0]) | u64::from(value[1]) << 32;
            if let Some(index) = Self::HINTS.iter().position(|(hint, _)| *hint == id) {
                config.hints[index] = value[0] & Self::HINTS[index].1;
            }
            match id {
                attribute::SCHEM_MODE
                | attribute::ENGINE_TYPE
                | attribute::BLOCK_TASK_PREFETCH
                | attribute::ENABLE_PROFILING => {}
                attribute::DYN_UBUF_SIZE => config.shared_bytes = Some(value[0] as usize),
                attribute::BLOCKDIM_OFFSET if value[0] == 0 => {}
                attribute::BLOCKDIM_OFFSET => {
                    let instead = "pass the number of the first block as an argument";
                    return Err(cannot("BLOCKDIM_OFFSET", u64::from(value[0]), instead));
                }
                attribute::DATA_DUMP if value[0] & 0xff == 0 => {}
                attribute::DATA_DUMP => {
                    let instead = "copy what is to be looked at";
                    return Err(cannot("DATA_DUMP", u64::from(value[0] & 0xff), instead));
                }
                attribute::TIMEOUT if value[0] & 0xffff == 0 => {}
                attribute::TIMEOUT_US if long == 0 => {}
                attribute::TIMEOUT | attribute::TIMEOUT_US => {
                    let (name, value) = match id {
                        attribute::TIMEOUT => ("TIMEOUT", u64::from(value[0] & 0xffff)),
                        _ => ("TIMEOUT_US", long),
                    };
                    return Err(cannot(name, value, "use aclrtSynchronizeStreamWithTimeout"));
                }
                _ => {
                    return Err(invalid_param!(
                        "cfg->attrs[{index}].id is {id}; allowed: the enumerators of \
                         aclrtLaunchKernelAttrId, 1 to 9"
                    ));
                }
            }
            config.given |= 1 << id;
        }
        Ok(config)
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
