//! What every region of the boundary uses: the guard around each entry, values from C, errors, logs.

pub mod app_log;
pub mod dump;
pub mod error;
pub mod fork;
pub mod guard;
pub mod portacl;
pub mod value;
