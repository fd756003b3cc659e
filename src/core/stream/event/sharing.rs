//! Events shared by processes (ACL_EVENT_IPC): recorded and waited for in any of them, without a timestamp.

use std::os::fd::AsFd;
use std::sync::{Arc, OnceLock};

use super::lifetime::{no_event, no_handle};
use super::{Creator, Event, flag};
use crate::algo::map::slot_table::Handle;
use crate::backend::base::broker::{Admission, BROKER, Key, OfferKind, Parcel};
use crate::backend::{Change, Notify, Op, Position, SharedEvent};
use crate::base::error::{Result, invalid_param, param_invalid};
use crate::base::handles::{self, Object};
use crate::base::ipc_key::{self, Offer};
use crate::runtime::{self, thread};
use crate::stream::stream::Stream;

/// The additional state of an event that processes share.
pub struct Shared {
    /// The event that runs of graphs record and wait for.
    pub(super) native: Arc<SharedEvent>,
    /// The offer, once another process may import the event.
    pub(super) export: OnceLock<Offer>,
    is_imported: bool,
}

/// Fails if the device on which this process recorded the event has failed: processes wait for memory, which reports no
/// failure.
pub(super) fn check_recorder(event: &Event) -> Result<()> {
    let Some((stream, _)) = event.recorded.get() else { return Ok(()) };
    Stream::table().get(stream).map_or(Ok(()), |stream| stream.is_idle().map(drop))
}

impl Shared {
    /// Records the event as [`super::record`] does, in a stream of the same device that is not captured.
    #[cold]
    pub(super) fn record(&self, event: &Event, stream: &Stream) -> Result<()> {
        // The lock is held, so that the record noted last is the latest of this process. Another process may record the
        // event next.
        let _uses = event.uses.lock();
        let position = queue_record(&self.native, |op| stream.submit_now(op))?;
        event.note_recorded(stream, position);
        Ok(())
    }
}

/// Queues a record of the event. The record becomes the latest one.
pub(crate) fn queue_record<E>(
    event: &Arc<SharedEvent>,
    submit: impl FnOnce(Op<'_>) -> std::result::Result<Position, E>,
) -> std::result::Result<Position, E> {
    let record = event.record();
    // Setting and incrementing have the same effect on a record.
    let queued = submit(Op::ChangeNotify(&record, Change::Set(1)));
    queued.inspect_err(|_| event.take_back(&record))
}

/// Creates another handle for a notify that is the event.
fn insert(notify: Arc<Notify>, is_imported: bool) -> Result<u64> {
    let device = thread::current()?.device.clone();
    let native = SharedEvent::new(notify);
    let shared = Shared { native: Arc::clone(&native), export: OnceLock::new(), is_imported };
    let event = Event { shared: Some(shared), ..Event::new(device, native, Creator::Ex, flag::IPC) };
    Event::table().insert(Arc::new(event)).map(Handle::raw).ok_or_else(no_handle)
}

/// Implements aclrtCreateEventExWithFlag with ACL_EVENT_IPC.
pub(super) fn create() -> Result<u64> {
    thread::current_outside_host_functions()?;
    let notify = runtime::session()?.driver.create_notify(true).map_err(no_event)?;
    insert(notify, false)
}

/// Implements aclrtIpcGetEventHandle: returns the key, which is the same every time.
pub fn export(raw: u64) -> Result<String> {
    thread::refuse_inside_host_function()?;
    let event = handles::get_arc::<Event>("event", raw)?;
    let Some(shared) = &event.shared else {
        return Err(param_invalid!(
            "event {raw:#x} was created without ACL_EVENT_IPC; create it with aclrtCreateEventExWithFlag and this flag \
             alone"
        ));
    };
    ensure!(
        !shared.is_imported,
        param_invalid!(
            "event {raw:#x} was imported, and only the process that created it can export it; give other processes the \
             same IPC handle that aclrtIpcOpenEventHandle got here"
        )
    );
    let offer = Offer::of(&shared.export, OfferKind::Event, Admission::Anyone, || shared.native.export())?;
    Ok(offer.key.to_string())
}

/// Implements aclrtIpcOpenEventHandle: returns an event of this process for one of another.
pub fn import(key: &[u8]) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    if key.is_empty() {
        return Err(invalid_param!("handle is empty; pass the handle that aclrtIpcGetEventHandle wrote"));
    }
    insert(fetch("handle", key, OfferKind::Event)?, true)
}

/// Fetches what another process has exported under the key in this argument: a notify, or an event, which is a notify
/// too.
pub fn fetch(argument: &str, key: &[u8], kind: OfferKind) -> Result<Arc<Notify>> {
    let about = |fault| ipc_key::about(argument, fault);
    let key = Key::from_text(key).map_err(about)?;
    // No reference to a device may be held while this waits for the other process.
    thread::current()?;
    let Parcel { bytes, descriptor, .. } = BROKER.fetch(kind, &key).map_err(about)?;
    let descriptor = descriptor.ok_or_else(Parcel::no_descriptor).map_err(about)?;
    Ok(runtime::session()?.driver.import_notify(&bytes, descriptor.as_fd())?)
}
