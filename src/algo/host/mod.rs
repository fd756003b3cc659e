//! The host: memory, system calls, files and texts.

pub mod cpp_name;
pub mod descriptor;
pub mod environment;
pub mod file_mappings;
pub mod grow;
#[cfg(not(loom))]
pub mod host_memory;
pub mod input_file;
pub mod notice;
pub mod output_file;
pub mod output_path;
pub mod standard_stream;
pub mod system_call;
