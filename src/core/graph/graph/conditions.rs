//! The values of conditional tasks, which belong to a graph.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::algo::map::slot_table::Handle;
use crate::backend::Span;
use crate::core::base::error::Result;
use crate::core::base::handles::{self, Object};
use crate::core::memory;
use crate::core::runtime::device::Device;

/// The object of a condition handle: a value of 64 bits.
pub struct ConditionHandle {
    /// Its own handle.
    pub handle: Handle,
    /// The graph that owns it.
    pub graph: Handle,
    /// Its place in device memory.
    pub value: Span,
    /// Its value at the beginning of each run, if that is set.
    pub default: Option<u32>,
    /// A task uses it.
    pub is_used: AtomicBool,
}

handles::object!(ConditionHandle, Condition);

/// The condition handles of a graph.
#[derive(Default)]
pub struct Conditions(pub Mutex<Vec<Arc<ConditionHandle>>>);

impl Conditions {
    /// The values that tasks use and that have a default, with that.
    pub fn defaults(&self) -> Vec<(Span, u32)> {
        let handles = self.0.lock();
        let used = handles.iter().filter(|it| it.is_used.load(Ordering::Relaxed));
        used.filter_map(|it| it.default.map(|default| (it.value, default))).collect()
    }

    /// The graph ends. Returns the first failure to free a value.
    pub fn end(&self, device: &Device) -> Result<()> {
        let handles = std::mem::take(&mut *self.0.lock());
        let give_back = |it: Arc<ConditionHandle>| {
            ConditionHandle::table().remove(it.handle);
            memory::free_word_of_graph(device, it.value)
        };
        handles.into_iter().map(give_back).fold(Ok(()), Result::and)
    }
}
