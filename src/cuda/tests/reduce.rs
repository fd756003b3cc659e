//! Tests of reductions.

use half::{bf16, f16};

use super::Setup;
use crate::backend::{Calls, Element, Reduce, ReduceOp, Wait};

#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn long_reductions_are_exact() {
    let setup = Setup::new();
    let stream = setup.stream();
    let count = 10_001;
    let left: Vec<f32> = (0..count).map(|index| index as f32 * 0.5 - 1000.0).collect();
    let right: Vec<f32> = (0..count).map(|index| 3000.0 - index as f32).collect();
    let bytes = |values: &[f32]| -> Vec<u8> { values.iter().flat_map(|value| value.to_ne_bytes()).collect() };
    type Op = fn(f32, f32) -> f32;
    let ops: [(ReduceOp, Op); 3] =
        [(ReduceOp::Sum, |a, b| a + b), (ReduceOp::Max, f32::max), (ReduceOp::Min, f32::min)];
    for (op, expected) in ops {
        let (dst, src) = (setup.on_device(count * 4), setup.on_device(count * 4));
        setup.write(&dst, &bytes(&left));
        setup.write(&src, &bytes(&right));
        let element = Element::Float32;
        stream.reduce(Reduce { dst: dst.span(), src: src.span(), op, element }).unwrap();
        assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
        let expected: Vec<f32> = left.iter().zip(&right).map(|(a, b)| expected(*a, *b)).collect();
        assert!(setup.read(&dst) == bytes(&expected), "{op:?}");
    }
}

/// Reduces 1 and 5 with 3 and 2, by every operation and in every type.
#[test]
#[ignore = "needs a CUDA driver or the test double"]
fn every_kernel_runs() {
    let setup = Setup::new();
    let stream = setup.stream();
    let encode = |element: Element, values: [i8; 2]| -> Vec<u8> {
        let encode = |value: i8| match element {
            Element::Int8 => value.to_ne_bytes().to_vec(),
            Element::Int16 => i16::from(value).to_ne_bytes().to_vec(),
            Element::Int32 => i32::from(value).to_ne_bytes().to_vec(),
            Element::Float16 => f16::from_f32(f32::from(value)).to_ne_bytes().to_vec(),
            Element::BFloat16 => bf16::from_f32(f32::from(value)).to_ne_bytes().to_vec(),
            Element::Float32 => f32::from(value).to_ne_bytes().to_vec(),
        };
        values.into_iter().flat_map(encode).collect()
    };
    let elements =
        [Element::Int8, Element::Int16, Element::Int32, Element::Float16, Element::BFloat16, Element::Float32];
    for element in elements {
        let len = 2 * element.size();
        let (dst, src) = (setup.on_device(len), setup.on_device(len));
        setup.write(&src, &encode(element, [3, 2]));
        for (op, expected) in [(ReduceOp::Sum, [4, 7]), (ReduceOp::Max, [3, 5]), (ReduceOp::Min, [1, 2])] {
            setup.write(&dst, &encode(element, [1, 5]));
            stream.reduce(Reduce { dst: dst.span(), src: src.span(), op, element }).unwrap();
            assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
            assert_eq!(setup.read(&dst), encode(element, expected), "{op:?} {element:?}");
        }
    }
}
