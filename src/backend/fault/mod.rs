//! Decorates any backend, counts its calls and makes chosen ones fail. So tests can check how programs, and the core,
//! handle failures that no hardware produces on demand.
//!
//! `PORTACL_FAULT` and `PORTACL_FAULT_COUNT` install it; without them it is absent and costs nothing. Every method of
//! the traits is a call site (a `Site`) or is, with a reason, on the list of those that cannot fail; a test compares.
//!
//! | file | what |
//! |---|---|
//! | `site.rs` | the call sites, by name, and the macro by which decorators declare them |
//! | `plan.rs` | which call of which site fails, and how |
//! | `ledger.rs` | the counts of created and released objects, and the report |
//! | `decorators.rs` | the decorators, and how operations fail later |

pub mod decorators;
pub mod ledger;
pub mod plan;
pub mod site;

use std::sync::Arc;

use parking_lot::Mutex;

use crate::memory::known;
use crate::{Driver, at_exit};
use decorators::FaultDriver;
use plan::Plan;
pub use plan::Settings;

/// The plan of this process. It outlives sessions, so that calls are counted over the whole run.
static PLAN: Mutex<Option<Arc<Plan>>> = Mutex::new(None);

/// Wraps a backend in the decorator. With the same settings as before, the counts continue.
pub fn wrap(inner: Arc<dyn Driver>, settings: &Settings) -> Arc<dyn Driver> {
    let mut current = PLAN.lock();
    let plan = match &*current {
        Some(plan) if plan.settings == *settings => Arc::clone(plan),
        _ => current.insert(Arc::new(Plan::new(settings.clone()))).clone(),
    };
    drop(current);
    // This also writes the report of a program that ends without aclFinalize.
    at_exit(|| {
        if let Some(plan) = PLAN.try_lock().and_then(|plan| plan.clone()) {
            plan.report();
        }
    });
    // Every address is looked up, so that the lookups can fail.
    known::cover_all();
    plan.ledger.begin(inner.name());
    Arc::new(FaultDriver { inner, plan })
}

/// Notes that a backend was opened without the decorator: the next decorated one counts from the start.
pub fn forget() {
    *PLAN.lock() = None;
}
