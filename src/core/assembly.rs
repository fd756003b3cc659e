//! The steps that run when the session, a device or a context begins and ends, listed in one place.
//!
//! Regions know only lower ones. This file lists what `runtime` calls in the regions above it, in the order in which
//! the calls run.

use std::sync::{Arc, OnceLock};

use crate::backend::Backend;
use crate::base::config::check::Settings;
use crate::base::error::Result;
use crate::base::handles::{drop_all, take_all};
use crate::base::{backends, callback};
use crate::graph::capture::interception::Graphs;
use crate::graph::flow::serving;
use crate::graph::label::{Label, LabelList};
use crate::graph::{Graph, end_callback};
use crate::kernel::function::Function;
use crate::kernel::{Binary, kernel_args, symbol};
use crate::memory::virtual_memory::{self, physical};
use crate::memory::{self, buffer, ipc, memory_hook, peer};
use crate::order::{self, LaneUsers};
use crate::pool::mem_pool::{self, captured};
use crate::process::leak_check::{self, Teardown, report_leaks};
use crate::profiling;
use crate::runtime::device::Device;
use crate::runtime::lifecycle::{self, Lifecycle, ReleaseSteps};
use crate::stream::device as streams;
use crate::stream::event::Event;
use crate::stream::notify::{CountedNotify, Notify};
use crate::stream::{exception, interceptor, report};

static LIFECYCLE: Lifecycle = Lifecycle {
    create_default_stream: streams::create_default,
    stream_handles: streams::handles_of,
    stream_is_live: streams::is_live,
    drain_context: streams::drain_context,
    drain_device: streams::drain_device,
    session_opening: &[
        |environment| environment.memory_hook.as_ref().map_or(Ok(()), memory_hook::register_ready),
        |environment| environment.leak_check.map_or(Ok(()), leak_check::arm),
        |environment| environment.check.as_ref().map_or(Ok(()), checker().arm),
        profiling::begin_with_session,
    ],
    session_teardown: &[|_| memory_hook::write_profile(), |call| report_leaks(Teardown::Session, call)],
    session_left: report::wait_until_left,
    session_handles: &[mem_pool::take_host_handles, buffer::end_with_session, physical::take_host_handles],
    session_memory: &[
        ReleaseSteps {
            free: |_, errors| mem_pool::end_with_session(errors),
            abandon: |_| mem_pool::forget_with_session(),
        },
        ReleaseSteps {
            free: |_, errors| virtual_memory::end_with_session(errors),
            abandon: |_| virtual_memory::forget_with_session(),
        },
        ReleaseSteps { free: memory::release_host_memory, abandon: |host| memory::forget_memory(host.owner) },
    ],
    session_state: &[order::session_ended, || (checker().session_ended)(), exception::forget_all],
    session_threads: serving::stop,
    session_closed: &[profiling::end_with_session],
    session_ended: &[leak_check::forget],
    context_teardown: &[|context| report_leaks(Teardown::Context(context), "aclrtDestroyContext")],
    device_teardown: &[|device, call| report_leaks(Teardown::Device(device), call)],
    device_handles: &[
        mem_pool::take_handles_of,
        |device| physical::take_handles_of(device),
        take_notifies,
        take_graphs,
        |_| serving::drain(),
        |device| drop_all::<Event>(|event| Arc::ptr_eq(&event.device, device)),
        take_binaries,
    ],
    device_state: &[peer::forget, |device| order::device_ended(device.owner), |_| (checker().device_ended)()],
    device_memory: &[
        ReleaseSteps { free: mem_pool::end_with_device, abandon: mem_pool::forget_with_device },
        ReleaseSteps { free: virtual_memory::end_with_device, abandon: virtual_memory::forget_with_device },
        ReleaseSteps { free: ipc::end_with_device, abandon: ipc::forget_with_device },
        ReleaseSteps { free: memory::release_device_memory, abandon: memory::forget_device_memory },
    ],
    late_callbacks: &[end_callback::run_pending],
};

static LANE_USERS: LaneUsers = LaneUsers { forget_lane: mem_pool::forget_lane, release_idle: mem_pool::release_idle };

/// What the checks of a program (`PORTACL_CHECK`) do when a session begins and ends.
pub struct Checker {
    /// Switches them on.
    pub arm: fn(&Settings) -> Result<()>,
    /// Forgets the session.
    pub session_ended: fn(),
    /// Forgets a device.
    pub device_ended: fn(),
}

static CHECKER: OnceLock<&Checker> = OnceLock::new();

fn checker() -> &'static Checker {
    CHECKER.get().expect("a step runs after the installation")
}

/// Installs the steps, the backends and the checks. The first call of the process does this; later calls change
/// nothing.
pub fn install(all_backends: &'static [&'static Backend], checker: &'static Checker) {
    CHECKER.get_or_init(|| checker);
    backends::install(all_backends);
    lifecycle::install(&LIFECYCLE);
    callback::count_pending_by(report::pending_here);
    order::install(&LANE_USERS);
    interceptor::install(&Graphs);
    captured::register(&Graphs);
}

fn take_notifies(device: &Arc<Device>) {
    drop_all::<Notify>(|notify| Arc::ptr_eq(&notify.device, device));
    drop_all::<CountedNotify>(|notify| Arc::ptr_eq(&notify.device, device));
}

fn take_graphs(device: &Arc<Device>) {
    drop_all::<Label>(|label| label.owner == device.owner);
    drop_all::<LabelList>(|list| list.owner == device.owner);
    let graphs = take_all::<Graph>(|graph| Arc::ptr_eq(&graph.device, device));
    graphs.iter().for_each(|graph| end_callback::graph_ended(graph));
}

fn take_binaries(device: &Arc<Device>) {
    drop_all::<Function>(|function| Arc::ptr_eq(&function.device, device));
    drop_all::<Binary>(|binary| Arc::ptr_eq(&binary.device, device));
    symbol::forget_dead();
    kernel_args::forget_dead();
}
