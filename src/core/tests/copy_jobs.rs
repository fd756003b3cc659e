//! Copies: as one span, as rows or in a batch, and the references held meanwhile.

use super::script::Thing;
use super::*;
use crate::backend::FaultKind;
use crate::base::error;
use crate::memory::access::Location;
use crate::transfer::memcpy_2d;
use crate::transfer::memcpy_batch::{self, Arrays, Attribute, BatchCopy, Failed};

/// Calls `copy` with a batch from host memory to each of these addresses of device 0.
fn up(
    to: &[usize],
    copy: impl FnOnce(&Arrays<'_>, &mut Failed) -> error::Result<()>,
) -> Result<(), (Failed, error::Error)> {
    let mut failed = memcpy_batch::NONE;
    let (dst, src) = (Location { kind: 1, id: 0 }, Location { kind: 0, id: 0 });
    let arrays = Arrays {
        count: to.len(),
        null: None,
        entry: &|index| BatchCopy { dst: to[index], dest_max: 8, src: 64, size: 8 },
        attributes: 1,
        attribute: &|_| Attribute { first: 0, dst, src },
    };
    copy(&arrays, &mut failed).map_err(|error| (failed, error))
}

fn rows(dst: usize, pitch: usize, height: usize) -> memcpy_2d::Copy2dArgs {
    let (src, src_pitch) = (64, pitch);
    memcpy_2d::Copy2dArgs { dst, dst_pitch: pitch, src, src_pitch, width: 8, height, kind: 1 }
}

/// Makes the next backend call `call` fail. So a test sees that this call was made.
fn asked(bench: &Bench, call: &'static str, job: impl FnOnce() -> error::Result<()>) {
    bench.script.fail_next(call, FaultKind::Driver, call);
    fails(job(), Code::DrvInternalError, &[call]);
}

fn blames(result: Result<(), (Failed, error::Error)>, entry: Failed, words: &str) {
    let (failed, error) = result.unwrap_err();
    assert_eq!(failed, entry, "{error:?}");
    assert!(error.text().contains(words), "{words:?} is not in: {error:?}");
}

#[test]
fn rows_without_gaps_are_one_row() {
    let bench = Bench::new();
    let dst = memory::malloc(100, 0).unwrap();
    for (pitch, height) in [(8, 3), (8, 1), (100, 1), (usize::MAX, 1)] {
        asked(&bench, "copy_now", || memcpy_2d::copy(rows(dst, pitch, height)));
        asked(&bench, "copy", || memcpy_2d::copy_async(rows(dst, pitch, height), 0));
    }
    let one_side = memcpy_2d::Copy2dArgs { src_pitch: 8, ..rows(dst, 10, 3) };
    for request in [rows(dst, 10, 3), one_side] {
        asked(&bench, "copy_2d_now", || memcpy_2d::copy(request));
        asked(&bench, "copy_2d", || memcpy_2d::copy_async(request, 0));
    }
}

#[test]
fn a_batch_is_checked_before_any_of_it_is_copied() {
    let bench = Bench::new();
    let dst = memory::malloc(64, 0).unwrap();
    let freed = memory::malloc(64, 0).unwrap();
    memory::free(freed).unwrap();
    for call in ["copy_batch_now", "copy_batch"] {
        let copy = |to: &[usize]| match call {
            "copy_batch" => up(to, |arrays, failed| memcpy_batch::copy_async(arrays, 0, failed)),
            _ => up(to, memcpy_batch::copy),
        };
        bench.script.fail_next(call, FaultKind::Driver, "it was asked");
        blames(copy(&[dst, dst + 8, 0]), 2, "dsts[2] is null");
        blames(copy(&[dst, freed, dst]), 1, "dsts[1]");
        blames(copy(&[dst + 1000, dst]), 0, "dsts[0]");
        copy(&[]).unwrap();
        // A failure of the device names no copy.
        blames(copy(&[dst, dst + 8]), memcpy_batch::NONE, "it was asked");
        copy(&[dst, dst + 8]).unwrap();
    }
}

/// The script notices calls on a closed device; a device at only one end of a copy stays open, too.
#[test]
fn a_device_at_the_other_end_is_not_closed_under_a_copy() {
    for call in ["copy_now", "copy", "copy_2d_now", "copy_2d", "copy_batch_now", "copy_batch"] {
        let bench = Bench::new();
        let dst = memory::malloc(64, 0).unwrap();
        device::set(1).unwrap();
        bench.script.close_gate(call);
        let inside = on_device(1, move || {
            let request = memcpy::CopyArgs { dst, dest_max: 64, src: 64, count: 64, kind: 1 };
            let batch = |result: Result<(), (Failed, error::Error)>| result.map_err(|(_, error)| error);
            match call {
                "copy_now" => memcpy::copy(request),
                "copy" => memcpy::copy_async(request, 0),
                "copy_2d_now" => memcpy_2d::copy(rows(dst, 10, 3)),
                "copy_2d" => memcpy_2d::copy_async(rows(dst, 10, 3), 0),
                "copy_batch_now" => batch(up(&[dst], memcpy_batch::copy)),
                _ => batch(up(&[dst], |arrays, failed| memcpy_batch::copy_async(arrays, 0, failed))),
            }
        });
        wait_until("the call to be inside", || bench.script.at_gate() == 1);
        let reset = Running::start(|| device::reset_force(0));
        reset.assert_blocked();
        assert_eq!(bench.script.live(Thing::OpenDevice), 2, "{call}");
        bench.script.open_gate();
        inside.join().unwrap();
        reset.join().unwrap();
        bench.script.assert_kept();
    }
}
