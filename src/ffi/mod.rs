//! The C boundary: every `extern "C"` function reads what C sends, calls the core, and answers in
//! codes. No logic lives here. One file per noun, as in `core` and `cpp_tests`.

pub mod guard;
