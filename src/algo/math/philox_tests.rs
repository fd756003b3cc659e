use super::*;

fn counter(words: [u32; 4]) -> u128 {
    words.iter().rev().fold(0, |all, &word| all << 32 | u128::from(word))
}

/// The values that the authors have published with their Random123.
#[test]
fn known_answers() {
    let all = u32::MAX;
    let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
    for (key, words, answer) in [
        ([0; 2], [0; 4], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
        ([all; 2], [all; 4], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
        ([0xa409_3822, 0x299f_31d0], pi, [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]),
    ] {
        let key = u64::from(key[0]) | u64::from(key[1]) << 32;
        assert_eq!(block(key, counter(words)), answer);
    }
}
