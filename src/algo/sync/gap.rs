//! Keeps values that different threads use at a distance.

/// A gap as long as a cache line. A cache line that one thread writes travels between the processors of all threads
/// that read it. A gap at the end of a `repr(C)` structure that calls write keeps the next block of the heap off that
/// line. A gap at the start of a structure that all threads read keeps it off the line of the previous block. A larger
/// alignment would do the same, but the C library is slow to allocate aligned blocks.
#[derive(Default)]
pub struct Gap {
    _room: [u64; 8],
}
