//! State callbacks of devices and streams during concurrent calls and failures of the backend.

use super::*;
use crate::backend::FaultKind;
use crate::runtime::lifecycle::StreamsOf;
use crate::runtime::state_callback::{self, DeviceState, DeviceWatcher, StreamState, StreamWatcher};

/// The changes that were recorded, until the end of the test.
#[derive(Default)]
struct Recorded {
    devices: Arc<Mutex<Vec<(u32, DeviceState)>>>,
    streams: Arc<Mutex<Vec<(u64, StreamState)>>>,
}

impl Recorded {
    fn begin() -> Self {
        let recorded = Self::default();
        let (devices, streams) = (recorded.devices.clone(), recorded.streams.clone());
        let device: DeviceWatcher = Arc::new(move |id, state| devices.lock().push((id, state)));
        let stream: StreamWatcher = Arc::new(move |raw, state| streams.lock().push((raw, state)));
        state_callback::watch_devices("recorded", Some(device)).unwrap();
        state_callback::watch_streams("recorded", Some(stream)).unwrap();
        recorded
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        let _ = state_callback::watch_devices("recorded", None);
        let _ = state_callback::watch_streams("recorded", None);
    }
}

#[test]
fn a_stream_created_during_a_reset_is_reported_after_it() {
    let bench = Bench::new();
    let recorded = Recorded::begin();
    bench.script.close_gate("create_stream");
    let maker = on_device(0, || stream::create(0));
    wait_until("the stream to be in the making", || bench.script.at_gate() == 1);
    // It reports the streams that exist now, and then waits for the call in progress.
    let reset = Running::start(|| device::reset_force(0));
    let before = || recorded.streams.lock().len();
    wait_until("the reset to begin", || before() == 1);
    reset.assert_blocked();
    bench.script.open_gate();
    let made = maker.join().unwrap();
    reset.join().unwrap();
    let of_it: Vec<_> = recorded.streams.lock().iter().filter(|(raw, _)| *raw == made).copied().collect();
    assert_eq!(of_it.len(), 2, "{of_it:?}");
    assert!(of_it.contains(&(made, StreamState::Created)));
    assert!(of_it.contains(&(made, StreamState::Destroying)));
    assert_eq!(*recorded.devices.lock(), [(0, DeviceState::ResetPre), (0, DeviceState::ResetPost)]);
}

#[test]
fn a_device_that_stays_keeps_its_streams_for_the_next_end() {
    let _bench = Bench::new();
    let recorded = Recorded::begin();
    let stream = stream::create(0).unwrap();
    recorded.streams.lock().clear();
    // This acts as if another thread had set the device between the report and the reset.
    device::announce_end(0);
    let ends = recorded.streams.lock().len();
    assert_eq!(ends, 2);
    device::announce_end(0);
    assert_eq!(recorded.streams.lock().len(), ends, "recorded once");
    state_callback::streams_stay(StreamsOf::Device(0));
    device::reset(0).unwrap();
    let of_it = recorded.streams.lock().iter().filter(|recorded| recorded.0 == stream).count();
    assert_eq!(of_it, 2, "when it was about to end, and when it did");
}

#[test]
fn a_device_that_cannot_be_opened_was_about_to_be() {
    let bench = Bench::new();
    let recorded = Recorded::begin();
    bench.script.fail_next("open", FaultKind::Driver, "refused");
    fails(device::set(1), Code::DrvInternalError, &["refused"]);
    assert_eq!(std::mem::take(&mut *recorded.devices.lock()), [(1, DeviceState::SetPre)]);
    // A device whose close fails is closed all the same.
    device::set(1).unwrap();
    recorded.devices.lock().clear();
    bench.script.fail_next("close", FaultKind::Driver, "refused");
    fails(device::reset(1), Code::DrvInternalError, &["refused", "is reset"]);
    assert_eq!(*recorded.devices.lock(), [(1, DeviceState::ResetPre), (1, DeviceState::ResetPost)]);
}
