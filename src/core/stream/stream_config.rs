//! Descriptions of streams to create.

use crate::base::error::{Result, invalid_param};

/// The fields of a description, as the API numbers them. The fields for working memory have no effect: no device needs
/// any.
pub enum Field {
    /// The address of working memory.
    WorkAddress,
    /// The size of working memory.
    WorkSize,
    /// ACL_STREAM_* flags.
    Flags,
    /// The priority.
    Priority,
}

impl Field {
    /// Converts the number of C; checks the size that the program passes for the value.
    pub fn from_number(number: i32, size: usize) -> Result<Self> {
        let (field, name, sizes): (_, _, &[usize]) = match number {
            0 => (Self::WorkAddress, "ACL_RT_STREAM_WORK_ADDR_PTR", &[8]),
            1 => (Self::WorkSize, "ACL_RT_STREAM_WORK_SIZE", &[8]),
            2 => (Self::Flags, "ACL_RT_STREAM_FLAG", &[4, 8]),
            3 => (Self::Priority, "ACL_RT_STREAM_PRIORITY", &[4]),
            _ => return Err(invalid_param!("attr is {number}; allowed: the values of aclrtStreamConfigAttr, 0 to 3")),
        };
        if sizes.contains(&size) {
            return Ok(field);
        }
        let sizes: Vec<_> = sizes.iter().map(usize::to_string).collect();
        Err(invalid_param!("valueSize is {size}; allowed for {name}: {} bytes", sizes.join(" or ")))
    }
}
