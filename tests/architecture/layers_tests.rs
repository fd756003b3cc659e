use super::*;

#[test]
fn layers_that_look_up() {
    assert_eq!(upward("src/core/a.rs", "use crate::ffi::base::guard;").len(), 1);
    assert_eq!(upward("src/backend/cpu/a.rs", "let a = crate::core::base::error::last();").len(), 1);
    assert_eq!(upward("src/algo/a.rs", "fn a() {}\nuse crate::{backend, algo};").len(), 1);
    assert_eq!(upward("src/algo/a.rs", "// as crate::backend has it"), [""; 0]);
    assert_eq!(upward("src/ffi/a.rs", "use crate::core::base::error;"), [""; 0]);
}

#[test]
fn unsafe_code() {
    assert_eq!(with_unsafe("a.rs", "fn a() {\n    unsafe { b() }\n}\n"), ["a.rs:2: unsafe"]);
    let test = "#![forbid(unsafe_code)]\n// unsafe\n#[cfg(test)]\nmod tests {\n    unsafe {}\n}\n";
    assert_eq!(with_unsafe("a.rs", test), [""; 0]);
}

#[test]
fn values_that_go_before_their_thread() {
    let bad = "fn a() {\n    std::thread_local! { static A: Vec<u8> = const { Vec::new() }; }\n}\n";
    assert_eq!(other_thread_values("src/core/a.rs", bad).len(), 1);
    assert_eq!(other_thread_values("src/core/a.rs", "use std::thread::LocalKey;\n").len(), 1);
    assert_eq!(other_thread_values(PER_THREAD, bad), [""; 0]);
    let good = "// thread_local!\nper_thread! {\n    static A: Cell<u8> = Cell::new(1);\n}\n";
    assert_eq!(other_thread_values("src/core/a.rs", good), [""; 0]);
    let others = format!("loom::thread_local! {{}}\n#[cfg(test)]\nmod tests {{\n{bad}}}\n");
    assert_eq!(other_thread_values("src/algo/a.rs", &others), [""; 0]);
    let behind = format!("#[cfg(test)]\nfn b() {{}}\n{bad}");
    assert_eq!(other_thread_values("src/algo/a.rs", &behind).len(), 1);
}

#[test]
fn other_declarations() {
    let text = read("cxx/src/c_api.rs");
    let defined = definitions();
    for (from, to) in [
        ("deviceId: i32,\n        kind", "deviceId: u32,\n        kind"),
        ("fn portaclMemorySnapshot(", "fn portaclMemorySnapshots("),
        ("fn aclGetRecentErrMsg() -> *const c_char", "fn aclGetRecentErrMsg() -> *mut c_char"),
    ] {
        let other = text.replacen(from, to, 1);
        assert_ne!(text, other, "{from}");
        assert_eq!(differing_declarations(&other, &defined).len(), 1, "{from}");
    }
}
