//! Arithmetic: random numbers, distributions, short floats.

pub mod distribution;
pub mod float;
pub mod mix;
pub mod philox;
