//! Graphs: recorded work that runs as one operation of a stream, many times.

pub mod build;
pub mod capture;
pub mod condition;
pub mod control;
pub mod end_callback;
pub mod flow;
#[expect(clippy::module_inception, reason = "a graph is the main object of its region")]
mod graph;
pub mod group;
pub mod inspect;
pub mod label;
pub mod memory;
pub mod picture;
mod program;
pub mod task;

pub use self::graph::{Graph, abort, destroy, execute, execute_async};
