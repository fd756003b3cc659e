//! Resolves the stream argument of a call; the calls for its properties.

use std::sync::Arc;

use super::Stream;
use crate::algo::map::slot_table::Ref;
use crate::core::base::error::{Code, Error, Result, error_with};
use crate::core::base::handles::{self, Object};
use crate::core::runtime::thread;

/// Looks up the stream of an argument: 0 is the default stream of the current context. Fails unless the calling
/// thread has a current context on the device of the stream.
///
/// Always inlined: every call on a stream begins with this, and its result would go through memory.
#[inline(always)]
pub fn resolve(raw: u64) -> Result<Ref<'static, Stream>> {
    thread::refuse_inside_host_function()?;
    // A context leaves its table before its streams do: if a stream of it is live, it need not be looked up.
    if let Some(stream) = Stream::table().get_raw(raw)
        && thread::is_current(stream.context)
    {
        return Ok(stream);
    }
    resolve_slow(raw)
}

/// As [`resolve`], for default streams, streams of other contexts, and handles of no stream.
#[inline(never)]
fn resolve_slow(raw: u64) -> Result<Ref<'static, Stream>> {
    if raw == 0 {
        return thread::current()?
            .default_stream()
            .ok_or_else(|| Error::new(Code::ContextNull, "the current context is being destroyed by another thread"));
    }
    // A dead handle is reported first, also without a current context.
    let stream = handles::get::<Stream>("stream", raw)?;
    let Some(context) = thread::current_now() else {
        // Setting a default device may wait for a reset, which waits for all holders of a stream.
        drop(stream);
        thread::current()?;
        return resolve_slow(raw);
    };
    if !Arc::ptr_eq(&stream.device, &context.device) {
        return Err(error_with!(
            Code::StreamContext,
            "stream {raw:#x} belongs to device {}, but the current context of this thread is on \
                 device {}; call aclrtSetDevice or aclrtSetCurrentContext",
            stream.device.id,
            context.device.id
        ));
    }
    Ok(stream)
}

/// The handle of the default stream of the current context.
pub fn current_default() -> Result<u64> {
    Ok(resolve(0)?.handle.raw())
}

/// aclrtStreamGetId.
pub fn id(raw: u64) -> Result<i32> {
    Ok(resolve(raw)?.id)
}

/// aclrtStreamGetFlags.
pub fn flags(raw: u64) -> Result<u32> {
    Ok(resolve(raw)?.flags.0)
}

/// aclrtStreamGetPriority.
pub fn priority(raw: u64) -> Result<u32> {
    Ok(resolve(raw)?.priority())
}

/// aclrtGetStreamAvailableNum: how many more streams can be created.
pub fn available() -> Result<u32> {
    thread::current()?;
    Ok(Stream::table().room() as u32)
}
