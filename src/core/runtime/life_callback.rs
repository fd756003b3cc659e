//! Callbacks of the program that aclInit and aclFinalize call.
//!
//! They run before a call takes its locks, or after it has released them. While a finalize runs its callbacks the
//! library counts as initialized, and a second finalize is refused.

use std::ffi::{CStr, CString};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::base::callback;
use crate::base::error::{Code, Result, error_with, invalid_param, param_invalid};

/// The call that a callback is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// aclInit.
    Init,
    /// aclFinalize.
    Finalize,
}

/// The identity of a callback: the call, its registrant (an `aclRegisterCallbackType`) and its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id(pub At, pub i32, pub usize);

/// A callback of the program. It gets the text of the configuration, which is empty at the end, and returns 0 for
/// success.
pub type Callback = dyn Fn(&CStr) -> i32 + Send + Sync;

struct RegisteredCallbacks {
    callbacks: Vec<(Id, Arc<Callback>)>,
    /// The text of the configuration, from aclInit to aclFinalize.
    text: Option<Arc<CStr>>,
}

static STATE: Mutex<RegisteredCallbacks> = Mutex::new(RegisteredCallbacks { callbacks: Vec::new(), text: None });

impl RegisteredCallbacks {
    fn registered(&self, at: At) -> Vec<(Id, Arc<Callback>)> {
        self.callbacks.iter().filter(|(id, _)| id.0 == at).cloned().collect()
    }
}

/// Fails for a registrant that `aclRegisterCallbackType` does not have.
fn check_kind(kind: i32) -> Result<()> {
    let known = matches!(kind, 0..=7 | 65535);
    ensure!(known, invalid_param!("type is {kind}; allowed: the values of aclRegisterCallbackType, 0 to 7 and 65535"));
    Ok(())
}

fn call((Id(at, kind, address), callback): &(Id, Arc<Callback>), text: &CStr) -> Result<()> {
    let (place, what) = match at {
        At::Init => ("callback of aclInit", "init"),
        At::Finalize => ("callback of aclFinalize", "finalize"),
    };
    match callback::run(place, || callback(text)) {
        0 => Ok(()),
        code => {
            Err(error_with!(Code::Failure, "the {what} callback {address:#x} of type {kind} returned {code}, not 0"))
        }
    }
}

/// Implements aclInitCallbackRegister and aclFinalizeCallbackRegister. In a session that has begun an init callback
/// runs now; if it fails it is not registered.
pub fn register(id: Id, callback: Arc<Callback>) -> Result<()> {
    let Id(at, kind, address) = id;
    check_kind(kind)?;
    let text = {
        let mut state = STATE.lock();
        ensure!(
            !state.callbacks.iter().any(|(other, _)| *other == id),
            param_invalid!("cbFunc {address:#x} is registered already for type {kind}; unregister it first")
        );
        state.callbacks.push((id, callback.clone()));
        state.text.clone()
    };
    let Some(text) = text.filter(|_| at == At::Init) else { return Ok(()) };
    call(&(id, callback), &text).inspect_err(|_| {
        // The callback may have unregistered itself.
        let _ = unregister(id);
    })
}

/// Implements aclInitCallbackUnRegister and aclFinalizeCallbackUnRegister.
pub fn unregister(id: Id) -> Result<()> {
    let Id(_, kind, address) = id;
    check_kind(kind)?;
    // `removed` is dropped after the lock is released.
    let removed = STATE.lock().callbacks.extract_if(.., |(other, _)| *other == id).next();
    removed.map(drop).ok_or_else(|| {
        param_invalid!(
            "cbFunc {address:#x} is not registered for type {kind}; pass a function and the type of its registration"
        )
    })
}

/// Begins a session with this configuration: callbacks that are registered from here on are called at once. Returns a
/// function that calls the others in the order of registration, up to the first that fails.
pub fn begin(text: CString) -> impl FnOnce() -> Result<()> {
    let text: Arc<CStr> = text.into();
    let mut state = STATE.lock();
    state.text = Some(text.clone());
    let callbacks = state.registered(At::Init);
    move || callbacks.iter().try_for_each(|callback| call(callback, &text))
}

/// Forgets the configuration of the parent's session in a forked child.
pub(crate) fn forget_session() {
    STATE.lock().text = None;
}

/// Begins the end of a session. Returns a function that calls all finalize callbacks, the last registered first, and
/// returns the first failure.
pub fn end() -> impl FnOnce() -> Result<()> {
    let mut state = STATE.lock();
    state.text = None;
    let callbacks = state.registered(At::Finalize);
    move || callbacks.iter().rev().map(|callback| call(callback, c"")).fold(Ok(()), Result::and)
}
