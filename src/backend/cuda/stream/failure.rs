//! Reports that a device has failed to those who observe its streams.

use std::sync::{Arc, mpsc};

use crate::backend::Result;
use crate::backend::cuda::runtime::DeviceState;
use crate::backend::cuda::stream::state::held;

/// `answer`, which the caller may take for a failure: observers get the failure of the device before.
pub fn reported<T>(device: &Arc<DeviceState>, answer: Result<T>) -> Result<T> {
    if answer.is_err() {
        report(device);
    }
    answer
}

/// Reports that the device has failed, if it has, once. The driver does not say whose operation failed, so any stream
/// will do. No lock may be held.
#[cold]
fn report(device: &Arc<DeviceState>) {
    let Some(fault) = device.context.failure() else { return };
    let driver = &device.driver;
    device.reported.get_or_init(|| {
        let streams = driver.streams_of(device);
        // The driver drops them, and reports this to no other process and no stream of another device.
        for record in streams.iter().flat_map(|stream| held(&stream.event_records)) {
            record.drop_record();
            driver.watcher.check(record.range());
        }
        let Some(stream) = streams.iter().find(|stream| stream.observer.is_some()) else { return };
        let (end, ended) = mpsc::channel::<()>();
        stream.fail(fault.clone(), None, None, end);
        // An error says that the other end is dropped, as it should be.
        let _ = ended.recv();
    });
}
