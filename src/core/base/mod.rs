//! The base of all regions: errors, handles, configuration, the gate, callbacks in progress.

pub mod backends;
pub mod call_site;
pub mod callback;
pub mod config;
pub mod error;
pub mod finding;
pub mod gate;
pub mod handles;
pub mod host_memory;
pub mod ipc_key;
pub mod leave;
pub mod owner;
pub mod release_failure;
pub(crate) mod teardown_errors;
