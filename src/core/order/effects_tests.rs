//! Tests of what kernels may do, by their arguments.

use super::{Effect, Effects};
use crate::backend::{Access, Copy, Does, Fill, Op, Parameter, Parameters, Place, Span, Use};
use crate::order::accesses::{Accesses, Mode};

fn pointers(known: Option<&Parameters>, words: &[usize]) -> Vec<(usize, Option<Access>)> {
    let block: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let mut effects = Effects::default();
    effects.arguments(known, &block);
    let pointer = |effect: &Effect| {
        if let Effect::Pointer(addr, access) = effect { Some((*addr, *access)) } else { None }
    };
    effects.0.iter().filter_map(pointer).collect()
}

#[test]
fn every_word_of_an_undescribed_block_may_be_a_pointer() {
    assert_eq!(pointers(None, &[0x1000, 7]), [(0x1000, None), (7, None)]);
}

#[test]
fn descriptions_say_what_a_kernel_only_reads() {
    let parameter = |offset, size, pointer| Parameter { offset, size, pointer };
    let each = [
        parameter(0, 8, Some(Access::Read)),
        parameter(8, 8, Some(Access::ReadWrite)),
        // A structure, in which there may be a pointer.
        parameter(16, 16, None),
        parameter(32, 4, None),
    ];
    let known = Parameters { size: 36, each: Box::new(each) };
    let found = pointers(Some(&known), &[0x10, 0x20, 0, 0x30, 5]);
    assert_eq!(found, [(0x10, Some(Access::Read)), (0x20, Some(Access::ReadWrite)), (0x30, None)]);
}

#[test]
fn arguments_of_which_nothing_is_known_may_be_anything() {
    let mut effects = Effects::default();
    effects.arguments(None, &[]);
    assert!(matches!(*effects.0, [Effect::Unknown]));
}

#[test]
fn kernels_may_say_what_they_use() {
    let does = |does| Effect::of_use(Use { addr: 0x100, len: 64, does });
    assert!(matches!(does(Does::MayRead), Effect::Use(Use { addr: 0x100, len: 64, does: Does::MayRead })));
    let all = [does(Does::Read), does(Does::MayRead), does(Does::Write)];
    let accesses = Accesses::of(&Effects(all.into_iter().collect()));
    let modes: Vec<Mode> = accesses.0.iter().map(|access| access.mode).collect();
    assert_eq!(modes, [Mode::Read, Mode::Read, Mode::Write]);
    assert!(accesses.0.iter().all(|access| (access.addr, access.end) == (0x100, 0x140)));
}

#[test]
fn a_use_without_an_end_is_the_pointer() {
    let does = |does| Effect::of_use(Use { addr: 0x100, len: 0, does });
    assert!(matches!(does(Does::Read), Effect::Pointer(0x100, Some(Access::Read))));
    assert!(matches!(does(Does::Write), Effect::Pointer(0x100, Some(Access::ReadWrite))));
    assert!(matches!(does(Does::MayRead), Effect::Use(Use { addr: 0x100, len: 1, does: Does::MayRead })));
}

#[test]
fn a_kernel_reads_before_it_writes_and_an_argument_counts_once() {
    let one = |addr, does| Use { addr, len: 4, does };
    let mut effects = Effects::default();
    let (sum, x) = (0x10, 0x20);
    effects.uses(vec![one(sum, Does::Write), one(x, Does::Read), one(sum, Does::Read), one(x, Does::Read)]);
    let found: Vec<Use> =
        effects.0.iter().filter_map(|effect| if let Effect::Use(used) = effect { Some(*used) } else { None }).collect();
    assert_eq!(found, [one(sum, Does::Read), one(x, Does::Read), one(sum, Does::Write)]);
}

#[test]
fn the_short_way_of_copies_and_fills_finds_the_same_memory() {
    let device = |addr, len| Span { addr, len, place: Place::Device(0) };
    let host = Span { place: Place::Pageable, ..device(0x3000, 8) };
    let copy = |src, dst, stage_source| Op::Copy(Copy { dst, src, stage_source });
    let operations = [
        copy(device(0x1000, 8), device(0x2000, 8), false),
        copy(device(0x1000, 8), device(0x2000, 8), true),
        copy(host, device(0x2000, 8), false),
        copy(device(0x1000, 0), device(0x2000, 0), false),
        copy(host, Span { addr: 0x4000, ..host }, false),
        Op::Fill(Fill::bytes(device(0x2000, 8), 1)),
    ];
    let all: Vec<_> = operations.iter().map(|op| Accesses::of(&Effects::of(op))).collect();
    let lengths: Vec<_> = all.iter().map(|accesses| accesses.0.len()).collect();
    assert_eq!(lengths, [2, 1, 1, 0, 0, 1]);
    for (op, accesses) in operations.iter().zip(all) {
        assert_eq!(Accesses::of_op(op).unwrap_or_default().0, accesses.0, "{:?}", op.kind());
    }
}
