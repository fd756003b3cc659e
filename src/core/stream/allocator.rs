//! Allocators of the program, registered for streams, so that libraries that work on a stream find the allocator that
//! they are to use. This library itself calls none of their functions.
//!
//! A description has a handle; its registration copies it into the stream.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::algo::map::slot_table::Handle;
use crate::algo::map::typed_slots::Key;
use crate::base::error::{Error, Result, arguments, param_invalid};
use crate::base::handles::{self, Object};
use crate::stream;

/// A function of an allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// Allocates.
    Alloc,
    /// Frees a block.
    Free,
    /// Allocates near an address; the only optional function.
    AllocAdvise,
    /// Returns a block's address.
    GetAddrFromBlock,
}

/// An allocator: addresses of functions that only C can call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocator {
    /// The first argument of its functions; may be null.
    pub object: usize,
    functions: [usize; 4],
}

impl Allocator {
    /// Returns the address of a function, 0 if there is none.
    pub fn function(&self, which: Function) -> usize {
        self.functions[which as usize]
    }
}

/// An allocator that is not registered yet.
#[derive(Default)]
pub struct Description(Mutex<Allocator>);

handles::object!(Description, Allocator);

/// An allocator that is registered for a stream. Later changes of its description do not affect it.
#[derive(Clone, Copy)]
pub struct Registered {
    /// The description that it was registered from, which may be destroyed.
    pub description: u64,
    /// The allocator.
    pub allocator: Allocator,
}

static REGISTERED: Key<Mutex<Option<Registered>>> = Key::new();

/// Implements aclrtAllocatorCreateDesc.
pub fn create() -> Result<Handle> {
    Description::table().insert(Arc::default()).ok_or_else(|| Error::no_more("descriptions of allocators"))
}

/// Implements aclrtAllocatorDestroyDesc.
pub fn destroy(raw: u64) -> Result<()> {
    handles::destroy::<Description>("allocatorDesc", raw)
}

/// Implements aclrtAllocatorSetObjToDesc.
pub fn set_object(raw: u64, object: usize) -> Result<()> {
    handles::get::<Description>("allocatorDesc", raw)?.0.lock().object = object;
    Ok(())
}

/// Implements aclrtAllocatorSetAllocFuncToDesc and its variants.
pub fn set_function(raw: u64, which: Function, function: usize) -> Result<()> {
    arguments::not_null("func", function, "it must be a function of the allocator")?;
    handles::get::<Description>("allocatorDesc", raw)?.0.lock().functions[which as usize] = function;
    Ok(())
}

fn check_stream(raw: u64) -> Result<()> {
    arguments::not_null("stream", raw, "the default stream has no allocator; pass a stream from aclrtCreateStream")
}

/// Implements aclrtAllocatorRegister.
pub fn register(stream: u64, raw: u64) -> Result<()> {
    const NEEDED: [(Function, &str); 3] = [
        (Function::Alloc, "aclrtAllocatorSetAllocFuncToDesc"),
        (Function::Free, "aclrtAllocatorSetFreeFuncToDesc"),
        (Function::GetAddrFromBlock, "aclrtAllocatorSetGetAddrFromBlockFuncToDesc"),
    ];
    check_stream(stream)?;
    handles::check_not_null::<Description>("allocatorDesc", raw)?;
    let on = stream::resolve(stream)?;
    let allocator = *handles::get::<Description>("allocatorDesc", raw)?.0.lock();
    for (which, call) in NEEDED {
        if allocator.function(which) == 0 {
            return Err(param_invalid!("allocatorDesc {raw:#x} is incomplete; call {call} first"));
        }
    }
    let mut place = REGISTERED.of(&on.features).lock();
    if place.is_some() {
        return Err(param_invalid!("stream {stream:#x} has an allocator already; call aclrtAllocatorUnregister first"));
    }
    *place = Some(Registered { description: raw, allocator });
    Ok(())
}

/// Implements aclrtAllocatorUnregister.
pub fn unregister(stream: u64) -> Result<()> {
    check_stream(stream)?;
    let taken = match stream::resolve(stream) {
        Ok(found) => REGISTERED.of(&found.features).lock().take(),
        // The registration went with the stream, which the program destroys next.
        Err(_) if handles::is_late::<stream::Stream>(stream) => return Ok(()),
        Err(error) => return Err(error),
    };
    taken.map(drop).ok_or_else(|| none(stream, "there is nothing to unregister; omit the call"))
}

/// Implements aclrtAllocatorGetByStream.
pub fn of_stream(stream: u64) -> Result<Registered> {
    check_stream(stream)?;
    let found = *REGISTERED.of(&stream::resolve(stream)?.features).lock();
    found.ok_or_else(|| none(stream, "call aclrtAllocatorRegister first"))
}

#[cold]
fn none(stream: u64, advice: &str) -> Error {
    param_invalid!("stream {stream:#x} has no allocator; {advice}")
}
