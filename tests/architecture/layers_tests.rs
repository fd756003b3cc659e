use super::*;

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
