//! Maps and tables: objects by address, handle or index.

pub mod address_map;
pub(in crate::algo) mod chunked;
pub mod slot_table;
pub mod typed_slots;
