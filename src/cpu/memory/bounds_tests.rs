use super::*;
use crate::base::bytes;
use crate::memory::pending::Users;
use crate::memory::pinned::HostMemory;

#[test]
fn kernels_with_larger_pages_have_no_guard_mode() {
    assert!(guardable(4 << 10).is_ok());
    for page in [16 << 10, 64 << 10] {
        let text = guardable(page).unwrap_err().text().to_owned();
        assert!(text.contains("PORTACL_CPU_GUARD") && text.contains(&page.to_string()), "{text}");
    }
}

#[test]
fn allocations_end_where_a_page_does_as_far_as_their_alignment_allows() {
    let of = |len| Layout::new(len, if len < UNIT { 512 } else { UNIT });
    assert_eq!(of(512), Layout { extent: 2 * UNIT, align: UNIT, lead: UNIT - 512 });
    assert_eq!(of(3584), Layout { extent: 2 * UNIT, align: UNIT, lead: 512 });
    assert_eq!(of(UNIT), Layout { extent: 2 * UNIT, align: UNIT, lead: 0 });
    assert_eq!(Layout::new(HUGE, HUGE), Layout { extent: HUGE + UNIT, align: HUGE, lead: 0 });
}

static FOUND: Mutex<Vec<(String, usize, usize)>> = Mutex::new(Vec::new());

/// Returns guarded memory, and a block of it.
fn guarded(len: usize) -> (HostMemory, Block) {
    damage::report_damage_by(|text, addr, len| FOUND.lock().push((text.to_owned(), addr, len)));
    let memory = HostMemory::new(Bounds::new(Check::Guard, 0, "in host memory".to_owned()).into(), true);
    let block = memory.take(len).unwrap();
    (memory, block)
}

fn overwrite(addr: usize) {
    // SAFETY: a byte of memory that only this test has.
    unsafe { bytes::address(addr).write_volatile(1) }
}

fn found_at(addr: usize) -> Vec<(String, usize)> {
    let found = FOUND.lock();
    found.iter().filter(|(_, at, _)| *at == addr).map(|(text, _, len)| (text.clone(), *len)).collect()
}

#[test]
fn bytes_past_memory_that_is_unmapped_are_a_report() {
    let (memory, block) = guarded(100);
    overwrite(block.addr + 100);
    memory.free_unused(block);
    let found = found_at(block.addr);
    let [(text, len)] = found.as_slice() else { panic!("{found:?}") };
    assert!(
        text.contains("1 byte at offset 100")
            && text.ends_with("found when the freed memory was unmapped (guard mode)")
    );
    assert_eq!(*len, 100);
}

#[test]
fn bytes_past_a_block_of_a_pool_are_a_report_when_it_is_freed() {
    const PAGE: usize = UNIT as usize;
    let (memory, Block { addr, .. }) = guarded(6 * PAGE);
    let segment = Bounds::new(Check::Guard, 0, "on device 0".to_owned());
    segment.got(addr, 2 * PAGE);
    for (at, is_overwritten) in [(addr, true), (addr + 1024, false)] {
        segment.note_allocated(at, 512);
        overwrite(at + 512 - usize::from(!is_overwritten));
        segment.returned(at, Users::default().fence(at, 512));
        let found = found_at(at);
        assert_eq!(found.len(), usize::from(is_overwritten), "{found:?}");
        let is_named =
            |(text, len): &(String, usize)| text.contains("found when the allocation was freed") && *len == 512;
        assert!(found.iter().all(is_named), "{found:?}");
    }
    // The pages that the segment has closed stay closed.
    std::mem::forget(memory);
}
