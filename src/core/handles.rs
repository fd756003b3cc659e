//! The handles that programs hold: one table per kind of object, and what to say of a bad one.

use std::sync::Arc;

use super::allocator::Description;
use super::binary_image::BinaryImage;
use super::buffer::Buffer;
use super::context::Context;
use super::data_buffer::DataBuffer;
use super::error::{Error, Result};
use super::event::Event;
use super::graph::Graph;
use super::graph::condition::ConditionHandle;
use super::graph::group::Group;
use super::graph::inspect::{GraphStream, GraphTask};
use super::graph::label::{Label, LabelList};
use super::kernel::{Binary, Function};
use super::kernel_args::ArgsList;
use super::mem_pool::MemPool;
use super::notify::{CountedNotify, Notify};
use super::prof_stamp::Stamp;
use super::prof_step::Step;
use super::profiling::Config;
use super::stream::Stream;
use super::virtual_memory::Physical;
use crate::algo::reclaim::Pin;
use crate::algo::slot_table::{Handle, Ref, SlotTable, Status};

/// A kind of object that has handles.
pub trait Object: Send + Sync + Sized + 'static {
    /// What a person calls it.
    const NOUN: &'static str;
    /// The table of all live ones.
    fn table() -> &'static SlotTable<Self>;
}

const CONTEXT: u8 = 1;
const STREAM: u8 = 2;
const EVENT: u8 = 3;
const DATA_BUFFER: u8 = 4;
const BINARY: u8 = 5;
const FUNCTION: u8 = 6;
const MEM_POOL: u8 = 7;
const PHYSICAL: u8 = 10;
const ALLOCATOR: u8 = 20;
const BUFFER: u8 = 21;
const PROF_CONFIG: u8 = 30;
const STAMP: u8 = 31;
const STEP: u8 = 32;
const NOTIFY: u8 = 11;
const COUNTED_NOTIFY: u8 = 12;
const BINARY_IMAGE: u8 = 40;
const ARGS_LIST: u8 = 41;
const GRAPH: u8 = 50;
const LABEL: u8 = 51;
const LABEL_LIST: u8 = 52;
const GRAPH_STREAM: u8 = 55;
const GRAPH_TASK: u8 = 56;
const TASK_GROUP: u8 = 57;
const CONDITION_HANDLE: u8 = 58;
/// What is behind handles of memory pools; programs never see it.
pub const POOL: u8 = 8;
/// What pools know of streams; programs never see it.
pub const LANE: u8 = 9;

static CONTEXTS: SlotTable<Context> = SlotTable::new(CONTEXT);
static STREAMS: SlotTable<Stream> = SlotTable::new(STREAM);
static EVENTS: SlotTable<Event> = SlotTable::new(EVENT);
static DATA_BUFFERS: SlotTable<DataBuffer> = SlotTable::new(DATA_BUFFER);
static BINARIES: SlotTable<Binary> = SlotTable::new(BINARY);
static BINARY_IMAGES: SlotTable<BinaryImage> = SlotTable::new(BINARY_IMAGE);
static FUNCTIONS: SlotTable<Function> = SlotTable::new(FUNCTION);
static ARGS_LISTS: SlotTable<ArgsList> = SlotTable::new(ARGS_LIST);
static MEM_POOLS: SlotTable<MemPool> = SlotTable::new(MEM_POOL);
static PHYSICALS: SlotTable<Physical> = SlotTable::new(PHYSICAL);
static ALLOCATORS: SlotTable<Description> = SlotTable::new(ALLOCATOR);
static BUFFERS: SlotTable<Buffer> = SlotTable::new(BUFFER);
static PROF_CONFIGS: SlotTable<Config> = SlotTable::new(PROF_CONFIG);
static STAMPS: SlotTable<Stamp> = SlotTable::new(STAMP);
static STEPS: SlotTable<Step> = SlotTable::new(STEP);
static NOTIFIES: SlotTable<Notify> = SlotTable::new(NOTIFY);
static COUNTED_NOTIFIES: SlotTable<CountedNotify> = SlotTable::new(COUNTED_NOTIFY);
static GRAPHS: SlotTable<Graph> = SlotTable::new(GRAPH);
static LABELS: SlotTable<Label> = SlotTable::new(LABEL);
static LABEL_LISTS: SlotTable<LabelList> = SlotTable::new(LABEL_LIST);
static GRAPH_STREAMS: SlotTable<GraphStream> = SlotTable::new(GRAPH_STREAM);
static GRAPH_TASKS: SlotTable<GraphTask> = SlotTable::new(GRAPH_TASK);
static TASK_GROUPS: SlotTable<Group> = SlotTable::new(TASK_GROUP);
static CONDITION_HANDLES: SlotTable<ConditionHandle> = SlotTable::new(CONDITION_HANDLE);

impl Object for Context {
    const NOUN: &'static str = "context";
    fn table() -> &'static SlotTable<Self> {
        &CONTEXTS
    }
}

impl Object for Stream {
    const NOUN: &'static str = "stream";
    fn table() -> &'static SlotTable<Self> {
        &STREAMS
    }
}

impl Object for Event {
    const NOUN: &'static str = "event";
    fn table() -> &'static SlotTable<Self> {
        &EVENTS
    }
}

impl Object for DataBuffer {
    const NOUN: &'static str = "data buffer";
    fn table() -> &'static SlotTable<Self> {
        &DATA_BUFFERS
    }
}

impl Object for Binary {
    const NOUN: &'static str = "binary";
    fn table() -> &'static SlotTable<Self> {
        &BINARIES
    }
}

impl Object for BinaryImage {
    const NOUN: &'static str = "binary description";
    fn table() -> &'static SlotTable<Self> {
        &BINARY_IMAGES
    }
}

impl Object for Function {
    const NOUN: &'static str = "kernel";
    fn table() -> &'static SlotTable<Self> {
        &FUNCTIONS
    }
}

impl Object for ArgsList {
    const NOUN: &'static str = "list of arguments";
    fn table() -> &'static SlotTable<Self> {
        &ARGS_LISTS
    }
}

impl Object for MemPool {
    const NOUN: &'static str = "memory pool";
    fn table() -> &'static SlotTable<Self> {
        &MEM_POOLS
    }
}

impl Object for Physical {
    const NOUN: &'static str = "physical memory";
    fn table() -> &'static SlotTable<Self> {
        &PHYSICALS
    }
}

impl Object for Description {
    const NOUN: &'static str = "allocator description";
    fn table() -> &'static SlotTable<Self> {
        &ALLOCATORS
    }
}

impl Object for Buffer {
    const NOUN: &'static str = "buffer";
    fn table() -> &'static SlotTable<Self> {
        &BUFFERS
    }
}

impl Object for Config {
    const NOUN: &'static str = "profiling configuration";
    fn table() -> &'static SlotTable<Self> {
        &PROF_CONFIGS
    }
}

impl Object for Stamp {
    const NOUN: &'static str = "stamp";
    fn table() -> &'static SlotTable<Self> {
        &STAMPS
    }
}

impl Object for Step {
    const NOUN: &'static str = "step";
    fn table() -> &'static SlotTable<Self> {
        &STEPS
    }
}

impl Object for Notify {
    const NOUN: &'static str = "notify";
    fn table() -> &'static SlotTable<Self> {
        &NOTIFIES
    }
}

impl Object for CountedNotify {
    const NOUN: &'static str = "counted notify";
    fn table() -> &'static SlotTable<Self> {
        &COUNTED_NOTIFIES
    }
}

impl Object for Graph {
    const NOUN: &'static str = "graph";
    fn table() -> &'static SlotTable<Self> {
        &GRAPHS
    }
}

impl Object for GraphStream {
    const NOUN: &'static str = "stream of a graph";
    fn table() -> &'static SlotTable<Self> {
        &GRAPH_STREAMS
    }
}

impl Object for GraphTask {
    const NOUN: &'static str = "task of a graph";
    fn table() -> &'static SlotTable<Self> {
        &GRAPH_TASKS
    }
}

impl Object for Group {
    const NOUN: &'static str = "task group";
    fn table() -> &'static SlotTable<Self> {
        &TASK_GROUPS
    }
}

impl Object for ConditionHandle {
    const NOUN: &'static str = "condition";
    fn table() -> &'static SlotTable<Self> {
        &CONDITION_HANDLES
    }
}

impl Object for Label {
    const NOUN: &'static str = "label";
    fn table() -> &'static SlotTable<Self> {
        &LABELS
    }
}

impl Object for LabelList {
    const NOUN: &'static str = "list of labels";
    fn table() -> &'static SlotTable<Self> {
        &LABEL_LISTS
    }
}

fn noun_of(kind: u8) -> Option<&'static str> {
    match kind {
        CONTEXT => Some(Context::NOUN),
        STREAM => Some(Stream::NOUN),
        EVENT => Some(Event::NOUN),
        DATA_BUFFER => Some(DataBuffer::NOUN),
        BINARY => Some(Binary::NOUN),
        BINARY_IMAGE => Some(BinaryImage::NOUN),
        FUNCTION => Some(Function::NOUN),
        ARGS_LIST => Some(ArgsList::NOUN),
        MEM_POOL => Some(MemPool::NOUN),
        PHYSICAL => Some(Physical::NOUN),
        ALLOCATOR => Some(Description::NOUN),
        BUFFER => Some(Buffer::NOUN),
        PROF_CONFIG => Some(Config::NOUN),
        STAMP => Some(Stamp::NOUN),
        STEP => Some(Step::NOUN),
        NOTIFY => Some(Notify::NOUN),
        COUNTED_NOTIFY => Some(CountedNotify::NOUN),
        GRAPH => Some(Graph::NOUN),
        LABEL => Some(Label::NOUN),
        LABEL_LIST => Some(LabelList::NOUN),
        GRAPH_STREAM => Some(GraphStream::NOUN),
        GRAPH_TASK => Some(GraphTask::NOUN),
        TASK_GROUP => Some(Group::NOUN),
        CONDITION_HANDLE => Some(ConditionHandle::NOUN),
        _ => None,
    }
}

/// For handles that are looked up after something else: null is told before that.
#[inline]
pub fn check_not_null<T: Object>(argument: &str, raw: u64) -> Result<()> {
    if raw == 0 { Err(bad::<T>(argument, raw)) } else { Ok(()) }
}

/// The live object behind what a program passed as `argument`; for calls that do not block.
#[inline]
pub fn get<T: Object>(argument: &str, raw: u64) -> Result<Ref<'static, T>> {
    T::table().get_raw(raw).ok_or_else(|| bad::<T>(argument, raw))
}

/// As [`get`], under a pin that the caller has anyway.
#[inline]
pub fn look<'a, T: Object>(argument: &str, raw: u64, pin: &'a Pin) -> Result<&'a T> {
    T::table().look_raw(raw, pin).ok_or_else(|| bad::<T>(argument, raw))
}

/// As [`get`], for calls that block: holds the object itself.
#[inline]
pub fn get_arc<T: Object>(argument: &str, raw: u64) -> Result<Arc<T>> {
    get::<T>(argument, raw).map(|object| object.to_arc())
}

/// Takes the object out: its handle is dead from here on, for every thread.
pub fn remove<T: Object>(argument: &str, raw: u64) -> Result<Arc<T>> {
    let removed = Handle::from_raw(raw).and_then(|handle| T::table().remove(handle));
    removed.ok_or_else(|| bad::<T>(argument, raw))
}

/// What is wrong with a handle, in words.
#[cold]
fn bad<T: Object>(argument: &str, raw: u64) -> Error {
    let noun = T::NOUN;
    if raw == 0 {
        return Error::invalid_param(format_args!(
            "{argument} is null; it must be a live {noun} handle"
        ));
    }
    let Some(handle) = Handle::from_raw(raw) else {
        return Error::param_invalid(format_args!(
            "{argument} {raw:#x} is not a handle of this library"
        ));
    };
    match noun_of(handle.kind()) {
        Some(other) if other != noun => Error::param_invalid(format_args!(
            "{argument} {raw:#x} is a handle of kind {other}, not of kind {noun}"
        )),
        Some(_) if T::table().status(handle) == Status::Destroyed => Error::param_invalid(
            format_args!("{argument} {raw:#x}: this {noun} was destroyed or went with its device"),
        ),
        _ => Error::param_invalid(format_args!("{argument} {raw:#x} is no {noun} handle")),
    }
}
