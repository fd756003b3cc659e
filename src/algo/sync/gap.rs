//! Distance between values that different threads use.

/// As long as a cache line. A cache line that one thread writes travels between the processors of all threads that
/// read it. At the end of a `repr(C)` structure that calls write, a gap keeps the next block of the heap off that
/// line. At the start of one that all threads read, it keeps the structure off the line of the block before. A larger
/// alignment would do the same, but the C library is slow to allocate aligned blocks.
#[derive(Default)]
pub struct Gap {
    _room: [u64; 8],
}
