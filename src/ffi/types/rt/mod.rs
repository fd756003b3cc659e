//! Types and constants of acl_rt.h and of the runtime's error codes.

mod constants;
mod device;
mod errors;
mod fault;
mod graph;
mod kernel;
mod memory;
mod physical_memory;
mod process;
mod stream;

pub use self::{
    constants::*, device::*, errors::*, fault::*, graph::*, kernel::*, memory::*, physical_memory::*, process::*,
    stream::*,
};
