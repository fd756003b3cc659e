//! Pure data structures: they import nothing else of this crate, know no device and no C, and are
//! tested by properties and, through [`sync::primitives`], by loom.

#[macro_use]
mod ensure;

pub mod alloc;
pub mod host;
pub mod map;
pub mod math;
pub mod queue;
pub mod sync;
pub mod thread;

#[cfg(test)]
mod tests;
