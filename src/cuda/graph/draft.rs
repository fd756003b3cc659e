//! Builds graphs of the driver from nodes.
//!
//! A driver reads the pageable source of a copy when the graph is launched, before the nodes that write the source have
//! run. So the graph copies pageable memory on the host, from or to the graph's pinned memory, and the driver's node
//! copies between that and the device.

use std::ffi::{c_uint, c_void};
use std::mem::MaybeUninit;
use std::sync::Arc;

use cudarc::driver::sys::{
    CU_MEMHOSTALLOC_PORTABLE, CUDA_HOST_NODE_PARAMS_st, CUDA_KERNEL_NODE_PARAMS_st, CUDA_MEMSET_NODE_PARAMS_st,
    CUgraph_st, CUgraphExec_st, CUgraphExecUpdateResultInfo, CUgraphNode,
};

use super::release_after_runs;
use crate::backend::{Copy, Copy2d, Fill, Node, Pattern, Place, Result, Rows, Span, Work, downcast};
use crate::base::api::Api;
use crate::kernel::kernel_launch::{CudaBoundLaunch, node};
use crate::kernel::library_module::THREADS;
use crate::runtime::{DeviceState, Raw};
use crate::stream::event::CudaEvent;
use crate::transfer::memcpy::{copy_host, device_pointer, fill_host, is_host, is_pageable};
use crate::transfer::memcpy_2d::{self, max_pitch, takes_pitch};
use crate::transfer::{random_num, reduce};

/// A function that the driver calls in each run.
type HostCall = Box<dyn Fn() + Send + Sync>;

/// What the nodes of a graph refer to. It is kept as long as the driver may run them.
#[derive(Default)]
pub(super) struct GraphReferences {
    calls: Vec<Arc<HostCall>>,
    /// The the graph's pinned memory.
    pub rooms: Vec<usize>,
    pub nodes: Vec<Work>,
}

/// A graph of the driver while it is built.
pub(super) struct Draft<'a> {
    pub device: &'a Arc<DeviceState>,
    pub raw: Raw<CUgraph_st>,
    pub kept: GraphReferences,
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if !self.kept.rooms.is_empty() {
            release_after_runs(self.device, None, std::mem::take(&mut self.kept));
        }
        // SAFETY: made once, destroyed once; what was made of it lives on without it.
        self.device.driver.end_in(&self.device.context, |api| unsafe { api.graph_destroy(self.raw.0) });
    }
}

impl<'a> Draft<'a> {
    pub(super) fn new(device: &'a Arc<DeviceState>, nodes: &[Node]) -> Result<Self> {
        // SAFETY: a new graph; the driver defines no flags for it.
        let raw = device.create(|api| unsafe { api.graph_create(0) })?;
        let mut draft = Draft { device, raw: Raw(raw), kept: GraphReferences::default() };
        // A node may need several of the driver's nodes.
        let mut made: Vec<Vec<CUgraphNode>> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let after: Vec<_> = node.after.iter().flat_map(|&index| made[index].clone()).collect();
            made.push(draft.add(&node.work, &after)?);
            draft.kept.nodes.push(node.work.clone());
        }
        Ok(draft)
    }

    pub(super) fn instantiate(&self) -> Result<Raw<CUgraphExec_st>> {
        // SAFETY: a live graph.
        self.device.create(|api| unsafe { api.graph_instantiate(self.raw.0, 0) }).map(Raw)
    }

    /// Updates an instantiated graph with these nodes. Returns false if the driver cannot.
    pub(super) fn update(&self, exec: Raw<CUgraphExec_st>) -> bool {
        let mut why = MaybeUninit::<CUgraphExecUpdateResultInfo>::uninit();
        // SAFETY: both are live, no other thread uses the first one now, and the driver writes the result into `why`.
        let update = |api: &Api| unsafe { api.graph_exec_update(exec.0, self.raw.0, why.as_mut_ptr()) };
        self.device.context.attempt(update).is_ok()
    }

    /// Adds the work of a node, and returns the driver's nodes for it.
    fn add(&mut self, work: &Work, after: &[CUgraphNode]) -> Result<Vec<CUgraphNode>> {
        let node = match work {
            Work::Copy(copy) => return self.add_copy(one_row(copy), after),
            Work::Copy2d(copy) => return self.add_copy(*copy, after),
            // The driver does not fill pinned memory in a stream.
            &Work::Fill(fill) if is_host(fill.dst.place) => {
                // SAFETY: the core has checked the range, and does so before each run.
                self.add_call(move || unsafe { fill_host(&fill) }, after)?
            }
            Work::Fill(fill) => self.add_fill(fill, after)?,
            Work::Reduce(job) => reduce::launch_with(self.device, job, |function, blocks, arguments| {
                self.add_kernel(&node(function, [blocks, 1, 1], [THREADS, 1, 1], arguments), after)
            })?,
            Work::RandomNum(job) => {
                return random_num::launch_with(self.device, job, |kernels, arguments| {
                    // The kernels run one after the other.
                    kernels.iter().try_fold(after.to_vec(), |last, &(function, blocks, threads)| {
                        let params = node(function, [blocks, 1, 1], [threads, 1, 1], arguments);
                        Ok(vec![self.add_kernel(&params, &last)?])
                    })
                });
            }
            Work::Launch(launch) => {
                let bound: &CudaBoundLaunch = downcast(&*launch.bound, "the launch belongs to another backend")?;
                bound.with_params(|params| self.add_kernel(params, after))?
            }
            &Work::HostFn(function) => self.add_call(move || function.run(), after)?,
            Work::Record(event) => {
                let event = CudaEvent::of(&**event)?.raw_for_good();
                self.device.call(|api| {
                    // SAFETY: the nodes before this one are in the same graph, and the event lives as long as it.
                    unsafe { api.graph_add_event_record(self.raw.0, after.as_ptr(), after.len(), event.0) }
                })?
            }
        };
        Ok(vec![node])
    }

    fn add_fill(&self, fill: &Fill, after: &[CUgraphNode]) -> Result<CUgraphNode> {
        let value = match fill.pattern {
            Pattern::Byte(value) => c_uint::from(value),
            Pattern::Word(value) => value,
        };
        let job = CUDA_MEMSET_NODE_PARAMS_st {
            dst: device_pointer(fill.dst),
            pitch: 0,
            value,
            elementSize: fill.pattern.size() as c_uint,
            width: fill.dst.len / fill.pattern.size(),
            height: 1,
        };
        let (graph, context) = (self.raw.0, self.device.context.raw.0);
        self.device.call(|api| {
            // SAFETY: `job` lives during the call, and the core checks the filled range before each
            // run.
            unsafe { api.graph_add_memset(graph, after.as_ptr(), after.len(), &job, context) }
        })
    }

    fn add_kernel(&self, params: &CUDA_KERNEL_NODE_PARAMS_st, after: &[CUgraphNode]) -> Result<CUgraphNode> {
        self.device.call(|api| {
            // SAFETY: a live function, and its arguments, which the driver copies during the call.
            unsafe { api.graph_add_kernel(self.raw.0, after.as_ptr(), after.len(), params) }
        })
    }

    fn add_call(&mut self, call: impl Fn() + Send + Sync + 'static, after: &[CUgraphNode]) -> Result<CUgraphNode> {
        let call: Arc<HostCall> = Arc::new(Box::new(call));
        let argument: *mut c_void = Arc::as_ptr(&call).cast_mut().cast();
        let params = CUDA_HOST_NODE_PARAMS_st { fn_: Some(call_back), userData: argument };
        let node = self.device.call(|api| {
            // SAFETY: the graph keeps the call's box for as long as the graph may run.
            unsafe { api.graph_add_host(self.raw.0, after.as_ptr(), after.len(), &params) }
        })?;
        self.kept.calls.push(call);
        Ok(node)
    }

    /// Adds a copy, and returns the nodes after which it is complete.
    fn add_copy(&mut self, copy: Copy2d, after: &[CUgraphNode]) -> Result<Vec<CUgraphNode>> {
        let takes_rows = takes_pitch(self.device, copy.dst.pitch.max(copy.src.pitch))?;
        let most_rows = if takes_rows { copy.height } else { 1 };
        if is_pageable([copy.dst.span.place, copy.src.span.place]) {
            return self.add_on_host(copy, most_rows, after);
        }
        // The pitch of a part of a row is its width, which the driver limits.
        let width = match takes_rows || takes_pitch(self.device, copy.width)? {
            true => copy.width.max(1),
            // The width is a power of two, so that parts are aligned.
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

/// The maximum number of bytes of pinned memory for one copy. Longer copies take several turns.
const ROOM: usize = 4 << 20;

/// Returns a plain copy as one row.
fn one_row(copy: &Copy) -> Copy2d {
    let width = copy.dst.len;
    let row = |span| Rows { span, pitch: width };
    Copy2d { dst: row(copy.dst), src: row(copy.src), width, height: 1 }
}

/// Returns the parts of a copy. Each has at most `height` rows of at most `width` bytes.
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

unsafe extern "C" fn call_back(argument: *mut c_void) {
    // SAFETY: a call that its graph keeps, and that never changes.
    (unsafe { &*argument.cast::<HostCall>() })();
}
