//! A large array that is allocated in chunks on demand, and whose elements never move: readers need no lock, and an
//! element's memory holds an element of the same type as long as the array lives.

#[cfg(not(loom))]
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

#[cfg(not(loom))]
use crate::host::grow::fallible;
use crate::sync::gap::Gap;
use crate::sync::primitives::atomic::{AtomicPtr, Ordering};
use crate::sync::primitives::const_unless_loom;

/// Elements that begin as all zeros, so that new chunks cost no memory until they are touched.
///
/// # Safety
/// All-zero bytes are a valid value. Loom's primitives are more than their bytes, so under loom `blank` creates the
/// value instead.
pub(crate) unsafe trait Blank {
    /// Returns the first value.
    #[cfg(loom)]
    fn blank() -> Self;
}

/// Returns a blank value on the heap, or `None` if there is no memory.
pub(crate) fn boxed_blank<T: Blank>() -> Option<Box<T>> {
    #[cfg(not(loom))]
    {
        const { assert!(size_of::<T>() != 0) };
        // SAFETY: the assertion above rejects types of size zero, which alloc_zeroed does not take.
        let made: *mut T = fallible(|| unsafe { alloc_zeroed(Layout::new::<T>()) }).cast();
        // SAFETY: allocated with the layout of T, for which all zeros are a valid value.
        (!made.is_null()).then(|| unsafe { Box::from_raw(made) })
    }
    #[cfg(loom)]
    Some(Box::new(T::blank()))
}

/// Returns the layout of a gap and a value, including its alignment, at any start of the block. The allocator would
/// write, and so touch, a zeroed block with a larger alignment than usual.
#[cfg(not(loom))]
fn room<T>() -> Layout {
    let usual = Layout::new::<usize>();
    Layout::from_size_align(size_of::<Gap>() + size_of::<T>() + align_of::<T>(), usual.align()).expect("of a chunk")
}

/// Returns a block with a blank value, and the value, or `None` if there is no memory.
#[cfg(not(loom))]
fn blank_in_block<T: Blank>() -> Option<(NonNull<u8>, NonNull<T>)> {
    // SAFETY: `room` adds the alignment of T, which is at least 1, so the layout is not empty.
    let block = NonNull::new(fallible(|| unsafe { alloc_zeroed(room::<T>()) }))?;
    let start = block.addr().get();
    let ahead = (start + size_of::<Gap>()).next_multiple_of(align_of::<T>()) - start;
    // SAFETY: inside the block, which has this room.
    Some((block, unsafe { block.add(ahead) }.cast()))
}

#[cfg(loom)]
fn blank_in_block<T: Blank>() -> Option<(NonNull<u8>, NonNull<T>)> {
    boxed_blank().map(|made| NonNull::from(Box::leak(made))).map(|made: NonNull<T>| (made.cast(), made))
}

/// # Safety
/// `blank_in_block` has allocated them, and the value is not used any more.
unsafe fn drop_in_block<T>(block: *mut u8, value: *mut T) {
    // SAFETY: the caller passes a block from `blank_in_block` and the value in it, and uses neither
    // afterwards.
    #[cfg(not(loom))]
    unsafe {
        value.drop_in_place();
        dealloc(block, room::<T>());
    }
    // SAFETY: under loom the value has its own box, and the caller gives it up with this call.
    #[cfg(loom)]
    unsafe {
        let _ = block;
        drop(Box::from_raw(value));
    }
}

/// One chunk of elements.
struct Chunk<T, const LEN: usize>([T; LEN]);

// SAFETY: an array of values for which all-zero bytes are valid.
unsafe impl<T: Blank, const LEN: usize> Blank for Chunk<T, LEN> {
    #[cfg(loom)]
    fn blank() -> Self {
        Self(std::array::from_fn(|_| T::blank()))
    }
}

/// The array of the chunks.
#[repr(C)]
struct Directory<T, const CHUNKS: usize, const LEN: usize> {
    _gap: Gap,
    chunks: [AtomicPtr<Chunk<T, LEN>>; CHUNKS],
    /// The blocks of the chunks, by their original addresses, which leak checkers look for.
    blocks: [AtomicPtr<u8>; CHUNKS],
}

// SAFETY: null pointers are all zeros.
unsafe impl<T, const CHUNKS: usize, const LEN: usize> Blank for Directory<T, CHUNKS, LEN> {
    #[cfg(loom)]
    fn blank() -> Self {
        Self {
            _gap: Gap::default(),
            chunks: std::array::from_fn(|_| AtomicPtr::new(ptr::null_mut())),
            blocks: std::array::from_fn(|_| AtomicPtr::new(ptr::null_mut())),
        }
    }
}

impl<T, const CHUNKS: usize, const LEN: usize> Directory<T, CHUNKS, LEN> {
    /// Returns the directory before the first chunk, so that readers need not check whether there is one.
    #[cfg(not(loom))]
    const fn none() -> *mut Self {
        const { assert!(size_of::<Self>() <= size_of::<NoChunks>()) };
        (&raw const NO_CHUNKS).cast_mut().cast()
    }

    /// Returns null, because loom's primitives cannot be in a static.
    #[cfg(loom)]
    fn none() -> *mut Self {
        ptr::null_mut()
    }
}

/// A type as large as the largest directory.
#[cfg(not(loom))]
type NoChunks = [AtomicPtr<()>; (1 << 15) + size_of::<Gap>() / size_of::<usize>()];

/// The empty directory, which is never written.
#[cfg(not(loom))]
static NO_CHUNKS: NoChunks = [const { AtomicPtr::new(ptr::null_mut()) }; size_of::<NoChunks>() / size_of::<usize>()];

/// An array of `CHUNKS * LEN` elements. Both numbers are powers of two.
pub(crate) struct Chunked<T, const CHUNKS: usize, const LEN: usize> {
    /// The directory, which is allocated with the first chunk. It is not inline: an array in a static is stored in the
    /// program file, as tens of kilobytes of zeros, as soon as one byte beside it is not zero.
    directory: AtomicPtr<Directory<T, CHUNKS, LEN>>,
    owns: PhantomData<Box<T>>,
}

impl<T: Blank, const CHUNKS: usize, const LEN: usize> Chunked<T, CHUNKS, LEN> {
    const_unless_loom! {
        /// Creates an array without chunks.
        pub(crate) fn new() -> Self {
            assert!(CHUNKS.is_power_of_two() && LEN.is_power_of_two());
            Self { directory: AtomicPtr::new(Directory::none()), owns: PhantomData }
        }
    }

    #[inline]
    fn directory(&self) -> Option<&Directory<T, CHUNKS, LEN>> {
        let directory = self.directory.load(Ordering::Acquire);
        if cfg!(loom) && directory.is_null() {
            return None;
        }
        // SAFETY: the empty one, or allocated by `ensure` and never freed before the array is dropped.
        Some(unsafe { &*directory })
    }

    /// Returns the element, if its chunk exists.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        let chunk = self.directory()?.chunks.get(index / LEN)?.load(Ordering::Acquire);
        // SAFETY: a chunk, once published, stays where it is until the whole array is dropped.
        let chunk = unsafe { chunk.as_ref() }?;
        Some(&chunk.0[index % LEN])
    }

    /// Returns the element, and allocates its chunk if necessary. Returns `None` if the index is too large or there is
    /// no memory. Only one thread at a time may call this.
    pub(crate) fn ensure(&self, index: usize) -> Option<&T> {
        if self.directory.load(Ordering::Relaxed) == Directory::none() {
            self.directory.store(Box::into_raw(boxed_blank()?), Ordering::Release);
        }
        let Directory { chunks, blocks, .. } = self.directory()?;
        let place = chunks.get(index / LEN)?;
        if place.load(Ordering::Relaxed).is_null() {
            let (block, chunk) = blank_in_block()?;
            blocks[index / LEN].store(block.as_ptr(), Ordering::Relaxed);
            place.store(chunk.as_ptr(), Ordering::Release);
        }
        self.get(index)
    }
}

impl<T: Blank, const CHUNKS: usize, const LEN: usize> std::ops::Index<usize> for Chunked<T, CHUNKS, LEN> {
    type Output = T;

    /// Returns an element whose chunk is known to exist.
    #[inline(always)]
    fn index(&self, index: usize) -> &T {
        self.get(index).expect("the chunk of this element was made")
    }
}

impl<T, const CHUNKS: usize, const LEN: usize> Drop for Chunked<T, CHUNKS, LEN> {
    fn drop(&mut self) {
        let directory = self.directory.load(Ordering::Acquire);
        if directory == Directory::none() {
            return;
        }
        // SAFETY: allocated by `boxed_blank` with the layout of its type, and `&mut self` excludes readers.
        let directory = unsafe { Box::from_raw(directory) };
        for (chunk, block) in directory.chunks.iter().zip(&directory.blocks) {
            let [chunk, block] = [chunk.load(Ordering::Acquire).cast::<u8>(), block.load(Ordering::Relaxed)];
            if !chunk.is_null() {
                // SAFETY: allocated by `blank_in_block`.
                unsafe { drop_in_block(block, chunk.cast::<Chunk<T, LEN>>()) };
            }
        }
    }
}
