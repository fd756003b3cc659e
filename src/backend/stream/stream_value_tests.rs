use super::Comparison::{And, Equal, GreaterOrEqual, Nor};

#[test]
fn comparisons() {
    let cases = [
        (GreaterOrEqual, 5, 5, true),
        (GreaterOrEqual, 6, 5, true),
        (GreaterOrEqual, 4, 5, false),
        // The difference wraps around.
        (GreaterOrEqual, 3, u64::MAX, true),
        (GreaterOrEqual, u64::MAX, 3, false),
        (GreaterOrEqual, 1 << 63, 0, false),
        (GreaterOrEqual, (1 << 63) - 1, 0, true),
        (Equal, 7, 7, true),
        (Equal, 8, 7, false),
        (And, 0b110, 0b010, true),
        (And, 0b101, 0b010, false),
        (And, u64::MAX, 0, false),
        (Nor, 0, 0, true),
        (Nor, u64::MAX - 1, 0, true),
        (Nor, u64::MAX - 1, 1, false),
        (Nor, 0, u64::MAX, false),
    ];
    for (comparison, word, value, holds) in cases {
        assert_eq!(comparison.holds(word, value), holds, "{word} {comparison:?} {value}");
    }
}

#[test]
fn a_word_that_satisfies() {
    for comparison in [GreaterOrEqual, Equal, And, Nor] {
        for value in [0, 1, 1 << 63, u64::MAX] {
            let impossible = (comparison == And && value == 0) || (comparison == Nor && value == u64::MAX);
            let word = comparison.satisfying(value);
            assert_eq!(word.is_none(), impossible, "{comparison:?} {value}");
            assert!(word.is_none_or(|word| comparison.holds(word, value)));
        }
    }
}
