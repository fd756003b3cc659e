//! Profiling: traces, ranges, steps, subscriptions.

pub mod prof_range;
pub mod prof_stamp;
pub mod prof_step;
pub mod prof_subscribe;
pub mod prof_trace;
pub mod profiling;
