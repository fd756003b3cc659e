//! Many copies in one call: all of them from the host to devices, or all from devices to the host.

use std::fmt::Display;
use std::sync::Arc;

use crate::backend::{Copy, Op, Place, Span};
use crate::base::error::{Result, arguments, invalid_param, param_invalid};
use crate::base::host_memory;
use crate::memory::access::Location;
use crate::memory::allocation::CopyEnd;
use crate::memory::{self, place_in_words};
use crate::runtime::device::Device;
use crate::runtime::thread;
use crate::stream::{self, interceptor};
use crate::transfer::ends::{self, End, Expect, Own};
use crate::transfer::memcpy::is_host;
use crate::transfer::synchronous;

/// The arrays of a batch as they came from C.
pub struct Arrays<'a> {
    /// The number of copies.
    pub count: usize,
    /// The name of an array that is null.
    pub null: Option<&'static str>,
    /// Returns the copy at an index below `count`. It is only called if no array is null.
    pub entry: &'a dyn Fn(usize) -> BatchCopy,
    /// The number of attributes.
    pub attributes: usize,
    /// Returns the attribute at an index below `attributes`. It is only called if no array is null.
    pub attribute: &'a dyn Fn(usize) -> Attribute,
}

/// One copy as it came from C.
#[derive(Clone, Copy, Debug)]
pub struct BatchCopy {
    /// The destination.
    pub dst: usize,
    /// The room there in bytes, as the caller passes it.
    pub dest_max: usize,
    /// The source.
    pub src: usize,
    /// The number of bytes to copy.
    pub size: usize,
}

/// The locations of the copies from index `first` on, up to those of the next attribute.
#[derive(Clone, Copy, Debug)]
pub struct Attribute {
    /// The index of a copy.
    pub first: usize,
    /// The location of the destinations.
    pub dst: Location,
    /// The location of the sources.
    pub src: Location,
}

/// The index of the copy that is being checked. After an error this is the failed copy.
pub type Failed = usize;

/// The index if an error belongs to the whole batch and to no copy.
pub const NONE: Failed = usize::MAX;

/// The possible directions of copies: from host to device, and from device to host. With managed memory, which belongs
/// to the host and to every device, both may be possible.
type Ways = [bool; 2];

/// A batch after the checks of its values.
struct Batch {
    /// Copies of at least one byte, with their indices.
    entries: Vec<(usize, BatchCopy)>,
    attributes: Vec<Attribute>,
}

impl Batch {
    /// Reads and checks the arrays. `None`: nothing to do.
    fn read(arrays: &Arrays<'_>, failed: &mut Failed) -> Result<Option<Self>> {
        let len = arrays.count;
        if len == 0 {
            return Ok(None);
        }
        if let Some(argument) = arrays.null {
            return Err(invalid_param!("{argument} is null, but numBatches is {len}"));
        }
        let count = arrays.attributes;
        ensure!((1..=len).contains(&count), invalid_param!("numAttrs is {count}; allowed: 1 to {len} (numBatches)"));
        let mut attributes = host_memory::list(format_args!("attributes (numAttrs is {count})"), count)?;
        for index in 0..count {
            let attribute = (arrays.attribute)(index);
            check_attribute(index, attribute, attributes.last(), len)?;
            attributes.push(attribute);
        }
        let mut entries = host_memory::list(format_args!("copies (numBatches is {len})"), len)?;
        for index in 0..len {
            let entry = (arrays.entry)(index);
            if entry.size != 0 {
                *failed = index;
                check_entry(index, entry)?;
                entries.push((index, entry));
            }
        }
        *failed = NONE;
        Ok(Some(Self { entries, attributes }))
    }

    /// Returns the copies, with the memory at the addresses, for a stream or thread of device `own`. Also returns the
    /// devices that the caller holds until the copies are enqueued.
    fn resolve(&self, own: &Device, failed: &mut Failed) -> Result<(Vec<Copy>, Vec<Arc<Device>>)> {
        let mut copies = host_memory::list("copies", self.entries.len())?;
        let mut held: Vec<Arc<Device>> = Vec::new();
        let mut left = [true; 2];
        let mut attribute = 0;
        for &(index, entry) in &self.entries {
            while self.attributes.get(attribute + 1).is_some_and(|next| next.first <= index) {
                attribute += 1;
            }
            *failed = index;
            let mut expect = Located { index, which: attribute, attribute: self.attributes[attribute], left };
            let ends = ends::find(
                End { argument: format_args!("dsts[{index}]"), addr: entry.dst, len: entry.size },
                End { argument: format_args!("srcs[{index}]"), addr: entry.src, len: entry.size },
                Own::Device(own),
                &mut expect,
            )?;
            left = expect.left;
            copies.push(ends.copy(false));
            for other in ends.held.into_iter().flatten() {
                if !held.iter().any(|known| Arc::ptr_eq(known, &other)) {
                    held.push(other);
                }
            }
        }
        *failed = NONE;
        Ok((copies, held))
    }
}

fn check_attribute(index: usize, attribute: Attribute, before: Option<&Attribute>, len: usize) -> Result<()> {
    for (side, location) in [("dstLoc", attribute.dst), ("srcLoc", attribute.src)] {
        let argument = format_args!("attrs[{index}].{side}.type");
        arguments::enumerated(argument, location.kind, Location::HOST..=Location::HOST_NODE, "aclrtMemLocationType")?;
    }
    let first = attribute.first;
    match before.map(|before| before.first) {
        None if first != 0 => {
            Err(invalid_param!("attrsIndexes[0] is {first}; it must be 0, so that every copy has an attribute"))
        }
        Some(before) if first <= before || first >= len => Err(invalid_param!(
            "attrsIndexes[{index}] is {first}; allowed: greater than attrsIndexes[{}] ({before}) and less than \
             numBatches ({len})",
            index - 1
        )),
        _ => Ok(()),
    }
}

fn check_entry(index: usize, entry: BatchCopy) -> Result<()> {
    let BatchCopy { dst, dest_max, src, size } = entry;
    for (argument, addr) in [("dsts", dst), ("srcs", src)] {
        ensure!(addr != 0, invalid_param!("{argument}[{index}] is null, but sizes[{index}] is {size}"));
    }
    ensure!(size <= dest_max, invalid_param!("sizes[{index}] {size} is more than destMaxs[{index}] {dest_max}"));
    Ok(())
}

/// Whether memory matches the location.
fn fits(location: Location, span: &Span) -> bool {
    let fits = match location.kind {
        Location::DEVICE => span.place == Place::Device(location.id),
        Location::MANAGED => false,
        // For a copy, kind and NUMA node of host memory do not matter.
        _ => is_host(span.place),
    };
    // Managed memory matches every location.
    fits || memory::is_managed(span.addr)
}

fn in_words(location: Location) -> String {
    match location.kind {
        Location::DEVICE => format!("device {}", location.id),
        Location::MANAGED => "managed memory".to_owned(),
        kind => format!("host memory (type {kind})"),
    }
}

/// What a batch expects of one of its copies.
struct Located {
    /// The index of the copy.
    index: usize,
    /// The index of its attribute.
    which: usize,
    attribute: Attribute,
    /// The directions that earlier copies leave possible, and after the check this copy as well.
    left: Ways,
}

impl Expect for Located {
    fn accepts(&self, _dst: Place, _src: Place) -> bool {
        false
    }

    fn check_end(&self, which: CopyEnd, argument: impl Display, span: &Span) -> Result<()> {
        let (side, location) = match which {
            CopyEnd::Dst => ("dstLoc", self.attribute.dst),
            CopyEnd::Src => ("srcLoc", self.attribute.src),
        };
        if fits(location, span) {
            return Ok(());
        }
        Err(param_invalid!(
            "{argument} {:#x} is {}, but attrs[{}].{side} says {}; pass the location of the memory there",
            span.addr,
            place_in_words(span.place),
            self.which,
            in_words(location)
        ))
    }

    fn check(&mut self, dst: &Span, src: &Span) -> Result<()> {
        self.left = check_ways(self.index, dst, src, self.left)?;
        Ok(())
    }
}

/// Checks that all copies of a batch have one direction. Returns the directions that remain possible for later copies.
fn check_ways(index: usize, dst: &Span, src: &Span, before: Ways) -> Result<Ways> {
    let host = |span: &Span| is_host(span.place) || memory::is_managed(span.addr);
    let own = [!is_host(dst.place) && host(src), !is_host(src.place) && host(dst)];
    if own == [false; 2] {
        return Err(param_invalid!(
            "dsts[{index}] {:#x} is {} and srcs[{index}] {:#x} is {}; a batch copies only from host to device or from \
             device to host. Use aclrtMemcpy for this copy, or aclrtMemcpyAsync if both are on devices",
            dst.addr,
            place_in_words(dst.place),
            src.addr,
            place_in_words(src.place)
        ));
    }
    let left = [own[0] && before[0], own[1] && before[1]];
    if left == [false; 2] {
        let in_words = |[to_device, _]: Ways| if to_device { "from host to device" } else { "from device to host" };
        return Err(param_invalid!(
            "the copy to dsts[{index}] goes {}, but earlier copies of the batch go {}; use one batch for each \
             direction",
            in_words(own),
            in_words(before)
        ));
    }
    Ok(left)
}

/// Implements aclrtMemcpyBatch and aclrtMemcpyBatchV2: the work is complete when it returns, and no stream orders it.
pub fn copy(arrays: &Arrays<'_>, failed: &mut Failed) -> Result<()> {
    interceptor::check_unordered()?;
    let Some(batch) = Batch::read(arrays, failed)? else { return Ok(()) };
    let device = thread::current()?.device.clone();
    let (copies, _held) = batch.resolve(&device, failed)?;
    if copies.is_empty() {
        return Ok(());
    }
    synchronous::run(&device, Op::CopyBatch(&copies))
}

/// Implements aclrtMemcpyBatchAsync and aclrtMemcpyBatchAsyncV2.
pub fn copy_async(arrays: &Arrays<'_>, stream: u64, failed: &mut Failed) -> Result<()> {
    let batch = Batch::read(arrays, failed)?;
    // Copies of pageable memory may wait, and no `Ref` may live across a wait.
    let stream = stream::resolve(stream)?.to_arc();
    let Some(batch) = batch else { return Ok(()) };
    let (copies, _held) = batch.resolve(&stream.device, failed)?;
    if copies.is_empty() {
        return Ok(());
    }
    if copies.iter().any(Copy::is_pageable) {
        interceptor::check_waiting()?;
    }
    stream.submit(Op::CopyBatch(&copies)).map(drop)
}
