//! Buffers that programs pass from one part to another: page-locked memory with a length, some user bytes, reference
//! counting, and a position in a chain.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::algo::count::Count;
use crate::algo::map::slot_table::{self, Handle};
use crate::base::error::{Code, Error, Result, arguments, error_with, invalid_param, param_invalid};
use crate::base::handles::{self, Object, drop_all};
use crate::memory;
use crate::memory::data_buffer::Extent;
use crate::runtime::thread;

/// Number of user bytes in each buffer.
pub const USER_BYTES: usize = 96;

/// The offset of the data in their allocation. It is not 0, so that aclrtFreeHost refuses them.
const DATA_OFFSET: usize = 64;

/// A reference to a buffer's memory.
pub struct Buffer(Mutex<BufferContents>);

handles::object!(Buffer, Buffer, |_| true);

struct BufferContents {
    /// The memory, which all references to it share. `None` after it is freed.
    data: Option<Arc<Extent>>,
    len: usize,
    user: [u8; USER_BYTES],
    chain: Chain,
}

enum Chain {
    /// The head, with the appended buffers; most have none.
    Head(Vec<Handle>),
    /// A member, which was appended to the chain of this head.
    Member(Handle),
}

/// Locked while a chain is changed or destroyed. It is locked before the private locks of buffers.
static CHAINS: Mutex<()> = Mutex::new(());

fn insert(state: BufferContents) -> Result<Handle> {
    Buffer::table().insert(Arc::new(Buffer(Mutex::new(state)))).ok_or_else(|| Error::no_more("buffers"))
}

/// Calls `work` with a live buffer.
fn with<R>(argument: &str, raw: u64, work: impl FnOnce(&mut BufferContents, &Arc<Extent>) -> Result<R>) -> Result<R> {
    let buffer = handles::get::<Buffer>(argument, raw)?;
    let mut state = buffer.0.lock();
    match state.data.clone() {
        Some(data) => work(&mut state, &data),
        // Another thread is about to remove the buffer from the table.
        None => Err(param_invalid!(
            "{argument} {raw:#x}: this buffer is being freed by another thread; free it after its last use"
        )),
    }
}

/// Drops a reference to memory; the last one frees it.
fn release(data: Arc<Extent>) -> Result<()> {
    match Arc::into_inner(data) {
        Some(data) => memory::free_host(data.addr - DATA_OFFSET),
        None => Ok(()),
    }
}

/// Implements aclrtAllocBuf.
pub fn alloc(size: usize) -> Result<Handle> {
    arguments::not_zero("size", size, "allocate at least one byte")?;
    let memory = memory::malloc_host(size.saturating_add(DATA_OFFSET)).map_err(|error| {
        if error.code() == Code::BadAlloc {
            let text = error.text();
            error_with!(
                Code::BadAlloc,
                "size is {size}, and the buffer needs {DATA_OFFSET} more bytes before the data: {text}"
            )
        } else {
            error
        }
    });
    let addr = memory? + DATA_OFFSET;
    let data = Arc::new(Extent { addr, size });
    let state =
        BufferContents { data: Some(data.clone()), len: 0, user: [0; USER_BYTES], chain: Chain::Head(Vec::new()) };
    insert(state).inspect_err(|_| {
        // The first failure is returned.
        let _ = release(data);
    })
}

/// Implements aclrtCopyBufRef: creates a buffer for the same memory, with the current length and user data, and without
/// a chain.
pub fn share(raw: u64) -> Result<Handle> {
    with("buf", raw, |state, data| {
        insert(BufferContents {
            data: Some(data.clone()),
            len: state.len,
            user: state.user,
            chain: Chain::Head(Vec::new()),
        })
    })
}

/// Implements aclrtFreeBuf: frees the buffer with all buffers that were appended to it.
pub fn free(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let ended = {
        let _chains = CHAINS.lock();
        let taken = with("buf", raw, |state, _| match &mut state.chain {
            Chain::Member(head) => Err(param_invalid!(
                "buf {raw:#x} is in the chain of buffer {:#x}; free the head of the chain, which frees all its buffers",
                head.raw()
            )),
            Chain::Head(members) => Ok((std::mem::take(members), state.data.take())),
        });
        let Some((members, own)) = handles::unless_late::<Buffer, _>(raw, taken)? else { return Ok(()) };
        let mut ended = Vec::from_iter(own);
        drop(handles::end::<Buffer>("buf", raw)?);
        for member in members {
            let member = Buffer::table().remove(member);
            ended.extend(member.and_then(|member| member.0.lock().data.take()));
        }
        ended
    };
    slot_table::flush_if_many();
    // No lock is held, because hooks may run. All are released, and the first failure is returned.
    ended.into_iter().map(release).fold(Ok(()), Result::and)
}

/// Implements aclrtGetBufData.
pub fn data(raw: u64) -> Result<Extent> {
    with("buf", raw, |_, data| Ok(**data))
}

/// Implements aclrtSetBufDataLen.
pub fn set_len(raw: u64, len: usize) -> Result<()> {
    with("buf", raw, |state, data| {
        ensure!(
            len <= data.size,
            param_invalid!("len is {len}; allowed: at most {}, the size of buffer {raw:#x}", Count(data.size, "byte"))
        );
        state.len = len;
        Ok(())
    })
}

/// Implements aclrtGetBufDataLen.
pub fn len(raw: u64) -> Result<usize> {
    with("buf", raw, |state, _| Ok(state.len))
}

/// Fails unless these bytes are within the user bytes.
pub fn check_user_data(size: usize, offset: usize) -> Result<()> {
    arguments::not_zero("size", size, "pass at least one byte")?;
    if offset.checked_add(size).is_none_or(|end| end > USER_BYTES) {
        return Err(invalid_param!("offset {offset} plus size {size} is past the end of the {USER_BYTES} user bytes"));
    }
    Ok(())
}

/// Implements aclrtSetBufUserData, after [`check_user_data`].
pub fn set_user_data(raw: u64, offset: usize, bytes: &[u8]) -> Result<()> {
    with("buf", raw, |state, _| {
        state.user[offset..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    })
}

/// Implements aclrtGetBufUserData: returns all user bytes.
pub fn user_data(raw: u64) -> Result<[u8; USER_BYTES]> {
    with("buf", raw, |state, _| Ok(state.user))
}

/// Calls `work` with the buffers that are appended to a head.
fn with_members<R>(head: u64, work: impl FnOnce(&[Handle]) -> Result<R>) -> Result<R> {
    with("headBuf", head, |state, _| match &state.chain {
        Chain::Member(of) => Err(param_invalid!(
            "headBuf {head:#x} is in the chain of buffer {:#x}; pass the head of the chain",
            of.raw()
        )),
        Chain::Head(members) => work(members),
    })
}

/// Implements aclrtAppendBufChain.
pub fn append(head: u64, raw: u64) -> Result<()> {
    handles::check_not_null::<Buffer>("headBuf", head)?;
    handles::check_not_null::<Buffer>("buf", raw)?;
    ensure!(head != raw, param_invalid!("headBuf and buf are both {raw:#x}; they must be different buffers"));
    let _chains = CHAINS.lock();
    with_members(head, |_| Ok(()))?;
    let at = handles::get::<Buffer>("headBuf", head)?;
    handles::get::<Buffer>("buf", raw)?;
    let (Some(head), Some(member)) = (Handle::from_raw(head), Handle::from_raw(raw)) else {
        unreachable!("both were just found")
    };
    with("buf", raw, |state, _| match &state.chain {
        Chain::Member(of) => Err(param_invalid!(
            "buf {raw:#x} is in the chain of buffer {:#x} already; append only buffers without a chain",
            of.raw()
        )),
        Chain::Head(members) if !members.is_empty() => {
            Err(param_invalid!("buf {raw:#x} is the head of a chain; append only buffers without a chain"))
        }
        Chain::Head(_) => {
            state.chain = Chain::Member(head);
            Ok(())
        }
    })?;
    // The lock of chains is held, so the chain does not change.
    if let Chain::Head(members) = &mut at.0.lock().chain {
        members.push(member);
    }
    Ok(())
}

/// Implements aclrtGetBufChainNum: returns the number of buffers, including the head.
pub fn chain_len(head: u64) -> Result<u32> {
    with_members(head, |members| Ok(members.len() as u32 + 1))
}

/// Implements aclrtGetBufFromChain: returns a buffer; index 0 is the head.
pub fn in_chain(head: u64, index: u32) -> Result<u64> {
    with_members(head, |members| {
        if index == 0 {
            return Ok(head);
        }
        members.get(index as usize - 1).map(|member| member.raw()).ok_or_else(|| {
            param_invalid!(
                "index is {index}; allowed: 0 to {}, the buffers in the chain of buffer {head:#x}",
                members.len()
            )
        })
    })
}

/// Drops all buffers at the end of the session, with which their memory ends.
pub(crate) fn end_with_session() {
    drop_all::<Buffer>(|_| true);
}
