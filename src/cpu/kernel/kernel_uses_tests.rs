use super::*;

/// Reports as many ranges as its argument says, of 1, 2, ... bytes, with the flags in turn.
unsafe extern "C" fn as_many(arguments: *const c_void, uses: *mut RawUse, room: usize) -> usize {
    // SAFETY: the tests pass a number.
    let count = unsafe { arguments.cast::<usize>().read() };
    for index in 0..count.min(room) {
        let one =
            RawUse { address: std::ptr::without_provenance(index), bytes: index + 1, flags: (index as u32 % 4) << 1 };
        // SAFETY: there is room for this range.
        unsafe { uses.add(index).write(one) };
    }
    count
}

fn ranges(count: usize) -> Vec<Use> {
    of_launch(as_many, &count.to_ne_bytes()).unwrap()
}

#[test]
fn all_ranges_arrive_also_if_there_are_many() {
    for count in [0, 1, ROOM, ROOM + 1, 1000] {
        let found = ranges(count);
        assert_eq!(found.len(), count);
        assert!(found.iter().enumerate().all(|(index, one)| (one.addr, one.len) == (index, index + 1)), "{count}");
    }
}

#[test]
fn flags_say_what_the_kernel_does() {
    let does: Vec<Does> = ranges(4).iter().map(|one| one.does).collect();
    assert_eq!(does, [Does::Read, Does::Write, Does::MayRead, Does::Write]);
}
