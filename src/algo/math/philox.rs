//! Philox 4x32-10: random numbers by their index. A block is computed from its counter and the key alone, so that any
//! part of a sequence can be generated at any place, in any order.
//!
//! From J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).

const ROUNDS: u32 = 10;
const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
/// The numbers that are added to the two halves of the key in each round.
const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];

/// Returns the block with this counter: four words, the lowest first.
#[inline]
pub fn block(key: u64, counter: u128) -> [u32; 4] {
    let mut keys = [key as u32, (key >> 32) as u32];
    let mut words = [0, 32, 64, 96].map(|shift| (counter >> shift) as u32);
    for _ in 0..ROUNDS {
        let products =
            [u64::from(MULTIPLIERS[0]) * u64::from(words[0]), u64::from(MULTIPLIERS[1]) * u64::from(words[2])];
        let high = products.map(|product| (product >> 32) as u32);
        let low = products.map(|product| product as u32);
        words = [high[1] ^ words[1] ^ keys[0], low[1], high[0] ^ words[3] ^ keys[1], low[0]];
        keys = [keys[0].wrapping_add(WEYL[0]), keys[1].wrapping_add(WEYL[1])];
    }
    words
}

#[cfg(test)]
#[path = "philox_tests.rs"]
mod tests;
