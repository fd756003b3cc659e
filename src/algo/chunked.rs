//! A big array that is made in chunks when they are needed, and whose elements never move: readers
//! need no lock, and an element's memory holds an element of the same type as long as the array
//! lives.

use std::marker::PhantomData;
use std::ptr::{self, NonNull};

use super::sync::atomic::{AtomicPtr, Ordering};
use super::sync::{array_of, const_unless_loom};

/// Elements that begin as all zeros, so that new chunks cost no memory until they are touched.
///
/// # Safety
/// All-zero bytes are a valid value. Loom's primitives are more than their bytes: under loom
/// `blank` makes the value instead, and nothing is asked of its bytes.
pub unsafe trait Blank {
    /// The first value.
    #[cfg(loom)]
    fn blank() -> Self;
}

/// A blank value on the heap; `None` when there is no memory.
pub fn boxed_blank<T: Blank>() -> Option<NonNull<T>> {
    #[cfg(not(loom))]
    {
        const { assert!(size_of::<T>() != 0) };
        // SAFETY: the size is not zero.
        NonNull::new(unsafe { std::alloc::alloc_zeroed(std::alloc::Layout::new::<T>()) }.cast())
    }
    #[cfg(loom)]
    NonNull::new(Box::into_raw(Box::new(T::blank())))
}

/// One chunk.
struct Chunk<T, const LEN: usize>([T; LEN]);

// SAFETY: an array of values for which all-zero bytes are valid.
unsafe impl<T: Blank, const LEN: usize> Blank for Chunk<T, LEN> {
    #[cfg(loom)]
    fn blank() -> Self {
        Self(std::array::from_fn(|_| T::blank()))
    }
}

/// `CHUNKS * LEN` elements; both are powers of two.
pub struct Chunked<T, const CHUNKS: usize, const LEN: usize> {
    chunks: [AtomicPtr<Chunk<T, LEN>>; CHUNKS],
    owns: PhantomData<Box<T>>,
}

impl<T: Blank, const CHUNKS: usize, const LEN: usize> Chunked<T, CHUNKS, LEN> {
    const_unless_loom! {
        /// No chunk exists yet.
        pub fn new() -> Self {
            assert!(CHUNKS.is_power_of_two() && LEN.is_power_of_two());
            Self { chunks: array_of!(AtomicPtr::new(ptr::null_mut())), owns: PhantomData }
        }
    }

    /// The element, if its chunk exists.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&T> {
        let chunk = self.chunks.get(index / LEN)?.load(Ordering::Acquire);
        // SAFETY: null, or made by `ensure` and never freed before the array is dropped.
        let chunk = unsafe { chunk.as_ref() }?;
        Some(&chunk.0[index % LEN])
    }

    /// The element; makes its chunk if need be. `None` when the index is too large or there is no
    /// memory. One caller at a time.
    pub fn ensure(&self, index: usize) -> Option<&T> {
        let place = self.chunks.get(index / LEN)?;
        if place.load(Ordering::Relaxed).is_null() {
            place.store(boxed_blank()?.as_ptr(), Ordering::Release);
        }
        self.get(index)
    }

    /// All elements of existing chunks, with their indices.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        let first = (0..CHUNKS).map(|chunk| chunk * LEN).filter(|&first| self.get(first).is_some());
        first.flat_map(|first| (first..first + LEN).map(|index| (index, &self[index])))
    }
}

impl<T: Blank, const CHUNKS: usize, const LEN: usize> std::ops::Index<usize>
    for Chunked<T, CHUNKS, LEN>
{
    type Output = T;

    /// For elements whose chunk is known to exist.
    #[inline]
    fn index(&self, index: usize) -> &T {
        self.get(index).expect("the chunk of this element was made")
    }
}

impl<T, const CHUNKS: usize, const LEN: usize> Drop for Chunked<T, CHUNKS, LEN> {
    fn drop(&mut self) {
        for place in &self.chunks {
            let chunk = place.load(Ordering::Acquire);
            if !chunk.is_null() {
                // SAFETY: made by `boxed_blank` with the layout of its type, and nobody looks.
                drop(unsafe { Box::from_raw(chunk) });
            }
        }
    }
}
