use super::*;

/// Returns the upper tail of the normal distribution, by its continued fraction or its power series.
fn tail(x: f64) -> f64 {
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if x > 2.5 {
        return density / (1..200).rev().fold(x, |rest, k| x + f64::from(k) / rest);
    }
    let (mut term, mut sum) = (x, x);
    for k in 1..100 {
        term *= x * x / f64::from(2 * k + 1);
        sum += term;
    }
    0.5 - density * sum
}

#[test]
fn quantiles_are_those_of_the_normal_distribution() {
    let words = (0..31).flat_map(|bit| [1u32 << bit, (1 << bit) - 1, 3 << bit >> 1]);
    for word in words.chain((0..0x8000_0000).step_by(if cfg!(miri) { 42_949_670 } else { 429_497 })) {
        let word = word & 0x7fff_ffff;
        let z = f64::from(normal(word));
        let wanted = f64::from(half_unit(word));
        let slope = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        // This is the error of the result.
        let off = (tail(z) - wanted).abs() / slope;
        assert!(off < 3e-6 * (1.0 + z), "{word:#x}: {z}, off by {off}");
        assert_eq!(normal(word | 0x8000_0000), -normal(word));
    }
}

#[test]
fn numbers_stay_where_they_belong() {
    assert_eq!(unit(0), 0.0);
    assert_eq!(unit(u32::MAX), 1.0 - 1.0 / 16_777_216.0);
    assert!(normal(0) > 6.33 && normal(0) < 6.34, "the largest: {}", normal(0));
    assert_eq!(normal(0x7fff_ffff), 0.0);
    assert_eq!(truncated_normal(0), 2.0);
    assert_eq!(truncated_normal(u32::MAX), -truncated_normal(0x7fff_ffff));
    assert!(truncated_normal(0x7fff_ffff) < 1e-6);
    for word in (0..20_000).map(|k| k * 214_748) {
        assert!(truncated_normal(word).abs() <= TRUNCATED_AT);
    }
}

#[test]
fn whole_numbers_fill_their_range() {
    let all = u32::MAX;
    assert_eq!(below_32([0, 0], 10), 0);
    assert_eq!(below_32([all, all], 10), 9);
    assert_eq!(below_32([7, 0x8000_0000], 10), 5);
    assert_eq!(below_32([all, all], all), all - 1);
    assert_eq!(below_32([all, all], 0), 0);
    assert_eq!(below_64([0; 4], 10), 0);
    assert_eq!(below_64([all; 4], 10), 9);
    assert_eq!(below_64([all; 4], u64::MAX), u64::MAX - 1);
    assert_eq!(below_64([0, 0, 0, 0x8000_0000], 1 << 63), 1 << 62);
    // The lower half carries.
    assert_eq!(below_64([all, all, all, 0x3fff_ffff], 8), 1);
    assert_eq!(below_64([0, 0, 0, 0x4000_0000], 8), 2);
}

#[test]
fn shares_that_are_dropped() {
    assert_eq!(dropped_below(0.0), 0);
    assert_eq!(dropped_below(0.25), 1 << 30);
    assert_eq!(dropped_below(1.0), 1 << 32);
    assert_eq!(dropped_below(-3.0), 0);
    assert_eq!(dropped_below(7.0), 1 << 32);
    assert_eq!(dropped_below(f32::NAN), 1 << 32);
}
