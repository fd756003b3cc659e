//! Graphs: capture, build, inspect, update, launch.

pub mod build;
pub mod capture;
pub mod condition;
pub mod control;
pub mod end_callback;
pub mod graph;
pub mod group;
pub mod inspect;
pub mod label;
pub mod memory;
pub mod picture;
pub mod portacl_picture;
pub mod task;
