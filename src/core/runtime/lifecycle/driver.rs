//! Opens the backend that the environment chooses.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::backend::schedule::{Schedule, Settings};
use crate::backend::{self, Backend, Driver, Fault, FaultKind, Options, fault};
use crate::base::backends;
use crate::base::config::Environment;
use crate::base::config::check::Check;
use crate::base::gate::{self, Binding};
use crate::runtime::visibility::Visibility;

/// Opens the backend, restricted to the visible devices.
pub fn open(environment: &Environment) -> backend::Result<(Arc<dyn Driver>, Visibility)> {
    let mut visibility = Visibility::default();
    let mut choose = |count| {
        visibility = Visibility::choose(environment.visible_devices.as_deref(), count);
        visibility.logical.to_vec()
    };
    gate::set_schedule(None);
    let driver = match environment.backend {
        Some(backend) => open_one(backend, environment, &mut choose),
        None => open_first(environment, &mut choose),
    }?;
    let driver = match &environment.fault {
        None => {
            fault::forget();
            driver
        }
        Some(settings) => fault::wrap(driver, settings),
    };
    Ok((driver, visibility))
}

/// Whether devices were counted without their driver.
static COUNTED: AtomicBool = AtomicBool::new(false);
/// Whether a driver was asked to start: then it answers.
static TRIED: AtomicBool = AtomicBool::new(false);

/// Returns the backends that the environment allows, in the order in which they are tried.
fn candidates(environment: &Environment) -> impl Iterator<Item = &'static Backend> {
    let usable = environment.schedule.is_none();
    let all = backends::all().iter().copied().filter(move |it| usable || it.takes_schedules);
    let chosen = environment.backend;
    chosen.into_iter().chain(all.filter(move |_| chosen.is_none()))
}

/// Returns the devices that a session will have, if they can be counted without a start of their driver.
pub(crate) fn count_without_start() -> Option<Visibility> {
    if TRIED.load(Ordering::Relaxed) {
        return None;
    }
    // The first session reports an invalid environment.
    let environment = Environment::read().ok()?;
    let count = candidates(&environment).find_map(|backend| (backend.count_unopened)())?;
    COUNTED.store(true, Ordering::Relaxed);
    Some(Visibility::choose(environment.visible_devices.as_deref(), count))
}

/// Opens the first backend that this machine has.
fn open_first(environment: &Environment, choose: &mut dyn FnMut(u32) -> Vec<u32>) -> backend::Result<Arc<dyn Driver>> {
    let mut failed = Fault::new(FaultKind::NoDevice, "this portacl was built without a backend; use another build");
    for backend in candidates(environment) {
        failed = match open_one(backend, environment, choose) {
            // The program has the number of its devices, so those of another backend are no replacement.
            Err(fault) if backend.binds_process && COUNTED.load(Ordering::Relaxed) => {
                return Err(fault.with_text(|said| {
                    format!(
                        "an earlier call (such as aclrtGetDeviceCount) has counted the GPUs, but their driver does not \
                         work: {said}; set PORTACL_BACKEND=cpu to use CPUs"
                    )
                }));
            }
            Err(fault) => fault,
            Ok(driver) => return Ok(driver),
        };
    }
    Err(failed)
}

fn open_one(
    backend: &Backend,
    environment: &Environment,
    choose: &mut dyn FnMut(u32) -> Vec<u32>,
) -> backend::Result<Arc<dyn Driver>> {
    let settings = environment.schedule.as_ref();
    if settings.is_some() && !backend.takes_schedules {
        return Err(Fault::unsupported(
            "PORTACL_SCHEDULE chooses the order of CPU streams only; set PORTACL_BACKEND=cpu, or unset PORTACL_SCHEDULE",
        ));
    }
    let schedule = settings.map(|settings| Schedule::new(settings.clone()).map(Arc::new)).transpose()?;
    gate::set_schedule(schedule.as_ref());
    let options = Options {
        devices: environment.cpu_devices,
        memory_per_device: environment.cpu_memory,
        asynchronous: environment.cpu_always_async || schedule.is_some(),
        seed: settings.map_or(environment.cpu_seed, Settings::seed),
        guard: environment.cpu_guard,
        closes_pinned: environment.cpu_guard
            && environment.check.as_ref().is_some_and(|check| check.checks.contains(&Check::Sync)),
        schedule,
    };
    if backend.binds_process {
        TRIED.store(true, Ordering::Relaxed);
    }
    let driver = (backend.open)(&options, choose)?;
    if backend.binds_process {
        gate::bind(Binding::Driver);
    }
    Ok(driver)
}
