//! Pure data structures: they import nothing else of this crate, know no device and no C, and are
//! tested by properties and, through [`sync`], by loom.

pub mod sync;
