//! Decides which calls fail, and how.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::ledger::{Calls, Ledger, Resource};
use super::site::Site;
use crate::algo::host::notice::{notice, notice_once};
use crate::{Fault, FaultKind, Result};

/// A call that must fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The site of the call.
    pub site: Site,
    /// The number of the call, counted from 1.
    pub call: u64,
    /// Whether the call succeeds, and the operation fails when the stream reaches it.
    later: bool,
}

/// The settings in the environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    wanted: Vec<Wanted>,
    report: Option<PathBuf>,
}

impl Settings {
    /// Parses the settings. `faults` is a list as in `device.alloc:3,stream.copy:1:later`; `report` is a file for the
    /// counts. The error says what is allowed.
    pub fn parse(faults: Option<&str>, report: Option<PathBuf>) -> std::result::Result<Self, String> {
        let list = faults.into_iter().flat_map(|list| list.split(','));
        let wanted = list.map(Wanted::parse).collect::<std::result::Result<_, _>>()?;
        Ok(Self { wanted, report })
    }
}

impl Wanted {
    fn parse(text: &str) -> std::result::Result<Self, String> {
        let mut parts = text.trim().splitn(3, ':');
        let name = parts.next().unwrap_or_default();
        let site = Site::named(name).ok_or_else(|| {
            format!(
                "SITE:N or SITE:N:later, separated by commas, where N is the number of the call, from 1 on, and SITE \
                 is one of: {}",
                Site::names_like(name)
            )
        })?;
        let call = parts.next().and_then(|call| call.parse().ok()).filter(|call| *call > 0);
        let call = call.ok_or_else(|| format!("{name}:N, where N is the number of the call, from 1 on"))?;
        match parts.next() {
            None => Ok(Self { site, call, later: false }),
            Some("later") if site.is_queued => Ok(Self { site, call, later: true }),
            Some("later") => Err(format!(
                "{name}:{call} without :later, which only these sites accept: {}",
                Site::names(|site| site.is_queued)
            )),
            Some(_) => Err(format!("{name}:{call} or {name}:{call}:later")),
        }
    }
}

/// The settings, with the counts so far.
pub struct Plan {
    /// The settings.
    pub settings: Settings,
    calls: Calls,
    /// What was created and released.
    pub ledger: Ledger,
}

impl Plan {
    /// Creates a plan with all counts at 0.
    pub fn new(settings: Settings) -> Self {
        let calls = Site::all().map(|site| (site.name, AtomicU64::new(0))).collect();
        Self { settings, calls, ledger: Ledger::default() }
    }

    /// Returns the number of calls of a site so far.
    #[cfg(any(test, debug_assertions))]
    pub fn calls(&self, site: &str) -> u64 {
        self.calls[site].load(Ordering::Relaxed)
    }

    /// Counts a call. If it or its operation must fail, returns the fault and whether it is for later. The fault is
    /// also written to the standard error stream: among the program's messages it shows which of the program's calls it
    /// meets, even if none of them fails. The function is not inlined into each method of the decorators.
    #[inline(never)]
    fn count(&self, site: Site) -> Option<(Fault, bool)> {
        let Site { name, refusal, .. } = site;
        let call = self.calls[name].fetch_add(1, Ordering::Relaxed) + 1;
        let later = self.settings.wanted.iter().find(|wanted| wanted.site == site && wanted.call == call)?.later;
        self.ledger.failed.fetch_add(1, Ordering::Relaxed);
        let (kind, what, how) = if later {
            (
                FaultKind::Execution,
                "the operation of call",
                "succeeds, and its operation fails when the stream reaches it",
            )
        } else {
            (refusal, "call", "is refused")
        };
        notice(format_args!("portacl: PORTACL_FAULT: call {call} of {name} {how}\n"));
        Some((Fault::new(kind, format!("PORTACL_FAULT made {what} {call} of {name} fail")), later))
    }

    /// Begins a call. Returns an error if it must fail.
    #[inline(never)]
    pub fn enter(&self, site: Site) -> Result<()> {
        self.count(site).map_or(Ok(()), |(fault, _)| Err(fault))
    }

    /// Begins a call that enqueues an operation. Returns the fault with which the operation fails when the stream
    /// reaches it.
    pub fn enter_queued(&self, site: Site) -> Result<Option<Fault>> {
        match self.count(site) {
            Some((fault, false)) => Err(fault),
            queued => Ok(queued.map(|(fault, _)| fault)),
        }
    }

    /// Begins a call that creates something. If it must fail, nothing is created.
    pub fn make<T>(&self, site: Site, kind: Resource, make: impl FnOnce() -> Result<T>) -> Result<T> {
        self.enter(site)?;
        let made = make()?;
        self.ledger.made(kind);
        Ok(made)
    }

    /// Begins a call that creates an object with a decorator, which keeps `extra`.
    pub fn wrap<T, X>(
        self: &Arc<Self>,
        site: Site,
        kind: Resource,
        extra: X,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<FaultObject<T, X>> {
        self.enter(site)?;
        Ok(self.counted(kind, extra, make()?))
    }

    /// Returns the decorator of an object that was just created.
    pub fn counted<T, X>(self: &Arc<Self>, kind: Resource, extra: X, inner: T) -> FaultObject<T, X> {
        self.ledger.made(kind);
        FaultObject { plan: Arc::clone(self), kind, inner, extra }
    }

    /// Begins a call that releases something. If it must fail, the object stays, and nothing releases it later.
    pub fn release(&self, site: Site, kind: Resource, release: impl FnOnce() -> Result<()>) -> Result<()> {
        self.enter(site).inspect_err(|_| self.ledger.kept(kind))?;
        release()?;
        self.ledger.released(kind);
        Ok(())
    }

    /// Begins a call that ends something. If it must fail, the call can be repeated.
    pub fn end(&self, site: Site, kind: Resource, end: impl FnOnce() -> Result<()>) -> Result<()> {
        self.enter(site)?;
        end()?;
        self.ledger.released(kind);
        Ok(())
    }

    /// Writes the report if the settings have a file for it.
    pub fn report(&self) {
        let Some(path) = &self.settings.report else { return };
        if let Err(why) = self.ledger.write(path, &self.calls, &Site::names(|site| site.is_queued)) {
            // No call can return this error: this may be the end of the process.
            notice_once(&format!("PORTACL_FAULT_COUNT: {} cannot be written: {why}", path.display()));
        }
    }
}

/// An object whose calls are counted and made to fail, with what else its decorator needs. It counts as released when
/// this is dropped, before `inner` is.
pub struct FaultObject<T, X = ()> {
    /// Which calls fail.
    pub plan: Arc<Plan>,
    kind: Resource,
    /// The object.
    pub inner: T,
    /// What else its decorator needs.
    pub extra: X,
}

impl<T: 'static, X: 'static> FaultObject<T, X> {
    /// Returns the object inside a decorator.
    pub fn inner_of<'a>(object: &'a dyn Any, noun: &str) -> Result<&'a T> {
        let undecorated = || format!("the {noun} was not created under PORTACL_FAULT");
        let found = object.downcast_ref().map(|decorator: &Self| &decorator.inner);
        found.ok_or_else(|| Fault::new(FaultKind::Driver, undecorated()))
    }
}

impl<T, X> Drop for FaultObject<T, X> {
    fn drop(&mut self) {
        self.plan.ledger.released(self.kind);
    }
}
