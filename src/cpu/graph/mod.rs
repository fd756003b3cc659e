//! Graphs: a run is one operation of its stream, which executes the nodes one after the other in an order that keeps
//! their edges. Long nodes are divided among the workers, as in streams.
//!
//! A run goes up to the next host function, which is called as in a stream, and continues. Work that waits for the run
//! continues even if the run is dropped. A launch on another stream than the previous one waits for that one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::algo::host::host_memory::claim::Claim;
use crate::algo::math::mix::mix;
use crate::backend::Options;
use crate::backend::base::error::{downcast, downcast_shared};
use crate::backend::{Fault, FaultKind, Graph, Node, NodeLaunch, RepeatedFn, Result, Work};
use crate::kernel::kernel_launch::{self, KernelRun};
use crate::runtime::shared::Shared;
use crate::stream::event::{CpuEvent, Record};
use crate::stream::operation::GraphRun;
use crate::stream::queue::{self, Queue};
use crate::transfer::{memcpy, memcpy_2d, random_num, reduce};

/// The cost of a node besides its bytes, as the number of bytes that could be copied in that time.
const EFFORT: usize = 256;

/// The maximum number of bytes of host memory that a run needs for each event that it records.
const RECORD_BYTES: usize = 512;
/// The same for each node and each edge, if the run chooses an order.
const ORDER_BYTES: usize = 256;

/// A graph of the CPU backend.
pub(super) struct CpuGraph {
    /// The plan of the next run.
    plan: Mutex<Arc<Plan>>,
    /// The completion of the latest run. The lock is held while a run is enqueued.
    pub(super) latest: Mutex<Option<Arc<Record>>>,
    aborts: AtomicU64,
}

/// The work of a run.
struct Plan {
    nodes: Box<[Node]>,
    /// The nodes that record events, in their order.
    records: Vec<usize>,
    has_user_code: bool,
    runs_kernels: bool,
    effort: usize,
}

/// Creates a graph.
pub(super) fn create(nodes: &[Node]) -> Result<Arc<dyn Graph>> {
    Ok(Arc::new(CpuGraph { plan: Mutex::new(plan(nodes)?), latest: Mutex::new(None), aborts: AtomicU64::new(0) }))
}

/// Changes later runs of a graph.
pub(super) fn update(graph: &Arc<dyn Graph>, nodes: &[Node]) -> Result<()> {
    let graph = of(graph)?;
    let plan = plan(nodes)?;
    // The previous plan is dropped after the lock.
    let _before = std::mem::replace(&mut *graph.plan.lock(), plan);
    Ok(())
}

fn plan(nodes: &[Node]) -> Result<Arc<Plan>> {
    let (nodes, records) = (Box::from(nodes), Vec::new());
    let mut plan = Plan { nodes, records, has_user_code: false, runs_kernels: false, effort: 0 };
    for (index, node) in plan.nodes.iter().enumerate() {
        // The number of bytes that the node works on, or an equivalent.
        let effort = match &node.work {
            Work::Copy(copy) => copy.dst.len,
            Work::Copy2d(copy) => memcpy_2d::effort(copy),
            Work::Fill(fill) => fill.dst.len,
            Work::Reduce(reduce) => reduce.dst.len,
            Work::RandomNum(job) => random_num::effort(job),
            Work::Launch(launch) => {
                call_of(launch)?;
                plan.runs_kernels = true;
                // The number of bytes is unknown.
                usize::MAX
            }
            Work::HostFn(_) => {
                plan.has_user_code = true;
                0
            }
            Work::Record(event) => {
                CpuEvent::of(&**event)?;
                plan.records.push(index);
                0
            }
        };
        plan.effort = plan.effort.saturating_add(effort).saturating_add(EFFORT);
    }
    Ok(Arc::new(plan))
}

/// Downcasts a launch of this backend.
fn call_of(launch: &NodeLaunch) -> Result<&KernelRun> {
    downcast(&*launch.bound, "the launch belongs to another backend")
}

/// Downcasts a graph of this backend.
pub(super) fn of(graph: &Arc<dyn Graph>) -> Result<Arc<CpuGraph>> {
    downcast_shared(Arc::clone(graph) as _, "the graph belongs to another backend")
}

impl Graph for CpuGraph {
    fn is_running(&self) -> Result<bool> {
        Ok(self.latest.lock().as_ref().is_some_and(|done| !done.is_complete()))
    }

    fn abort(&self) {
        // Relaxed: a run in progress reads the new number eventually.
        self.aborts.fetch_add(1, Ordering::Relaxed);
    }
}

impl CpuGraph {
    /// Claims host memory for a run.
    pub(super) fn claim_run(&self, options: &Options) -> Result<Claim> {
        let plan = Arc::clone(&self.plan.lock());
        let mut bytes = plan.records.len() * RECORD_BYTES;
        if options.asynchronous {
            let edges: usize = plan.nodes.iter().map(|node| node.after.len()).sum();
            bytes += (plan.nodes.len() + edges) * ORDER_BYTES;
        }
        let text = "the host has no memory left for a run of the graph; free host memory";
        Claim::new(bytes).ok_or_else(|| Fault::out_of_host_memory(text))
    }

    /// Creates a run that is about to be enqueued with this ticket. The caller holds the stream's lock.
    pub(super) fn run_on(self: &Arc<Self>, queue: &Arc<Queue>, ticket: u64, options: &Options) -> Run {
        let seed = options.seed ^ mix(ticket);
        let plan = Arc::clone(&self.plan.lock());
        let order = options.asynchronous.then(|| plan.any_order(seed));
        let record = |index: &usize| {
            let Work::Record(event) = &plan.nodes[*index].work else { return None };
            CpuEvent::of(&**event).ok().map(|event| event.record_later(queue))
        };
        Run {
            records: plan.records.iter().filter_map(record).collect(),
            graph: Arc::clone(self),
            plan,
            order,
            next: 0,
            done: Record::queued(queue),
            stream_aborts: queue.operations.aborts(),
            graph_aborts: self.aborts.load(Ordering::Relaxed),
            cut_short: AtomicBool::new(false),
            failed: Mutex::default(),
        }
    }
}

impl Plan {
    /// Returns a random order of the nodes that keeps all edges and nothing else, so that a missing edge shows.
    fn any_order(&self, seed: u64) -> Box<[usize]> {
        let mut next = vec![Vec::new(); self.nodes.len()];
        let mut missing: Vec<usize> = self.nodes.iter().map(|node| node.after.len()).collect();
        for (index, node) in self.nodes.iter().enumerate() {
            node.after.iter().for_each(|&before| next[before].push(index));
        }
        let mut ready: Vec<usize> = (0..missing.len()).filter(|&i| missing[i] == 0).collect();
        let mut order = Vec::with_capacity(missing.len());
        while !ready.is_empty() {
            let random = mix(seed ^ mix(order.len() as u64)) as usize;
            let index = ready.swap_remove(random % ready.len());
            order.push(index);
            for &later in &next[index] {
                missing[later] -= 1;
                if missing[later] == 0 {
                    ready.push(later);
                }
            }
        }
        order.into()
    }
}

/// A run of a graph. Its waiters resume when it is dropped.
pub(super) struct Run {
    graph: Arc<CpuGraph>,
    plan: Arc<Plan>,
    /// The order of the nodes. `None`: the order in which they are listed.
    order: Option<Box<[usize]>>,
    /// The number of nodes that are complete.
    next: usize,
    /// The records of the graph's events.
    records: Box<[Arc<Record>]>,
    pub(super) done: Arc<Record>,
    /// The numbers of aborts of the stream and of the graph when the run was enqueued.
    stream_aborts: u64,
    graph_aborts: u64,
    /// True if an abort of the graph skipped nodes.
    cut_short: AtomicBool,
    /// The first failure of a kernel.
    failed: Mutex<Option<Fault>>,
}

impl Run {
    /// Runs nodes from this one on up to a call of user code. Returns that call and its node's number.
    fn run_from(&self, first: usize, shared: &Shared) -> Option<(usize, RepeatedFn)> {
        let stream = self.done.stream();
        let nodes = &self.plan.nodes;
        for place in first..nodes.len() {
            // Relaxed: an abort may come at any time.
            if self.graph.aborts.load(Ordering::Relaxed) != self.graph_aborts {
                self.cut_short.store(true, Ordering::Relaxed);
                return None;
            }
            if stream.as_ref().is_none_or(|it| it.operations.aborts() != self.stream_aborts) {
                return None;
            }
            let index = self.order.as_ref().map_or(place, |order| order[place]);
            match &nodes[index].work {
                Work::Copy(job) => memcpy::copy(shared, job),
                Work::Copy2d(job) => memcpy_2d::copy(shared, job),
                Work::Fill(job) => memcpy::fill(shared, job),
                Work::Reduce(job) => reduce::reduce(shared, job),
                Work::RandomNum(job) => random_num::make(shared, job),
                Work::Launch(launch) => {
                    if let Err(fault) = call_of(launch).and_then(|call| kernel_launch::run(shared, call)) {
                        self.failed.lock().get_or_insert(fault);
                    }
                }
                Work::Record(_) => {
                    let number = self.plan.records.partition_point(|record| *record < index);
                    queue::complete(&self.records[number]);
                }
                Work::HostFn(function) => return Some((place, *function)),
            }
        }
        None
    }
}

impl GraphRun for Run {
    fn has_user_code(&self) -> bool {
        self.plan.has_user_code
    }

    fn runs_kernels(&self) -> bool {
        self.plan.runs_kernels
    }

    fn effort(&self) -> usize {
        self.plan.effort
    }

    fn run_all(&self, shared: &Shared) -> Result<()> {
        self.run_from(0, shared);
        self.failure().map_or(Ok(()), Err)
    }

    fn run_to_user_code(&mut self, shared: &Shared) -> Option<RepeatedFn> {
        let (next, function) = self.run_from(self.next, shared)?;
        self.next = next;
        Some(function)
    }

    fn has_called(&mut self) {
        self.next += 1;
    }

    fn failure(&self) -> Option<Fault> {
        let text = "aclmdlRIAbort dropped the work that a run of the graph had not begun";
        let cut_short = || self.cut_short.load(Ordering::Relaxed).then(|| Fault::new(FaultKind::Aborted, text));
        self.failed.lock().take().or_else(cut_short)
    }

    fn drop_for(&self, why: &Fault) {
        for record in self.records.iter().filter(|record| !record.is_complete()) {
            queue::list_all(record.drop_for(why.clone()));
        }
        queue::complete(&self.done);
    }

    fn end(&self) -> Vec<Arc<Queue>> {
        let records = self.records.iter().filter(|record| !record.is_complete()).chain([&self.done]);
        records.flat_map(|record| record.complete()).collect()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if !self.done.is_complete() {
            queue::list_all(self.end());
        }
    }
}
