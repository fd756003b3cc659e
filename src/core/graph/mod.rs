//! Graphs: recorded work that runs as one operation of a stream, many times.
//!
//! From the lowest to the highest: `task` (tasks, steps, groups), `program` (launches by the backend, from a plan),
//! `flow` (launches by the host), `graph` and `capture`, and the calls (`build`, `condition`, `control`, `group`,
//! `inspect`, `picture`). `graph` and `capture` import each other: a graph that is built has a capture, and a capture
//! owns the bodies of its conditional tasks, which are graphs. So do `graph` and `end_callback`: a graph keeps the
//! callbacks for its end.
//!
//! A captured stream passes its work to the interceptor instead of the backend, and its recorder records it. Events
//! order tasks and make streams join. When the capture ends, tasks that only order others are dropped (`plan::nodes`),
//! and the backend instantiates the rest. A changed parameter is kept in the graph until aclmdlRIUpdate, which has the
//! backend update the nodes of each changed part. A driver that cannot update a graph instantiates a new one, whose
//! first launch waits for the latest launch of the old one.
//!
//! Labels, switches, streams that start others, and conditional tasks make a graph a flow. An empty graph behind the
//! ticket of a flow keeps freed memory alive where streams drop work. On other devices the stream of the run does.

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
