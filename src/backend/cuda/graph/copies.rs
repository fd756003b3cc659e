//! Copies in graphs. A driver reads the pageable source of a node when the graph is launched, before the nodes that
//! write the source have run. So the graph copies pageable memory on the host, from or to pinned memory of its own, and
//! the driver's node copies between that and the device.

use cudarc::driver::sys::{CU_MEMHOSTALLOC_PORTABLE, CUgraphNode};

use super::draft::Draft;
use crate::backend::cuda::transfer::memcpy::{copy_host, is_host, is_pageable};
use crate::backend::cuda::transfer::memcpy_2d::{self, max_pitch, takes_pitch};
use crate::backend::{Copy, Copy2d, Place, Result, Rows, Span};

/// The most pinned memory of one copy. Longer ones take several turns.
const ROOM: usize = 4 << 20;

/// A plain copy, as one row.
pub fn one_row(copy: &Copy) -> Copy2d {
    let width = copy.dst.len;
    let row = |span| Rows { span, pitch: width };
    Copy2d { dst: row(copy.dst), src: row(copy.src), width, height: 1 }
}

/// The parts of a copy, of at most `width` bytes of `height` rows each.
fn parts(copy: Copy2d, width: usize, height: usize) -> impl Iterator<Item = Copy2d> {
    let part = move |row: usize, column: usize| {
        let (width, height) = (width.min(copy.width - column), height.min(copy.height - row));
        let [dst, src] = [copy.dst, copy.src].map(|rows| {
            let pitch = if height == 1 { width } else { rows.pitch };
            let addr = rows.span.addr + row * rows.pitch + column;
            Rows { span: Span { addr, len: (height - 1) * pitch + width, ..rows.span }, pitch }
        });
        Copy2d { dst, src, width, height }
    };
    let rows = (0..copy.height).step_by(height);
    rows.flat_map(move |row| (0..copy.width).step_by(width).map(move |column| part(row, column)))
}

impl Draft<'_> {
    /// Adds a copy, and returns the nodes behind which it is complete.
    pub fn add_copy(&mut self, copy: Copy2d, after: &[CUgraphNode]) -> Result<Vec<CUgraphNode>> {
        let takes_rows = takes_pitch(self.device, copy.dst.pitch.max(copy.src.pitch))?;
        let most_rows = if takes_rows { copy.height } else { 1 };
        if is_pageable([copy.dst.span.place, copy.src.span.place]) {
            return self.add_on_host(copy, most_rows, after);
        }
        // The pitch of a part of a row is its width, which the driver limits.
        let width = match takes_rows || takes_pitch(self.device, copy.width)? {
            true => copy.width.max(1),
            // A power of two, so that pieces are aligned.
            false => (max_pitch(self.device)? / 2).next_power_of_two(),
        };
        parts(copy, width, most_rows).map(|part| self.add_copy_node(&part, after)).collect()
    }

    /// Adds a copy of pageable memory.
    fn add_on_host(&mut self, copy: Copy2d, most_rows: usize, after: &[CUgraphNode]) -> Result<Vec<CUgraphNode>> {
        let width = copy.width.clamp(1, ROOM);
        let height = (ROOM / width).clamp(1, most_rows);
        let room = self.device.context.alloc_host(width * height, CU_MEMHOSTALLOC_PORTABLE)?;
        self.kept.rooms.push(room);
        let is_from_host = is_host(copy.src.span.place);
        let mut last = after.to_vec();
        for part in parts(copy, width, height) {
            let span = Span { addr: room, len: part.width * part.height, place: Place::Pinned };
            let between = Rows { span, pitch: part.width };
            let (first, second) = (Copy2d { dst: between, ..part }, Copy2d { src: between, ..part });
            for (copy, is_of_host) in [(first, is_from_host), (second, !is_from_host)] {
                last = vec![match is_of_host {
                    true => {
                        // SAFETY: rows of a range that the core has checked, and of pinned memory that the graph keeps.
                        let rows = move || (0..copy.height).for_each(|row| unsafe { copy_host(&copy.row(row)) });
                        self.add_call(rows, &last)?
                    }
                    false => self.add_copy_node(&copy, &last)?,
                }];
            }
        }
        Ok(last)
    }

    fn add_copy_node(&self, copy: &Copy2d, after: &[CUgraphNode]) -> Result<CUgraphNode> {
        let job = memcpy_2d::layer(copy, self.device);
        let context = self.device.context.raw.0;
        self.device.call(|api| {
            // SAFETY: `job` lives during the call; the core has checked both ranges, and does so
            // before each run.
            unsafe { api.graph_add_memcpy(self.raw.0, after.as_ptr(), after.len(), &job, context) }
        })
    }
}
