//! Pure data structures. They import nothing else of this crate, and know no device and no C. Properties and, through
//! [`sync::primitives`], loom test them.

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
