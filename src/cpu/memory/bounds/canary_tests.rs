use super::*;

#[test]
fn changes_are_found_located_and_repaired() {
    let mut page = [0u8; 256];
    let addr = page.as_mut_ptr().expose_provenance() + 64;
    let parts = [(-64, 0), (100, 192)];
    put(addr, &parts);
    assert_eq!(mend(addr, &parts), None);
    std::hint::black_box(&mut page)[64 + 104..64 + 108].fill(0);
    assert_eq!(mend(addr, &parts), Some((104, 4)));
    assert_eq!(mend(addr, &parts), None);
    std::hint::black_box(&mut page)[60] = 1;
    assert_eq!(mend(addr, &parts), Some((-4, 1)));
    let damage = Damage { addr: 4096, asked: 100, offset: 104, bytes: 4, place: "on device 1".into() };
    assert_eq!(
        damage.to_string(),
        "a write changed 4 bytes at offset 104, 4 bytes past the end of the allocation at 0x1000 of 100 bytes on \
         device 1"
    );
    let damage = Damage { asked: 1, offset: 1, bytes: 1, ..damage };
    assert!(damage.to_string().contains("1 byte at offset 1, 0 bytes past the end"), "{damage}");
    let damage = Damage { offset: -4, ..damage };
    assert!(damage.to_string().contains("4 bytes in front of the allocation"), "{damage}");
}
