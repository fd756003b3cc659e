//! Tests of reductions against a scalar reference that is written differently.

use crate::backend::Calls;
use half::{bf16, f16};

use super::*;

const OPS: [ReduceOp; 3] = [ReduceOp::Sum, ReduceOp::Max, ReduceOp::Min];

/// Returns the expected choice: a number beats a NaN; of two zeros, plus is the larger.
fn pick(a: f64, b: f64, op: ReduceOp) -> f64 {
    let a_first = match (a.is_nan(), b.is_nan()) {
        (true, _) => false,
        (_, true) => true,
        _ if op == ReduceOp::Max => a.total_cmp(&b).is_ge(),
        _ => a.total_cmp(&b).is_le(),
    };
    if a_first { a } else { b }
}

fn bytes<const N: usize, T: Clone>(values: &[T], to: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().cloned().flat_map(to).collect()
}

/// Reduces all pairs of the values on the device, and returns each result.
fn reduce<const N: usize>(bench: &Bench, element: Element, op: ReduceOp, a: &[u8], b: &[u8]) -> Vec<[u8; N]> {
    // The addresses are one element off the block's alignment: only the alignment of the element is guaranteed.
    let blocks = [bench.alloc(a.len() + N), bench.alloc(b.len() + N)];
    let [dst, src] = blocks.map(|block| device(block.addr + N, a.len()));
    let stream = bench.stream();
    for (span, bytes) in [(dst, a), (src, b)] {
        stream.copy(super::copy(span, pageable(&mut bytes.to_vec()))).unwrap();
    }
    stream.reduce(Reduce { dst, src, op, element }).unwrap();
    sync(&stream);
    let result = bench.read(dst.addr, dst.len);
    assert_eq!(bench.read(src.addr, src.len), b, "the source has changed");
    for block in blocks {
        bench.device.free(block).unwrap();
    }
    result.chunks_exact(N).map(|chunk| chunk.try_into().unwrap()).collect()
}

/// Returns both halves of all pairs.
fn pairs<T: Clone>(values: &[T]) -> (Vec<T>, Vec<T>) {
    values.iter().flat_map(|a| values.iter().map(move |b| (a.clone(), b.clone()))).unzip()
}

macro_rules! integers {
    ($($test:ident $t:ty, $element:ident;)*) => {$(
        #[test]
        fn $test() {
            in_all_modes(|bench| {
                let mut values = vec![<$t>::MIN, <$t>::MIN + 1, -1, 0, 1, <$t>::MAX - 1, <$t>::MAX];
                values.extend((0..300i64).map(|i| (i * 48_271 + i * i * 69_621) as $t));
                let (a, b) = pairs(&values);
                let sides = [&a, &b].map(|side| bytes(side, <$t>::to_le_bytes));
                for op in OPS {
                    let results = reduce(&bench, Element::$element, op, &sides[0], &sides[1]);
                    for (i, result) in results.into_iter().enumerate() {
                        let (x, y) = (i64::from(a[i]), i64::from(b[i]));
                        let expected = match op {
                            ReduceOp::Sum => (x + y) as $t,
                            ReduceOp::Max => x.max(y) as $t,
                            ReduceOp::Min => x.min(y) as $t,
                        };
                        assert_eq!(<$t>::from_le_bytes(result), expected, "{op:?} {x} {y}");
                    }
                }
            });
        }
    )*};
}
integers! {
    int8 i8, Int8;
    int16 i16, Int16;
    int32 i32, Int32;
}

/// Returns special values, and numbers of all sizes, in a type's bits.
fn float_values<T>(from_f64: fn(f64) -> T, smallest: T, largest: T) -> Vec<T> {
    let mut values = vec![smallest, largest];
    let infinity = f64::INFINITY;
    for special in [0.0, 1.0, 1.5, 3.25, 1e-3, 100.0, 5e4, infinity, f64::NAN] {
        values.push(from_f64(special));
        values.push(from_f64(-special));
    }
    let mut seed = 1u64;
    values.extend((0..150).map(|i| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let fraction = (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        from_f64(fraction * f64::powi(2.0, i % 30 - 15))
    }));
    values
}

macro_rules! floats {
    ($($test:ident $t:ty, $element:ident, $from:expr, $to:expr, $smallest:expr;)*) => {$(
        #[test]
        fn $test() {
            in_all_modes(|bench| {
                let (from, to): (fn(f64) -> $t, fn($t) -> f64) = ($from, $to);
                let values = float_values(from, $smallest, <$t>::MAX);
                let (a, b) = pairs(&values);
                let sides = [&a, &b].map(|side| bytes(side, <$t>::to_le_bytes));
                for op in OPS {
                    let results = reduce(&bench, Element::$element, op, &sides[0], &sides[1]);
                    for (i, result) in results.into_iter().enumerate() {
                        let (x, y) = (to(a[i]), to(b[i]));
                        // Sums are exact in double precision, so this rounds once.
                        let expected = match op {
                            ReduceOp::Sum => from(x + y),
                            _ => from(pick(x, y, op)),
                        };
                        let result = <$t>::from_le_bytes(result);
                        let same = result.to_bits() == expected.to_bits()
                            || result.is_nan() && expected.is_nan();
                        assert!(same, "{op:?} {x} {y}: {result} instead of {expected}");
                    }
                }
            });
        }
    )*};
}
floats! {
    float16 f16, Float16, f16::from_f64, f16::to_f64, f16::from_bits(1);
    bfloat16 bf16, BFloat16, bf16::from_f64, bf16::to_f64, bf16::from_bits(1);
    float32 f32, Float32, |x| x as f32, f64::from, f32::from_bits(1);
}

#[test]
fn an_operand_may_be_reduced_with_itself() {
    in_all_modes(|bench| {
        for len in [256, 3 * MIB] {
            let block = bench.alloc(len);
            let stream = bench.stream();
            stream.fill(fill(block.addr, len, 1)).unwrap();
            stream.reduce(add(block.addr, block.addr, len)).unwrap();
            sync(&stream);
            assert!(bench.read(block.addr, len).iter().all(|&byte| byte == 2));
        }
    });
}
