//! Reading what C sent.

use std::mem::{MaybeUninit, size_of};

/// The number that C passed where the header says `enum`; it need not be one of the enumerators.
pub fn enum_value<E: Copy>(raw: MaybeUninit<E>) -> i32 {
    const { assert!(size_of::<E>() == size_of::<i32>()) };
    // SAFETY: as large as an i32, and C fills all of an enum argument; any bits are an i32.
    unsafe { raw.as_ptr().cast::<i32>().read_unaligned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ffi::types::aclrtMemcpyKind;

    #[test]
    fn any_number_is_read() {
        for number in [3, -1, i32::MAX] {
            let mut raw = MaybeUninit::<aclrtMemcpyKind>::uninit();
            // SAFETY: the enum is as large as an i32.
            unsafe { raw.as_mut_ptr().cast::<i32>().write(number) };
            assert_eq!(enum_value(raw), number);
        }
    }
}
