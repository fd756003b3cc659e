//! Opens the backend that the environment chooses.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::backend::{self, Driver, Fault, cpu, cuda, fault};
use crate::core::base::config::check::Check;
use crate::core::base::config::{BackendChoice, Environment};
use crate::core::base::gate::{self, Binding};
use crate::core::runtime::visibility::Visibility;

/// Opens the backend, restricted to the visible devices.
pub fn open(environment: &Environment) -> backend::Result<(Arc<dyn Driver>, Visibility)> {
    let mut visibility = Visibility::default();
    let mut choose = |count| {
        visibility = Visibility::choose(environment.visible_devices.as_deref(), count);
        visibility.logical.to_vec()
    };
    gate::set_schedule(None);
    let driver = match environment.backend {
        BackendChoice::Cuda if environment.schedule.is_some() => Err(Fault::unsupported(
            "PORTACL_SCHEDULE chooses the order of CPU streams only; set PORTACL_BACKEND=cpu, or unset PORTACL_SCHEDULE",
        )),
        BackendChoice::Cuda => open_cuda(&mut choose),
        BackendChoice::Auto if environment.schedule.is_none() => {
            open_cuda(&mut choose).or_else(|fault| match COUNTED.load(Ordering::Relaxed) {
                // The program has the number of GPUs, so CPUs are no replacement.
                true => Err(fault.with_text(|said| {
                    format!(
                        "aclrtGetDeviceCount has counted the GPUs, and their driver does not work: {said}; set \
                         PORTACL_BACKEND=cpu to use CPUs"
                    )
                })),
                false => open_cpu(environment, &mut choose),
            })
        }
        BackendChoice::Auto | BackendChoice::Cpu => open_cpu(environment, &mut choose),
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

/// Whether GPUs were counted without their driver.
static COUNTED: AtomicBool = AtomicBool::new(false);
/// Whether the driver was asked to start: then it answers.
static TRIED: AtomicBool = AtomicBool::new(false);

/// Returns the devices that a session will have, if they are GPUs and can be counted without a start of the driver.
pub fn count_without_start() -> Option<Visibility> {
    if TRIED.load(Ordering::Relaxed) {
        return None;
    }
    // The first session reports an invalid environment.
    let environment = Environment::read().ok()?;
    if environment.backend == BackendChoice::Cpu || environment.schedule.is_some() {
        return None;
    }
    let count = cuda::count_without_start()?;
    COUNTED.store(true, Ordering::Relaxed);
    Some(Visibility::choose(environment.visible_devices.as_deref(), count))
}

/// A driver that has started cannot be used in forked children.
fn open_cuda(choose: impl FnOnce(u32) -> Vec<u32>) -> backend::Result<Arc<dyn Driver>> {
    TRIED.store(true, Ordering::Relaxed);
    cuda::open_chosen(choose).inspect(|_| gate::bind(Binding::Driver))
}

fn open_cpu(environment: &Environment, choose: impl FnOnce(u32) -> Vec<u32>) -> backend::Result<Arc<dyn Driver>> {
    let settings = environment.schedule.as_ref();
    let schedule = settings.map(|settings| cpu::Schedule::new(settings.clone()).map(Arc::new)).transpose()?;
    gate::set_schedule(schedule.as_ref());
    let options = cpu::Options {
        devices: environment.cpu_devices,
        memory_per_device: environment.cpu_memory,
        asynchronous: environment.cpu_always_async || schedule.is_some(),
        seed: settings.map_or(environment.cpu_seed, cpu::schedule::Settings::seed),
        guard: environment.cpu_guard,
        closes_pinned: environment.cpu_guard
            && environment.check.as_ref().is_some_and(|check| check.checks.contains(&Check::Sync)),
        schedule,
    };
    cpu::open_chosen(options, choose)
}
