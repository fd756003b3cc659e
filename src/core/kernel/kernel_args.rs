//! Lists of a kernel's arguments, which a program appends one at a time. A list is kept by the library, or is in memory
//! of the caller; both behave in the same way.

mod list;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

pub use self::list::{Argument, Head, List, Room};
use self::list::{DATA_ALIGNMENT, MOST_BYTES};
use crate::algo::map::slot_table::Handle;
use crate::backend::Parameter;
use crate::base::error::{Error, Result, invalid_param};
use crate::base::handles::{self, Object, drop_all};
use crate::kernel::function::Function;

/// Maximum number of arguments of a kernel whose parameters are unknown.
const MOST_ARGUMENTS: usize = 128;

/// Maximum number of lists of a kernel that the library keeps: a launched list is released after this many newer ones.
const KEPT: usize = 1024;

/// A list that the library keeps.
pub struct ArgsList {
    function: u64,
    state: Mutex<ArgumentList>,
    launched: AtomicBool,
}

handles::object!(ArgsList, ArgsList);

struct ArgumentList {
    head: Head,
    entries: Box<[Argument]>,
    arguments: Box<[u8]>,
    data: Vec<Box<[u8]>>,
}

/// Keeps another list of a kernel, and destroys a launched one if there are many.
fn keep(lists: &mut VecDeque<Handle>, list: Handle) {
    // A list that is not launched yet stays, and is checked again after all others.
    for _ in 0..2 {
        if lists.len() < KEPT {
            break;
        }
        let Some(oldest) = lists.pop_front() else { break };
        let table = ArgsList::table();
        match table.get(oldest).is_some_and(|list| !list.launched.load(Ordering::Relaxed)) {
            true => lists.push_back(oldest),
            false => drop(table.remove(oldest)),
        }
    }
    lists.push_back(list);
}

/// Destroys the lists of a kernel that is unloaded.
pub(crate) fn forget_kernel(function: &Function) {
    let lists = std::mem::take(&mut *function.lists.lock());
    lists.into_iter().for_each(|list| drop(ArgsList::table().remove(list)));
}

/// Destroys the lists of all kernels that are unloaded.
pub(crate) fn forget_dead() {
    drop_all::<ArgsList>(|list| Function::table().get_raw(list.function).is_none());
}

/// Returns the parameters of a kernel, if they are known.
fn known(function: &Function) -> Option<&[Parameter]> {
    function.native.info().parameters.as_ref().map(|known| &*known.each)
}

/// Returns the maximum number of arguments of a list of the kernel.
fn most_arguments(function: &Function) -> usize {
    known(function).map_or(MOST_ARGUMENTS, <[_]>::len)
}

fn head(function: &Function, raw: u64) -> Head {
    Head { function: raw, most: most_arguments(function), ..Head::default() }
}

/// Implements aclrtKernelArgsInit: returns the handle of a list without arguments.
pub fn create(raw: u64) -> Result<u64> {
    let function = handles::get::<Function>("funcHandle", raw)?;
    let head = head(&function, raw);
    let len = function.native.info().parameters.as_ref().map_or(MOST_BYTES, |known| known.size);
    let state = ArgumentList {
        head,
        entries: vec![Argument::default(); head.most].into(),
        arguments: vec![0; len].into(),
        data: Vec::new(),
    };
    let list = ArgsList { function: raw, state: Mutex::new(state), launched: false.into() };
    let handle = ArgsList::table().insert(Arc::new(list)).ok_or_else(|| Error::no_more("lists of arguments"))?;
    keep(&mut function.lists.lock(), handle);
    Ok(handle.raw())
}

/// Implements aclrtKernelArgsInitByUserMem: returns the header for `addr` of a list with `room_len` bytes at `room`.
pub fn begin(raw: u64, addr: usize, room: usize, room_len: usize) -> Result<Head> {
    let function = handles::get::<Function>("funcHandle", raw)?;
    let needed = function.native.info().parameters.as_ref().map_or(0, |known| known.size);
    if room_len < needed {
        return Err(invalid_param!(
            "actualArgsSize is {room_len}; kernel {} has {needed} bytes of arguments; pass the size that \
             aclrtKernelArgsGetMemSize returns",
            function.shown
        ));
    }
    Ok(Head { mark: Head::mark(addr), room, room_len, ..head(&function, raw) })
}

/// Implements aclrtKernelArgsGetHandleMemSize: returns the bytes of a list in the caller's memory, without its room.
pub fn handle_size(raw: u64) -> Result<usize> {
    let function = handles::get::<Function>("funcHandle", raw)?;
    Ok(size_of::<Head>() + most_arguments(&function) * size_of::<Argument>())
}

/// Implements aclrtKernelArgsGetMemSize: returns the bytes of the room for arguments and data of `size` bytes together.
pub fn room_size(raw: u64, size: usize) -> Result<usize> {
    let function = handles::get::<Function>("funcHandle", raw)?;
    let gaps = (most_arguments(&function) + 1) * DATA_ALIGNMENT;
    let padded = size.checked_next_multiple_of(DATA_ALIGNMENT);
    let whole = padded.and_then(|size| size.checked_add(gaps));
    whole.filter(|size| *size <= isize::MAX as usize).ok_or_else(|| {
        invalid_param!(
            "userArgsSize {size} is more than a process can address; pass the size of all arguments and data"
        )
    })
}

/// Whether `raw` is the handle of a list that the library keeps. Otherwise it is the address of a list.
pub fn is_handle(raw: u64) -> bool {
    raw == 0 || Handle::from_raw(raw).is_some()
}

/// Calls `work` with a list that the library keeps.
pub fn with_list<R>(raw: u64, work: impl FnOnce(&mut List<'_>) -> Result<R>) -> Result<R> {
    let list = handles::get_arc::<ArgsList>("argsHandle", raw)?;
    let mut state = list.state.lock();
    let ArgumentList { head, entries, arguments, data } = &mut *state;
    work(&mut List { head, entries, room: Room::Own { arguments, data } })
}

/// Notes that a list that the library keeps was launched, and so may be destroyed later.
pub fn note_launch(raw: u64) {
    if let Ok(list) = handles::get::<ArgsList>("argsHandle", raw) {
        list.launched.store(true, Ordering::Relaxed);
    }
}
