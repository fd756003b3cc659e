//! Callbacks of the program that aclInit and aclFinalize call.

use std::ffi::{CStr, CString};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::core::base::callback;
use crate::core::base::error::{Code, Result, error_with, invalid_param, param_invalid};

/// The kinds of registrants, `aclRegisterCallbackType`.
fn check_kind(kind: i32) -> Result<()> {
    if matches!(kind, 0..=7 | 65535) {
        return Ok(());
    }
    Err(invalid_param!("type is {kind}; allowed: the values of aclRegisterCallbackType, 0 to 7 and 65535"))
}

/// A callback of the program and its registrant.
pub struct Callback<C: ?Sized> {
    /// An `aclRegisterCallbackType`.
    pub kind: i32,
    /// Its address, which identifies it.
    pub address: usize,
    /// Calls it; 0 is success.
    pub call: Box<C>,
}

/// Gets the text of the configuration.
pub type InitCallback = Callback<dyn Fn(&CStr) -> i32 + Send + Sync>;
/// Gets nothing.
pub type FinalizeCallback = Callback<dyn Fn() -> i32 + Send + Sync>;

struct State {
    init: Vec<Arc<InitCallback>>,
    finalize: Vec<Arc<FinalizeCallback>>,
    /// The configuration between aclInit and aclFinalize.
    text: Option<Arc<CStr>>,
}

static STATE: Mutex<State> = Mutex::new(State { init: Vec::new(), finalize: Vec::new(), text: None });

fn add<C: ?Sized>(list: &mut Vec<Arc<Callback<C>>>, callback: Arc<Callback<C>>) -> Result<()> {
    check_kind(callback.kind)?;
    let Callback { kind, address, .. } = *callback;
    if list.iter().any(|other| (other.kind, other.address) == (kind, address)) {
        return Err(param_invalid!("cbFunc {address:#x} is registered already for type {kind}; take it back first"));
    }
    list.push(callback);
    Ok(())
}

fn remove<C: ?Sized>(list: &mut Vec<Arc<Callback<C>>>, kind: i32, address: usize) -> Result<Arc<Callback<C>>> {
    check_kind(kind)?;
    let removed = list.extract_if(.., |other| (other.kind, other.address) == (kind, address)).next();
    removed.ok_or_else(|| param_invalid!("cbFunc {address:#x} is not registered for type {kind}"))
}

fn call_init(callback: &InitCallback, text: &CStr) -> Result<()> {
    check("init", callback, callback::run("callback of aclInit", || (callback.call)(text)))
}

fn check<C: ?Sized>(what: &str, callback: &Callback<C>, code: i32) -> Result<()> {
    let Callback { kind, address, .. } = callback;
    match code {
        0 => Ok(()),
        _ => Err(error_with!(Code::Failure, "the {what} callback {address:#x} of type {kind} returned {code}, not 0")),
    }
}

/// aclInitCallbackRegister. In a session that has begun the callback runs now; if it fails it is not registered.
pub fn register_init(callback: InitCallback) -> Result<()> {
    let callback = Arc::new(callback);
    let text = {
        let mut state = STATE.lock();
        add(&mut state.init, callback.clone())?;
        state.text.clone()
    };
    let Some(text) = text else { return Ok(()) };
    call_init(&callback, &text).inspect_err(|_| {
        // It may have unregistered itself.
        let _ = unregister_init(callback.kind, callback.address);
    })
}

/// aclInitCallbackUnRegister.
pub fn unregister_init(kind: i32, address: usize) -> Result<()> {
    // Dropped after the lock.
    let removed = remove(&mut STATE.lock().init, kind, address);
    removed.map(drop)
}

/// aclFinalizeCallbackRegister.
pub fn register_finalize(callback: FinalizeCallback) -> Result<()> {
    add(&mut STATE.lock().finalize, Arc::new(callback))
}

/// aclFinalizeCallbackUnRegister.
pub fn unregister_finalize(kind: i32, address: usize) -> Result<()> {
    let removed = remove(&mut STATE.lock().finalize, kind, address);
    removed.map(drop)
}

/// A session begins with this configuration: callbacks registered from here on are called at once. Returns what calls
/// the others in the order of registration, up to the first that fails.
pub fn begin(text: CString) -> impl FnOnce() -> Result<()> {
    let text: Arc<CStr> = text.into();
    let mut state = STATE.lock();
    state.text = Some(text.clone());
    let callbacks = state.init.clone();
    move || callbacks.iter().try_for_each(|callback| call_init(callback, &text))
}

/// The session is about to end. Returns what calls all callbacks for that, the last registered first, and returns the
/// first failure.
pub fn end() -> impl FnOnce() -> Result<()> {
    let mut state = STATE.lock();
    state.text = None;
    let callbacks = state.finalize.clone();
    let call = |callback: &Arc<FinalizeCallback>| {
        check("finalize", callback, callback::run("callback of aclFinalize", || (callback.call)()))
    };
    move || callbacks.iter().rev().map(call).fold(Ok(()), Result::and)
}
