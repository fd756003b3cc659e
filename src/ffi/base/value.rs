//! Reads arguments from C, and writes results to C.

use std::ffi::{c_char, c_void};
use std::mem::{MaybeUninit, needs_drop, size_of};

use crate::core::base::error::{Error, Result, invalid_param};
use crate::core::base::host_memory;

/// The destination of a result: a pointer from C that is not null.
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// `pointer` as the destination of a result; null is an error that names `argument`.
    #[inline]
    pub fn new(argument: &str, pointer: *mut T) -> Result<Self> {
        ensure!(!pointer.is_null(), null(argument));
        Ok(Self(pointer))
    }

    /// Writes the result. Called on success only, so that a failure leaves the destination unchanged.
    #[inline]
    pub fn write(self, value: T) {
        // SAFETY: not null, and by the contract of the C boundary it points to room for a T. C may
        // pass packed memory, so alignment is not assumed.
        unsafe { self.0.write_unaligned(value) }
    }

    /// Writes several results to consecutive elements.
    ///
    /// # Safety
    ///
    /// There is room for all of them.
    pub unsafe fn write_all(self, values: impl IntoIterator<Item = T>) {
        for (index, value) in values.into_iter().enumerate() {
            // SAFETY: the caller has room for all `values`, and `index` is below their number.
            unsafe { self.0.wrapping_add(index).write_unaligned(value) };
        }
    }
}

impl Out<c_void> {
    /// Writes a number as an `int` if it is short, else in 64 bits.
    pub fn write_number(self, is_short: bool, number: u64) {
        if is_short { Out(self.0.cast()).write(number as u32) } else { Out(self.0.cast()).write(number) }
    }
}

/// Writes a result that the caller need not ask for: a null pointer asks for none.
pub(super) fn write_unless_null<T>(pointer: *mut T, value: T) {
    if !pointer.is_null() {
        Out(pointer).write(value);
    }
}

/// Writes as many rows as fit, each as `to_c` converts it, and their total number. With a null array it only returns
/// the number.
///
/// # Safety
///
/// `T` begins with its size as a `usize`. `first` is null or has room for `capacity` elements; if `capacity` is not 0,
/// the caller has set the size in the first one.
pub unsafe fn write_rows<R, T>(
    (argument, first, capacity): (&str, *mut T, usize),
    count: *mut usize,
    rows: impl FnOnce() -> Result<Vec<R>>,
    to_c: impl FnMut(&R) -> T,
) -> Result<()> {
    let count = Out::new("count", count)?;
    let wanted = !first.is_null() && capacity != 0;
    if wanted {
        // SAFETY: an element that begins with its size, which the caller has set.
        unsafe { check_struct_size(argument, first) }?;
    }
    let rows = rows()?;
    if wanted {
        // SAFETY: there is room for `capacity` elements.
        unsafe { Out(first).write_all(rows.iter().take(capacity).map(to_c)) };
    }
    count.write(rows.len());
    Ok(())
}

/// An array from C: a number of elements behind a pointer, which may be null.
pub struct Array<T> {
    first: *const T,
    len: usize,
}

impl<T> Array<T> {
    /// `len` elements at `first`.
    pub fn new(first: *const T, len: usize) -> Self {
        Self { first, len }
    }

    /// `len` elements at `first`. Null with elements is an error that names both arguments.
    pub fn checked(argument: &str, first: *const T, count: &str, len: usize) -> Result<Self> {
        ensure!(!first.is_null() || len == 0, invalid_param!("{argument} is null, but {count} is {len}"));
        Ok(Self { first, len })
    }

    /// The element at this index, which must exist.
    #[inline]
    pub fn get(&self, index: usize) -> T {
        const { assert!(!needs_drop::<T>()) };
        assert!(!self.first.is_null() && index < self.len, "beyond the end of an array");
        // SAFETY: not null and within the length, which by the contract of the C boundary is as
        // much as there is. A structure of C may be copied. C may pass packed memory, so alignment
        // is not assumed.
        unsafe { self.first.add(index).read_unaligned() }
    }

    /// The elements, one after the other.
    pub fn iter(&self) -> impl Iterator<Item = T> {
        (0..self.len).map(|index| self.get(index))
    }

    /// All elements; a null array is an error that names the argument.
    pub fn to_vec(&self, name: &str) -> Result<Vec<T>> {
        must_not_be_null(name, self.first)?;
        let mut all = host_memory::list(format_args!("members of {name}"), self.len)?;
        all.extend(self.iter());
        Ok(all)
    }
}

/// `len` bytes at `first`, from 1 to `most`; any other length is an error that names the arguments.
///
/// # Safety
///
/// `first` is null or points to `len` bytes.
pub unsafe fn bounded_bytes(
    argument: &str,
    first: *const c_char,
    length: &str,
    len: usize,
    most: usize,
) -> Result<Vec<u8>> {
    ensure!(!first.is_null(), invalid_param!("{argument} is null; pass the address of at least one byte"));
    ensure!((1..=most).contains(&len), invalid_param!("{length} is {len}; allowed: 1 to {most} bytes"));
    let mut all = host_memory::list(format_args!("bytes of {argument}"), len)?;
    all.extend(Array::new(first.cast::<u8>(), len).iter());
    Ok(all)
}

/// Checks a pointer that is reserved by the API: it must be null.
pub fn must_be_null<T>(argument: &str, pointer: *const T) -> Result<()> {
    ensure!(pointer.is_null(), invalid_param!("{argument} is {:#x}; it must be null", pointer.addr()));
    Ok(())
}

/// Checks a pointer that the entry reads itself: it must not be null.
pub fn must_not_be_null<T>(argument: &str, pointer: *const T) -> Result<()> {
    ensure!(!pointer.is_null(), invalid_param!("{argument} is null; pass a valid pointer"));
    Ok(())
}

/// The value behind a pointer; null is an error that names `argument`.
pub fn read<T>(argument: &str, pointer: *const T) -> Result<T> {
    must_not_be_null(argument, pointer)?;
    Ok(Array::new(pointer, 1).get(0))
}

/// The value behind a pointer that may be null.
pub fn read_optional<T>(pointer: *const T) -> Option<T> {
    (!pointer.is_null()).then(|| Array::new(pointer, 1).get(0))
}

/// The number behind a pointer that is not null: an `int` if it is short, else of 64 bits.
pub fn read_number(pointer: *const c_void, is_short: bool) -> u64 {
    if is_short { Array::new(pointer.cast::<u32>(), 1).get(0).into() } else { Array::new(pointer.cast(), 1).get(0) }
}

/// A function of the program; null is an error that names `argument`, and `advice` what to pass.
pub fn function<F>(argument: &str, function: Option<F>, advice: &str) -> Result<F> {
    function.ok_or_else(|| invalid_param!("{argument} is null; {advice}"))
}

/// A function of the program that a call runs on one of the program's threads (`algo/thread/cancellation.rs`): a thread
/// that ends inside may unwind the frame that calls it.
pub trait Callback {
    /// The type of the same function for the compiler: it may unwind.
    type MayUnwind;
    /// Returns the function.
    fn may_unwind(self) -> Self::MayUnwind;
}

macro_rules! callbacks {
    ($($argument:ident),*) => {
        impl<R, $($argument),*> Callback for unsafe extern "C" fn($($argument),*) -> R {
            type MayUnwind = unsafe extern "C-unwind" fn($($argument),*) -> R;
            fn may_unwind(self) -> Self::MayUnwind {
                // SAFETY: the two types of functions have the same calling convention.
                unsafe { std::mem::transmute::<Self, Self::MayUnwind>(self) }
            }
        }
    };
}

callbacks!(A);
callbacks!(A, B);
callbacks!(A, B, C);

/// Checks the size at the beginning of a structure that the caller has filled in.
///
/// # Safety
///
/// `first` is null or points to a T whose first field is the size.
pub unsafe fn check_struct_size<T>(argument: &str, first: *const T) -> Result<()> {
    must_not_be_null(argument, first)?;
    // SAFETY: not null, and all these structures begin with their size. C may pass packed memory.
    let size = unsafe { first.cast::<usize>().read_unaligned() };
    if size == size_of::<T>() {
        return Ok(());
    }
    Err(invalid_param!("{argument}->structSize is {size}; it must be {}, the size of the structure", size_of::<T>()))
}

/// Checks a number of bytes that C passes; `length` is its name.
pub fn check_len(length: &str, len: usize) -> Result<()> {
    let most = isize::MAX as usize;
    ensure!(len <= most, invalid_param!("{length} is {len}; allowed: at most {most} bytes"));
    Ok(())
}

/// The bytes of `what`, at least one: `argument` is the name of their address, `length` that of their number.
///
/// # Safety
///
/// `first` is null or points to `len` bytes, which outlive the result.
pub unsafe fn bytes<'a>(
    argument: &str,
    first: *const c_void,
    length: &str,
    len: usize,
    what: &str,
) -> Result<&'a [u8]> {
    must_not_be_null(argument, first)?;
    ensure!(len != 0, invalid_param!("{length} is 0; it must be the number of bytes of {what}"));
    check_len(length, len)?;
    // SAFETY: `first` is not null, and the caller vouches for `len` bytes there.
    Ok(unsafe { std::slice::from_raw_parts(first.cast::<u8>(), len) })
}

/// The error for a null pointer.
#[cold]
pub fn null(argument: &str) -> Error {
    invalid_param!("{argument} is null; it must point to room for the result")
}

/// Handles are numbers that C sees as pointers.
pub mod handle {
    use std::ffi::c_void;

    /// The number in a handle from C.
    #[inline]
    pub fn from_c(handle: *mut c_void) -> u64 {
        handle.addr() as u64
    }

    /// A handle for C.
    #[inline]
    pub fn to_c(raw: u64) -> *mut c_void {
        std::ptr::without_provenance_mut(raw as usize)
    }
}

/// Addresses of memory that programs pass in and get back.
pub mod address {
    use std::ffi::c_void;

    /// The address in a pointer from C.
    #[inline]
    pub fn from_c(pointer: *const c_void) -> usize {
        pointer.expose_provenance()
    }

    /// A pointer for C.
    #[inline]
    pub fn to_c(addr: usize) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut(addr)
    }
}

/// Zero-terminated texts.
pub mod text {
    use std::ffi::{CStr, OsStr, c_char};
    use std::os::unix::ffi::OsStrExt;

    use crate::core::base::error::{Result, invalid_param};

    /// The destination of a text: a buffer from C with room for at least the terminating zero.
    pub struct Buffer {
        first: *mut c_char,
        size: usize,
    }

    impl Buffer {
        /// `size` bytes at `first`; null or size 0 is an error that names the argument.
        pub fn new(argument: &str, first: *mut c_char, bound: &str, size: usize) -> Result<Self> {
            ensure!(!first.is_null(), super::null(argument));
            ensure!(
                size != 0,
                invalid_param!("{bound} is 0; {argument} needs room for a text and its terminating zero")
            );
            Ok(Self { first, size })
        }

        /// Writes the text and a terminating zero; a text that does not fit is truncated at a character.
        pub fn write(self, text: &str) {
            let mut len = text.len().min(self.size - 1);
            while !text.is_char_boundary(len) {
                len -= 1;
            }
            // SAFETY: by the contract of the C boundary there is room for `size` bytes, and
            // `len` is below `size`; a caller's buffer and our text do not overlap.
            unsafe {
                self.first.copy_from_nonoverlapping(text.as_ptr().cast(), len);
                self.first.add(len).write(0);
            }
        }
    }

    /// A short text padded with zeros, for a field of a structure; a text that does not fit is truncated.
    pub fn array<const N: usize>(text: &str) -> [c_char; N] {
        let mut field = [0; N];
        for (to, from) in field[..N - 1].iter_mut().zip(text.bytes()) {
            *to = from as c_char;
        }
        field
    }

    /// The text behind a pointer; null is an error that names `argument`.
    ///
    /// # Safety
    ///
    /// As [`optional`].
    pub unsafe fn required<'a>(argument: &str, text: *const c_char) -> Result<&'a OsStr> {
        // SAFETY: `optional` asks for no more than this function: null or a C string.
        unsafe { optional(text) }.ok_or_else(|| invalid_param!("{argument} is null; it must be a text"))
    }

    /// The text behind a pointer, `None` for null.
    ///
    /// # Safety
    ///
    /// `text` is null or points to a zero-terminated text that outlives the result.
    pub unsafe fn optional<'a>(text: *const c_char) -> Option<&'a OsStr> {
        if text.is_null() {
            return None;
        }
        // SAFETY: `text` is not null here, so by the contract it is a C string.
        let text = unsafe { CStr::from_ptr(text) };
        Some(OsStr::from_bytes(text.to_bytes()))
    }
}

/// The number that C passed where the header has an `enum`; it may not be one of the enumerators.
pub fn enum_value<E>(raw: MaybeUninit<E>) -> i32 {
    const { assert!(size_of::<E>() == size_of::<i32>()) };
    // SAFETY: as large as an i32, and C fills all of an enum argument; any bits are an i32.
    unsafe { raw.as_ptr().cast::<i32>().read_unaligned() }
}

/// A number where the header has an `enum`, which C may have chosen.
pub fn enum_from<E>(number: i32) -> MaybeUninit<E> {
    const { assert!(size_of::<E>() == size_of::<i32>()) };
    let mut raw = MaybeUninit::<E>::uninit();
    // SAFETY: as large as an i32; it stays uninitialised as far as Rust is concerned.
    unsafe { raw.as_mut_ptr().cast::<i32>().write_unaligned(number) };
    raw
}

#[cfg(test)]
#[path = "value_tests.rs"]
mod tests;
