//! What every region of the boundary uses: the guard around each entry, values from C, errors, logs.

pub mod app_log;
pub mod call_site;
pub mod dump;
pub mod error;
pub mod finding;
mod guard;
pub mod portacl;
mod value;

pub use self::guard::{
    guard, guard_optional, guard_out, guard_outs, guard_unsupported, guard_value, guard_value_anywhere,
};
pub use self::value::{
    Array, Callback, Out, address, bounded_bytes, bytes, check_len, check_struct_size, enum_from, enum_value, function,
    handle, must_be_null, must_not_be_null, null, read, read_number, read_optional, text, write_rows,
};
