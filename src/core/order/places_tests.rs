use super::*;
use crate::order::accesses::Mode;

/// The aliases are those of the process, so each test has its own addresses.
const FAR: usize = 0x7000_0000_0000;

fn range(addr: usize, len: usize) -> Access {
    Access { addr, end: addr + len, mode: Mode::Write }
}

fn placed(used: &[Access]) -> Vec<(usize, usize)> {
    of(used).unwrap_or_else(|| used.into()).iter().map(|access| (access.addr, access.end)).collect()
}

#[test]
fn memory_has_one_place_at_all_its_addresses() {
    let [first, second] = [FAR, FAR + 0x1000_0000];
    let memory = Physical::new(0x1000);
    add(first, 0x1000, memory.0, None);
    add(second, 0x1000, memory.0, None);
    let place = memory.0;
    assert_eq!(placed(&[range(first + 8, 8)]), [(place + 8, place + 16)]);
    assert_eq!(placed(&[range(second + 8, 8)]), [(place + 8, place + 16)]);
    assert_eq!(of_byte(second + 9), place + 9);
    assert_eq!(addresses(place + 9).as_slice(), [first + 9, second + 9]);
    end(first, 0x1000);
    assert_eq!(placed(&[range(first + 8, 8)]), [(first + 8, first + 16)]);
    assert_eq!(addresses(place + 9).as_slice(), [second + 9]);
    end(second, 0x1000);
    assert_eq!(addresses(place + 9).as_slice(), [0; 0]);
}

#[test]
fn an_address_has_the_place_of_what_is_mapped_there_now() {
    let addr = FAR + 0x2000_0000;
    let memories = [Physical::new(0x1000), Physical::new(0x1000)];
    assert!(memories[0].0.abs_diff(memories[1].0) >= 0x1000);
    for memory in memories {
        let before = generation();
        add(addr, 0x1000, memory.0, None);
        assert_ne!(generation(), before);
        assert_eq!(of_byte(addr), memory.0);
        end(addr, 0x1000);
    }
}

#[test]
fn an_access_is_divided_at_the_ends_of_aliases() {
    let addr = FAR + 0x3000_0000;
    let [first, second] = [Physical::new(0x1000).0, Physical::new(0x1000).0];
    add(addr, 0x1000, second, None);
    add(addr + 0x1000, 0x1000, first, None);
    assert_eq!(
        placed(&[range(addr - 8, 0x2010)]),
        [(addr - 8, addr), (second, second + 0x1000), (first, first + 0x1000), (addr + 0x2000, addr + 0x2008)]
    );
    assert_eq!(of(&[range(addr - 8, 8), range(addr + 0x2000, 8)]), None);
    end(addr, 0x2000);
    assert_eq!(of(&[range(addr, 8)]), None);
}

#[test]
fn another_address_may_stand_for_both() {
    let [host, device] = [FAR + 0x4000_0000, FAR + 0x5000_0000];
    add(device, 0x1000, host, None);
    assert_eq!(placed(&[range(device + 4, 4), range(host + 4, 4)]), [(host + 4, host + 8); 2]);
    assert_eq!(addresses(host + 4).as_slice(), [host + 4, device + 4]);
    end(device, 0x1000);
}

#[test]
fn parts_of_a_file_have_one_place() {
    let file = (3, 77);
    let mapping = |addr: usize, offset: u64| FileMapping { addrs: addr..addr + 0x1000, file, offset };
    let all = [mapping(FAR + 0x6000_0000, 0), mapping(FAR + 0x7000_0000, 0x800)];
    for mapping in &all {
        add_part(mapping, mapping.addrs.clone(), &all, &|_| false);
    }
    assert_eq!(of_byte(all[0].addrs.start + 0x900), of_byte(all[1].addrs.start + 0x100));
    assert_ne!(of_byte(all[0].addrs.start), of_byte(all[1].addrs.start));
    assert_eq!(PLACES.lock().files.get(&file).map(|(_, count)| *count), Some(2));
    all.iter().for_each(|mapping| end(mapping.addrs.start, mapping.addrs.len()));
    assert_eq!(PLACES.lock().files.get(&file), None, "nothing is kept of a file without aliases");
    // A part of memory that the process allocated itself is named by that memory.
    add_part(&all[1], all[1].addrs.start..all[1].addrs.start + 8, &all, &|addr| addr < FAR + 0x7000_0000);
    assert_eq!(of_byte(all[1].addrs.start), all[0].addrs.start + 0x800);
    end(all[1].addrs.start, 8);
}
