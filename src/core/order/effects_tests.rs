//! Tests of what kernels may do, by their arguments.

use super::{Effect, Effects};
use crate::backend::{Access, Parameter, Parameters};

fn pointers(known: Option<&Parameters>, words: &[usize]) -> Vec<(usize, Option<Access>)> {
    let block: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let mut effects = Effects::default();
    effects.arguments(known, &block);
    let pointer = |effect: &Effect| match effect {
        Effect::Pointer(addr, access) => Some((*addr, *access)),
        _ => None,
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
