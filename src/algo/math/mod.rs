//! Arithmetic: random numbers, distributions, short floats, ranges.

pub mod distribution;
pub mod float;
pub mod gaps;
pub mod mix;
pub mod philox;
