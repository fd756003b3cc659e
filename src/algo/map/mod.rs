//! Maps and tables: objects by address, handle or index.

pub mod address_map;
pub(crate) mod chunked;
pub mod slot_table;
pub mod typed_slots;
