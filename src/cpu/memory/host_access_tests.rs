use super::*;

fn said(addr: usize) -> String {
    let mut text = Vec::new();
    explain(addr, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn texts_distinguish_live_and_freed_blocks_and_closed_devices() {
    // No program can have these addresses here.
    let base = 0x1000_0000_0000;
    assert_eq!(said(base), "");
    let watch = Watch::new(base, 1 << 20, 1 << 30, 3);
    let block = Block { addr: base + 4096, len: 8192, token: 0 };
    assert!(said(base + 4100).contains("memory on device 3 outside every allocation"));
    taken(&block, 5000);
    let text = said(base + 4100);
    for word in [
        "touched 0x100000001004",
        "at offset 4 in the allocation at 0x100000001000 of 5000 bytes on device 3",
        "aclrtMemcpy",
    ] {
        assert!(text.contains(word), "no {word} in: {text}");
    }
    assert!(text.ends_with('\n') && text.matches('\n').count() == 1 && text.len() < 512);
    becomes(block.addr, FREED);
    assert!(said(base + 4100).contains("at offset 4 in the freed allocation at 0x100000001000"));
    becomes(block.addr, SEGMENT);
    assert!(said(base + 4100).contains("at offset 4 in the pool segment at 0x100000001000"));
    // The next block takes the place of two freed ones.
    let (left, right) = (Block { len: 4096, ..block }, Block { addr: base + 8192, len: 4096, token: 0 });
    taken(&left, 1);
    taken(&right, 2);
    becomes(left.addr, FREED);
    becomes(right.addr, FREED);
    taken(&block, 77);
    assert!(said(base + 8192).contains("at offset 4096 in the allocation at 0x100000001000 of 77"));
    drop(watch);
    assert!(said(base + 4100).contains("memory on device 3 before its reset"));
    let again = Watch::new(base, 1 << 20, 1 << 30, 4);
    assert!(said(base + 4100).contains("memory on device 4 outside every allocation"));
    drop(again);
}
