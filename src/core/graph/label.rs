//! Labels: places in the streams of graphs that are built.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::algo::map::slot_table::Handle;
use crate::base::error::{Code, Error, Result, arguments, error_with, param_invalid};
use crate::base::handles::{self, Object};
use crate::base::host_memory;
use crate::base::owner::Owner;
use crate::runtime::thread;

/// A place in a stream, once it is set.
pub struct Label {
    /// Its own handle.
    pub handle: Handle,
    /// The owner id of its device.
    pub owner: Owner,
    /// The graph that it was set in.
    set_in: Mutex<Option<Handle>>,
}

handles::object!(Label, Label, |_| true);

/// Labels to choose from.
pub struct LabelList {
    /// The owner id of its device.
    pub owner: Owner,
    /// The handles of the labels.
    pub labels: Box<[u64]>,
}

handles::object!(LabelList, LabelList, |_| true);

/// Fails for a label, or a list, that was created for another device than that of `owner`, the device of `what`.
pub(crate) fn check_device(argument: &str, made_for: Owner, what: &str, owner: Owner) -> Result<()> {
    if made_for == owner {
        return Ok(());
    }
    Err(error_with!(
        Code::LabelContext,
        "{argument} belongs to another device than {what}; create it on the device of {what}"
    ))
}

impl Label {
    /// Notes that the label is set in this graph.
    pub fn set(&self, graph: Handle) -> Result<()> {
        let mut set_in = self.set_in.lock();
        if let Some(there) = *set_in {
            return Err(param_invalid!(
                "label {} was set in modelRI {there} before, and a label can be set once; create another one with \
                 aclrtCreateLabel",
                self.handle
            ));
        }
        *set_in = Some(graph);
        Ok(())
    }
}

/// Implements aclrtCreateLabel.
pub fn create() -> Result<u64> {
    thread::refuse_inside_host_function()?;
    let owner = thread::current()?.device.owner;
    let make = |handle| Arc::new(Label { handle, owner, set_in: Mutex::new(None) });
    Ok(Label::table().insert_with(make).ok_or_else(|| Error::no_more("labels"))?.raw())
}

/// Implements aclrtDestroyLabel. A graph that is built keeps its places.
pub fn destroy(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    handles::destroy::<Label>("label", raw)
}

/// Implements aclrtCreateLabelList for `count` labels. `label` returns the handle of each.
pub fn create_list(count: usize, label: impl Fn(usize) -> u64) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    arguments::not_zero("num", count, "a list has at least one label")?;
    let owner = thread::current()?.device.owner;
    let _memory = host_memory::claim(format_args!("labels (num is {count})"), count, 4 * size_of::<u64>())?;
    let checked = |index| {
        let (argument, raw) = (format!("labels[{index}]"), label(index));
        check_device(&argument, handles::get::<Label>(&argument, raw)?.owner, "the current context", owner)?;
        Ok(raw)
    };
    let labels = (0..count).map(checked).collect::<Result<_>>()?;
    let list = Arc::new(LabelList { owner, labels });
    Ok(LabelList::table().insert(list).ok_or_else(|| Error::no_more("lists of labels"))?.raw())
}

/// Implements aclrtDestroyLabelList.
pub fn destroy_list(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    handles::destroy::<LabelList>("labelList", raw)
}
