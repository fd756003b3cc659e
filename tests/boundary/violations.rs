use super::*;

fn entry(body: &str) -> String {
    format!("/// Frees.\n#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn aclX(a: i32) -> i32 {{\n{body}\n}}\n")
}

#[test]
fn entries_without_guard() {
    for good in [
        "    guard(\"aclX\", || Ok(()))",
        "    guard_out(\"aclX\", \"a\", a, || Ok(0))",
        "    guard_unsupported(\"aclX\", \"no\")",
        "    guard_value(\n        \"aclX\",\n        0,\n        || Err(text(\")\")),\n    )",
    ] {
        assert_eq!(unguarded("a.rs", &entry(good)), [""; 0], "{good}");
    }
    for bad in [
        "    0",
        "    guard(\"aclY\", || Ok(()))",
        "    guard_out(\"aclY\", \"a\", a, || Ok(0))",
        "    guard_value_anywhere(\"aclX\", 0, || Ok(0))",
        "    if a == 0 { guard(\"aclX\", || Ok(())) } else { 0 }",
        "    guard(\"aclX\", || Ok(())) + 1",
        "    let a = 1;\n    guard(\"aclX\", || Ok(()))",
        "    guard(\"aclX\", || Ok(()));\n    0",
    ] {
        assert_eq!(unguarded("a.rs", &entry(bad)).len(), 1, "{bad}");
    }
    let naked = entry("    asm!()").replace("#[unsafe(no", "#[unsafe(naked)]\n#[unsafe(no");
    assert_eq!(unguarded("a.rs", &naked).len(), 1);
    assert_eq!(unguarded("a.rs", &naked.replace("aclX", "aclAppLog")), [""; 0]);
    let hidden = entry("    guard(\"aclX\", || Ok(()))").replace("#[unsafe(no_mangle)]\n", "");
    assert_eq!(unguarded("a.rs", &hidden).len(), 1);
}

#[test]
fn comments_that_lie() {
    let missing = "    guard_unsupported(\"aclX\", \"no\")";
    let missing_value = "    guard_value(\"aclX\", 0, || {\n        Err(unsupported!(\"no\"))\n    })";
    assert_eq!(wrongly_documented("a.rs", &entry(missing)).len(), 1);
    assert_eq!(wrongly_documented("a.rs", &entry(missing_value)).len(), 1);
    let says = |body| {
        entry(body)
            .replace("/// Frees.\n", "/// Frees.\n///\n/// @return 0; aclGetRecentErrMsg returns what is missing.\n")
    };
    assert_eq!(wrongly_documented("a.rs", &says(missing)), [""; 0]);
    assert_eq!(wrongly_documented("a.rs", &says(missing_value)), [""; 0]);
    assert_eq!(wrongly_documented("a.rs", &says("    guard(\"aclX\", || free(a))")).len(), 1);
    assert_eq!(wrongly_documented("a.rs", &entry("    guard(\"aclX\", || free(a))")), [""; 0]);
}

#[test]
fn other_exports() {
    let wanted = BTreeSet::from(["aclA".to_owned(), "aclB".to_owned()]);
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(differing_exports(&names(&["aclA", "aclB", "portaclC"]), &wanted), [""; 0]);
    assert_eq!(differing_exports(&names(&["aclA"]), &wanted), ["aclB is not defined"]);
    assert_eq!(differing_exports(&names(&["aclA", "aclB", "aclC"]), &wanted).len(), 1);
    assert_eq!(differing_exports(&names(&["aclA", "aclB", "aclB"]), &wanted).len(), 1);
}

#[test]
fn other_codes() {
    let text = read("src/core/base/error.rs");
    let number = text.replace("InvalidParam = 100_000", "InvalidParam = 100_001");
    let name = text.replace("InvalidParam = 100_000", "BadParam = 100_000");
    assert_ne!(text, number);
    assert_eq!(wrong_codes(&number, &constants()).len(), 1);
    assert_eq!(wrong_codes(&name, &constants()).len(), 1);
}

#[test]
fn other_declarations() {
    let text = read("integrations/cxx/src/c_api.rs");
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
