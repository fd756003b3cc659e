//! The one place where data structures take their synchronisation primitives from: the real ones,
//! or loom's when its model checker runs the tests (`RUSTFLAGS="--cfg loom"`).

#[cfg(not(loom))]
pub use std::sync::atomic;

#[cfg(loom)]
pub use loom::sync::atomic;
