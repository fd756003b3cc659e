//! Callbacks of the program that aclInit and aclFinalize call.

use std::ffi::{CStr, CString};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::core::base::callback;
use crate::core::base::error::{Code, Error, Result, error_with, invalid_param, param_invalid};

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
    pub call: Arc<C>,
}

impl<C: ?Sized> Clone for Callback<C> {
    fn clone(&self) -> Self {
        Self { kind: self.kind, address: self.address, call: Arc::clone(&self.call) }
    }
}

/// Gets the text of the configuration.
pub type InitCallback = Callback<dyn Fn(&CStr) -> i32 + Send + Sync>;
/// Gets nothing.
pub type FinalizeCallback = Callback<dyn Fn() -> i32 + Send + Sync>;

struct State {
    init: Vec<InitCallback>,
    finalize: Vec<FinalizeCallback>,
    /// The configuration between aclInit and aclFinalize.
    text: Option<Arc<CStr>>,
}

static STATE: Mutex<State> = Mutex::new(State { init: Vec::new(), finalize: Vec::new(), text: None });

fn add<C: ?Sized>(list: &mut Vec<Callback<C>>, callback: Callback<C>) -> Result<()> {
    check_kind(callback.kind)?;
    let Callback { kind, address, .. } = callback;
    if list.iter().any(|other| (other.kind, other.address) == (kind, address)) {
        return Err(param_invalid!("cbFunc {address:#x} is registered already for type {kind}; take it back first"));
    }
    list.push(callback);
    Ok(())
}

fn remove<C: ?Sized>(list: &mut Vec<Callback<C>>, kind: i32, address: usize) -> Result<Callback<C>> {
    check_kind(kind)?;
    let removed = list.extract_if(.., |other| (other.kind, other.address) == (kind, address)).next();
    removed.ok_or_else(|| param_invalid!("cbFunc {address:#x} is not registered for type {kind}"))
}

fn call_init(callback: &InitCallback, text: &CStr) -> Result<()> {
    match callback::run("callback of aclInit", || (callback.call)(text)) {
        0 => Ok(()),
        code => Err(failed("init", callback.kind, callback.address, code)),
    }
}

fn failed(what: &str, kind: i32, address: usize, code: i32) -> Error {
    error_with!(Code::Failure, "the {what} callback {address:#x} of type {kind} returned {code}, not 0")
}

/// aclInitCallbackRegister. In a session that has begun the callback runs now; if it fails it is not registered.
pub fn register_init(callback: InitCallback) -> Result<()> {
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
    add(&mut STATE.lock().finalize, callback)
}

/// aclFinalizeCallbackUnRegister.
pub fn unregister_finalize(kind: i32, address: usize) -> Result<()> {
    let removed = remove(&mut STATE.lock().finalize, kind, address);
    removed.map(drop)
}

/// The callbacks that aclInit calls.
#[must_use]
pub struct Beginning {
    callbacks: Vec<InitCallback>,
    text: Arc<CStr>,
}

/// A session begins with this configuration: callbacks registered from here on are called at once.
pub fn begin(text: CString) -> Beginning {
    let text: Arc<CStr> = text.into();
    let mut state = STATE.lock();
    state.text = Some(text.clone());
    Beginning { callbacks: state.init.clone(), text }
}

impl Beginning {
    /// Calls them in the order of registration, up to the first that fails.
    pub fn call(self) -> Result<()> {
        self.callbacks.iter().try_for_each(|callback| call_init(callback, &self.text))
    }
}

/// The callbacks that a finalize calls.
#[must_use]
pub struct End(Vec<FinalizeCallback>);

/// The session is about to end.
pub fn end() -> End {
    let mut state = STATE.lock();
    state.text = None;
    End(state.finalize.clone())
}

impl End {
    /// Calls all of them, the last registered first. Returns the first failure.
    pub fn call(self) -> Result<()> {
        let mut outcome = Ok(());
        for callback in self.0.iter().rev() {
            let code = callback::run("callback of aclFinalize", || (callback.call)());
            if code != 0 {
                let failure = failed("finalize", callback.kind, callback.address, code);
                outcome = outcome.and(Err(failure));
            }
        }
        outcome
    }
}
