//! The blocks and threads of a launch, and the bounds of a device.

use crate::backend::ThreadLimits;
use crate::base::error::{Result, invalid_param};

/// The blocks and threads of a launch.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// The number of blocks; the device chooses the threads.
    Blocks(u32),
    /// Blocks of a grid, threads of a block, and shared memory of a block.
    Grid {
        /// Blocks in x, y and z.
        grid: [u32; 3],
        /// Threads in x, y and z.
        threads: [u32; 3],
        /// Shared memory of a block in bytes.
        shared_bytes: usize,
    },
}

/// Maximum number of blocks of a device without limits: that of all GPUs, so that the same launches work everywhere.
const GRID: [u32; 3] = [0x7fff_ffff, 0xffff, 0xffff];
const THREADS: [u32; 3] = [1024, 1024, 64];
const THREADS_PER_BLOCK: u32 = 1024;

const AXES: [char; 3] = ['x', 'y', 'z'];

impl Shape {
    /// Fails for zero blocks or threads, which are an error on every device.
    #[inline(always)]
    pub(super) fn check_not_empty(self) -> Result<()> {
        if matches!(self, Self::Blocks(1..)) { Ok(()) } else { self.check_each_not_empty() }
    }

    #[inline(never)]
    fn check_each_not_empty(self) -> Result<()> {
        let each = match self {
            Self::Blocks(0) => return Err(invalid_param!("numBlocks is 0; it must be 1 or more")),
            Self::Blocks(_) => return Ok(()),
            Self::Grid { grid, threads, .. } => [("gridDim", grid), ("blockDim", threads)],
        };
        for (argument, counts) in each {
            if let Some(axis) = counts.iter().position(|count| *count == 0) {
                return Err(invalid_param!("{argument}.{} is 0; it must be 1 or more", AXES[axis]));
            }
        }
        Ok(())
    }

    /// Fails unless a device can have this many blocks and threads.
    #[inline(never)]
    pub(super) fn check_bounds(self, limits: Option<&ThreadLimits>) -> Result<()> {
        let most_blocks = limits.map_or(GRID, |limits| limits.grid);
        let most_threads = limits.map_or(THREADS, |limits| limits.block);
        let per_block = limits.map_or(THREADS_PER_BLOCK, |limits| limits.per_block);
        let (grid, threads) = match self {
            Self::Blocks(count) if count > most_blocks[0] => {
                let most = most_blocks[0];
                return Err(invalid_param!("numBlocks is {count}; allowed: at most {most}, the limit of the device"));
            }
            Self::Blocks(_) => return Ok(()),
            Self::Grid { grid, threads, .. } => (grid, threads),
        };
        for (argument, counts, most) in [("gridDim", grid, most_blocks), ("blockDim", threads, most_threads)] {
            for ((count, most), axis) in counts.into_iter().zip(most).zip(AXES) {
                ensure!(
                    count <= most,
                    invalid_param!("{argument}.{axis} is {count}; allowed: at most {most}, the limit of the device")
                );
            }
        }
        let count: u64 = threads.iter().map(|count| u64::from(*count)).product();
        if count > u64::from(per_block) {
            let [x, y, z] = threads;
            return Err(invalid_param!(
                "blockDim is {x} x {y} x {z}, {count} threads; allowed: at most {per_block}, the limit of a block"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "shape_tests.rs"]
mod tests;
