//! Copies in graphs between pageable memory and a device. A driver reads the pageable source of a node when the graph
//! is launched, before the nodes that write the source have run. So the graph copies on the host, between pageable
//! memory and pinned memory of its own, and the driver's node copies between that and the device.

use cudarc::driver::sys::{CU_MEMHOSTALLOC_PORTABLE, CUgraphNode};

use super::draft::{Draft, HostCall};
use crate::backend::cuda::base::api::Api;
use crate::backend::cuda::transfer::memcpy::is_host;
use crate::backend::cuda::transfer::memcpy_2d::takes_pitch;
use crate::backend::{Copy, Copy2d, FaultKind, Place, Result, Rows, Span};

/// The most pinned memory of one copy. Longer ones take several turns.
const ROOM: usize = 4 << 20;

/// A plain copy, as one row.
pub fn one_row(copy: &Copy) -> Copy2d {
    let width = copy.dst.len;
    let row = |span| Rows { span, pitch: width };
    Copy2d { dst: row(copy.dst), src: row(copy.src), width, height: 1 }
}

/// `width` bytes of `height` rows, from this byte of this row on.
fn part(rows: &Rows, row: usize, column: usize, width: usize, height: usize) -> Rows {
    let pitch = if height == 1 { width } else { rows.pitch };
    let addr = rows.span.addr + row * rows.pitch + column;
    Rows { span: Span { addr, len: (height - 1) * pitch + width, ..rows.span }, pitch }
}

/// Copies rows between two ranges of host memory.
///
/// # Safety
/// Both are live, and writable or readable respectively.
pub unsafe fn copy_rows(copy: &Copy2d) {
    for row in 0..copy.height {
        let src: *const u8 = std::ptr::with_exposed_provenance(copy.src.span.addr + row * copy.src.pitch);
        let dst: *mut u8 = std::ptr::with_exposed_provenance_mut(copy.dst.span.addr + row * copy.dst.pitch);
        // SAFETY: rows of two host ranges, as the caller promises; they may be the same.
        unsafe { std::ptr::copy(src, dst, copy.width) };
    }
}

impl Draft<'_> {
    /// Adds a copy of pageable memory.
    pub fn add_on_host(&mut self, copy: &Copy2d, after: &[CUgraphNode]) -> Result<Vec<CUgraphNode>> {
        let width = copy.width.clamp(1, ROOM);
        let height = match takes_pitch(self.device, copy.dst.pitch.max(copy.src.pitch))? {
            true => (ROOM / width).clamp(1, copy.height),
            false => 1,
        };
        let room = self.pinned_room(width * height)?;
        let is_from_host = is_host(copy.src.span.place);
        let mut last = after.to_vec();
        for (row, column) in (0..copy.height).step_by(height).flat_map(|row| {
            let columns = (0..copy.width).step_by(width);
            columns.map(move |column| (row, column))
        }) {
            let (width, height) = (width.min(copy.width - column), height.min(copy.height - row));
            let [dst, src] = [&copy.dst, &copy.src].map(|rows| part(rows, row, column, width, height));
            let span = Span { addr: room, len: width * height, place: Place::Pinned };
            let between = Rows { span, pitch: width };
            let first = Copy2d { dst: between, src, width, height };
            let second = Copy2d { dst, src: between, width, height };
            for (copy, is_of_host) in [(first, is_from_host), (second, !is_from_host)] {
                let node =
                    if is_of_host { self.add_call(HostCall::Copy(copy), &last)? } else { self.add_copy(&copy, &last)? };
                last = vec![node];
            }
        }
        Ok(last)
    }

    /// Pinned memory that the graph keeps.
    fn pinned_room(&mut self, len: usize) -> Result<usize> {
        // SAFETY: new pinned memory.
        let allocate = |api: &Api| unsafe { api.mem_host_alloc(len, CU_MEMHOSTALLOC_PORTABLE) };
        let room = self.device.context.call_for(FaultKind::OutOfHostMemory, allocate)?.expose_provenance();
        self.kept.rooms.push(room);
        Ok(room)
    }
}
