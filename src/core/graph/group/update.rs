//! Changes of a group: a stream records the same operations with other arguments.

use std::sync::Arc;

use parking_lot::Mutex;

use super::{Group, Shape, Version, name};
use crate::algo::host::grow::Grow;
use crate::algo::host::host_memory::claim::Claim;
use crate::backend::{Delivery, Op, Payload, Position, Ticket, Work};
use crate::core::base::error::{Code, Error, Result};
use crate::core::base::{handles, host_memory};
use crate::core::graph::Graph;
use crate::core::graph::flow::serving::{self, Call};
use crate::core::graph::recorder::Recorder;
use crate::core::graph::task::{self, What};
use crate::core::stream;

/// A change of a group that a stream records.
pub struct Update {
    group: Arc<Group>,
    state: Mutex<Changes>,
}

#[derive(Default)]
struct Changes {
    kinds: Vec<(What, Shape)>,
    works: Vec<Work>,
    /// A submitted operation that a group cannot have.
    spoilt: Option<&'static str>,
}

impl Update {
    /// Adds works of one kind. Returns how many there are then.
    pub fn add(&self, what: What, works: Vec<Option<Work>>) -> Result<Position> {
        let mut state = self.state.lock();
        let (more, all) = (works.len(), state.works.len() + works.len());
        let room = state.kinds.make_room(more).and_then(|()| state.works.make_room(more));
        room.map_err(|_| host_memory::no_memory_for("operations of an update", all))?;
        for work in works.into_iter().flatten() {
            state.kinds.push((what, Shape::of(&work)));
            state.works.push(work);
        }
        Ok(state.works.len() as Position)
    }

    /// The stream got another operation.
    pub fn spoil(&self, why: &'static str) {
        self.state.lock().spoilt.get_or_insert(why);
    }

    /// Claims host memory for the graphs of its works.
    fn claim(&self) -> Result<Claim> {
        task::claim_for(self.state.lock().works.len(), 0)
    }

    /// The new works of the group.
    fn finish(&self) -> Result<Vec<Work>> {
        let changes = std::mem::take(&mut *self.state.lock());
        let refused = |why: std::fmt::Arguments<'_>| {
            Err(Error::param_invalid(format_args!(
                "{why}. The task group is as it was, and the update has ended: give the stream the same operations \
                 that it was captured with, with other arguments"
            )))
        };
        if let Some(why) = changes.spoilt {
            return refused(format_args!("{why}"));
        }
        let wanted = &self.group.state.lock().kinds;
        let (has, needs) = (changes.kinds.len(), wanted.len());
        if has != needs {
            return refused(format_args!("the update has {has} operations, the task group {needs}"));
        }
        let differs = |(new, old): (&(What, Shape), &(What, Shape))| new != old;
        match changes.kinds.iter().zip(wanted).position(differs) {
            Some(index) => refused(format_args!(
                "operation {index} of the update is {}, that of the task group {}",
                name(changes.kinds[index]),
                name(wanted[index])
            )),
            None => Ok(changes.works),
        }
    }
}

/// Handed over by a stream when it reaches a change, perhaps where no backend can be called: it drops nothing itself.
struct Swap {
    group: Option<Arc<Group>>,
    version: Option<Arc<Version>>,
}

impl Delivery for Swap {
    fn deliver(mut self: Box<Self>, _ticket: Ticket) {
        let Some(group) = &self.group else { return };
        let mut state = group.state.lock();
        std::mem::swap(&mut state.version, &mut self.version);
    }
}

impl Drop for Swap {
    fn drop(&mut self) {
        // The replaced work or, on failure, the new work.
        let Some(group) = self.group.take() else { return };
        group.state.lock().replaced.extend(self.version.take());
        serving::post(Call::Replaced { group });
    }
}

/// aclmdlRICaptureTaskUpdateBegin.
pub fn begin(raw: u64, handle: u64) -> Result<()> {
    let stream = stream::resolve(raw)?;
    let group = handles::get_arc::<Group>("handle", handle)?;
    Recorder::of(&stream).check_not_updating()?;
    if stream.is_captured() {
        return Err(Error::new(
            Code::StreamCaptured,
            format_args!(
                "stream {:#x} is being captured; a task group is changed by a stream that is not",
                stream.handle.raw()
            ),
        ));
    }
    if group.owner != stream.device.owner {
        return Err(Error::new(
            Code::StreamContext,
            format_args!(
                "the task group {handle:#x} is of another device than the stream, which is on device {}; use a \
                 stream of the group's device",
                stream.device.id
            ),
        ));
    }
    let graph = handles::get_arc::<Graph>("the graph of handle", group.graph.raw())?;
    drop(graph.ready_or(Code::ModelCaptured)?);
    let mut state = group.state.lock();
    if state.update.strong_count() > 0 {
        return Err(Error::param_invalid(format_args!(
            "the task group {handle:#x} is being changed by another stream; call aclmdlRICaptureTaskUpdateEnd there \
             first"
        )));
    }
    let update = Arc::new(Update { group: Arc::clone(&group), state: Mutex::default() });
    state.update = Arc::downgrade(&update);
    drop(state);
    Recorder::of(&stream).begin_update(update)
}

/// aclmdlRICaptureTaskUpdateEnd.
pub fn end(raw: u64) -> Result<()> {
    let stream = stream::resolve(raw)?.to_arc();
    // If there is none the update continues.
    let _memory = Recorder::of(&stream).update().map(|update| update.claim()).transpose()?;
    let update = Recorder::of(&stream).end_update()?;
    let works = update.finish()?;
    let group = Arc::clone(&update.group);
    drop(update);
    group.drop_replaced();
    let batches = group.state.lock().batches.clone();
    let version = Version::new(&*stream.device.native, works, &batches)?;
    serving::need()?;
    let swap = Box::new(Swap { group: Some(group), version: Some(version) });
    stream.submit(Op::HandOver { delivery: Payload::new(&mut Some(swap)), wait: false }).map(drop)
}
