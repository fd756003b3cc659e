//! Opens the backend that the environment chooses.

use std::sync::Arc;

use crate::backend::{self, Driver, cpu, cuda, fault};
use crate::core::base::config::{BackendChoice, Environment};
use crate::core::runtime::visibility::Visibility;

/// The backend, over the visible ones of its devices.
pub fn open(environment: &Environment) -> backend::Result<(Arc<dyn Driver>, Visibility)> {
    let mut visibility = Visibility::default();
    let mut choose = |count| {
        visibility = Visibility::choose(environment.visible_devices.as_deref(), count);
        visibility.logical_ids().to_vec()
    };
    let driver = match environment.backend {
        BackendChoice::Cuda => cuda::open_chosen(&mut choose),
        BackendChoice::Cpu => open_cpu(environment, &mut choose),
        BackendChoice::Auto => cuda::open_chosen(&mut choose).or_else(|_| open_cpu(environment, &mut choose)),
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

fn open_cpu(environment: &Environment, choose: impl FnOnce(u32) -> Vec<u32>) -> backend::Result<Arc<dyn Driver>> {
    let defaults = cpu::Options::default();
    let options = cpu::Options {
        devices: environment.cpu_devices.unwrap_or(defaults.devices),
        memory_per_device: environment.cpu_memory,
        asynchronous: environment.cpu_always_async,
        seed: environment.cpu_seed,
        guard: environment.cpu_guard,
    };
    cpu::open_chosen(options, choose)
}
