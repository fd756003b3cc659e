//! What the API means: validation, life cycle, semantics. Knows no C and no driver.
#![cfg_attr(not(test), forbid(unsafe_code))]
#![cfg_attr(test, deny(unsafe_code))]

pub mod error;
