//! Contexts: each has a device and a default stream; a thread has a current one.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::algo::map::slot_table::{self, Handle};
use crate::base::callback;
use crate::base::error::{Error, Result, param_invalid};
use crate::base::handles::{self, Object};
use crate::base::teardown_errors::TeardownErrors;
use crate::runtime::device;
use crate::runtime::lifecycle::{StreamsOf, lifecycle};
use crate::runtime::open_device::Device;
use crate::runtime::{self, state_callback, thread};

/// Number of options in `aclSysParamOpt`, whose values begin at 0.
pub const OPTIONS: usize = 4;

/// A context: a device and a private default stream.
pub struct Context {
    /// The device of the context.
    pub device: Arc<Device>,
    /// The default stream, for which NULL stands. Set once, right after the context has its handle.
    pub default_stream: OnceLock<Handle>,
    /// True for the context that aclrtSetDevice creates: all threads share it, and only a reset destroys it.
    pub is_primary: bool,
    /// The options, by `aclSysParamOpt`.
    pub params: Mutex<[Option<i64>; OPTIONS]>,
}

handles::object!(Context, Context, |context| !context.is_primary);

impl Context {
    /// Creates a context of `device`. Returns its handle and that of its default stream.
    pub fn create(device: &Arc<Device>, is_primary: bool) -> Result<(Handle, Handle)> {
        let context = Arc::new(Self {
            device: device.clone(),
            default_stream: OnceLock::new(),
            is_primary,
            params: Mutex::default(),
        });
        let handle = Self::table().insert(context.clone()).ok_or_else(|| Error::no_more("contexts"))?;
        let stream = (lifecycle().create_default_stream)(device, handle).inspect_err(|_| {
            Self::table().remove(handle);
        })?;
        // The context is not published yet, so no other thread can have set it.
        let _ = context.default_stream.set(stream);
        Ok((handle, stream))
    }
}

/// Implements aclrtCreateContext: also makes the context current.
pub fn create(device_id: i32) -> Result<Handle> {
    thread::refuse_inside_host_function()?;
    let device = device::open_uncounted(device_id)?;
    let (context, stream) = Context::create(&device, false)?;
    drop(device);
    thread::set_current(Some(context));
    state_callback::stream_created(stream.raw());
    Ok(context)
}

/// Implements aclrtDestroyContext: waits for the context's streams and destroys them.
pub fn destroy(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let found = handles::unless_late::<Context, _>(raw, handles::get::<Context>("context", raw))?;
    let Some(context) = found else { return Ok(()) };
    ensure!(
        !context.is_primary,
        param_invalid!(
            "context {raw:#x} is the default context of device {} and is released with this device, by \
             aclrtResetDevice or aclrtResetDeviceForce; omit the call",
            context.device.id
        )
    );
    drop(context);
    callback::refuse_endless_wait()?;
    let handle = Handle::from_raw(raw);
    let steps = lifecycle();
    if let Some(handle) = handle {
        steps.context_teardown.iter().for_each(|step| step(handle));
        state_callback::streams_end(StreamsOf::Context(handle));
    }
    let context = handles::end::<Context>("context", raw)?;
    let mut errors = TeardownErrors::default();
    if let (Some(context), Some(handle)) = (&context, handle) {
        (steps.drain_context)(&context.device, handle, &mut errors);
    }
    drop(context);
    slot_table::flush_in_turn();
    state_callback::notify_pending();
    if thread::current_handle() == handle {
        thread::set_current(None);
    }
    errors.into_result(format_args!("context {raw:#x} is destroyed"))
}

/// Implements aclrtSetCurrentContext.
pub fn set_current(raw: u64) -> Result<()> {
    handles::get::<Context>("context", raw)?;
    thread::set_current(Handle::from_raw(raw));
    Ok(())
}

/// Implements aclrtGetCurrentContext.
pub fn current() -> Result<u64> {
    thread::current()?;
    Ok(thread::current_handle().map_or(0, Handle::raw))
}

/// Implements aclrtGetPrimaryCtxState: returns whether the default context of a device exists.
pub fn primary_exists(device_id: i32) -> Result<bool> {
    let session = runtime::session()?;
    let device = device::slot(&session, "deviceId", device_id)?.glance();
    Ok(device.is_some_and(|device| device.primary.load(Ordering::SeqCst) != 0))
}
