//! Which calls fail, and how.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::ledger::{Kind, Ledger};
use super::site::Site;
use crate::algo::host::notice::{notice, notice_once};
use crate::backend::{Fault, FaultKind, Result};

/// How a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// The call itself fails.
    Refused,
    /// The call succeeds, and the operation fails when the stream reaches it.
    Later,
}

/// A call that must fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) site: Site,
    /// Counted from 1.
    pub(super) call: u64,
    pub(super) how: How,
}

/// The settings in the environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    wanted: Vec<Wanted>,
    report: Option<PathBuf>,
}

impl Settings {
    /// `faults` is a list as in `device.alloc:3,stream.copy:1:later`; `report` a file for the counts. The error says
    /// what is allowed.
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
        let site = Site::named(name)
            .ok_or_else(|| format!("SITE:N or SITE:N:later, separated by commas; sites: {}", Site::names_like(name)))?;
        let call = parts.next().and_then(|call| call.parse().ok()).filter(|call| *call > 0);
        let call = call.ok_or_else(|| format!("{name}:N, N the number of a call from 1 on"))?;
        let how = match parts.next() {
            None => How::Refused,
            Some("later") if site.is_queued() => How::Later,
            Some("later") => {
                let queued = Site::names(Site::is_queued);
                return Err(format!("{name}:{call}; later is for {queued}"));
            }
            Some(_) => return Err(format!("{name}:{call} or {name}:{call}:later")),
        };
        Ok(Self { site, call, how })
    }
}

/// What happens to a queued operation.
#[must_use]
pub(super) enum Entered {
    /// It is queued.
    Go,
    /// It fails with this when the stream reaches it.
    Later(Fault),
}

/// The settings, with the counts so far.
pub(super) struct Plan {
    settings: Settings,
    /// Calls so far, by site.
    calls: Box<[AtomicU64]>,
    pub(super) ledger: Ledger,
}

impl Plan {
    pub(super) fn new(settings: Settings) -> Self {
        let calls = Site::all().map(|_| AtomicU64::new(0)).collect();
        Self { settings, calls, ledger: Ledger::default() }
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Calls of a site so far.
    pub(super) fn calls(&self, site: Site) -> u64 {
        self.calls[site.index()].load(Ordering::Relaxed)
    }

    /// Counts a call. Returns whether it must fail.
    fn count(&self, site: Site) -> Option<Wanted> {
        let call = self.calls[site.index()].fetch_add(1, Ordering::Relaxed) + 1;
        let wanted = self.settings.wanted.iter();
        wanted.copied().find(|wanted| wanted.site == site && wanted.call == call)
    }

    /// A call begins. Returns an error if it must fail.
    pub(super) fn enter(&self, site: Site) -> Result<()> {
        self.count(site).map_or(Ok(()), |wanted| Err(self.refusal(wanted)))
    }

    /// A call begins that queues an operation.
    pub(super) fn enter_queued(&self, site: Site) -> Result<Entered> {
        match self.count(site) {
            None => Ok(Entered::Go),
            Some(wanted) if wanted.how == How::Refused => Err(self.refusal(wanted)),
            Some(wanted) => {
                self.make_fail(wanted);
                Ok(Entered::Later(Fault::new(
                    FaultKind::Execution,
                    format!("PORTACL_FAULT made the operation of call {} of {} fail", wanted.call, site.name()),
                )))
            }
        }
    }

    /// A call begins that makes something. If it must fail, nothing is made.
    pub(super) fn make<T>(&self, site: Site, kind: Kind, make: impl FnOnce() -> Result<T>) -> Result<T> {
        self.enter(site)?;
        let made = make()?;
        self.ledger.made(kind);
        Ok(made)
    }

    /// A call begins that releases something. If it must fail, nothing is released.
    pub(super) fn release(&self, site: Site, kind: Kind, release: impl FnOnce() -> Result<()>) -> Result<()> {
        self.enter(site).inspect_err(|_| self.ledger.kept(kind))?;
        release()?;
        self.ledger.released(kind);
        Ok(())
    }

    /// Counts a failure, and reports it on the standard error stream: among the program's messages that shows which of
    /// its calls it meets, even if none of them fails.
    fn make_fail(&self, Wanted { site, call, how }: Wanted) {
        self.ledger.made_fail();
        let what = if how == How::Refused { "is refused" } else { "fails when its turn comes" };
        notice(format_args!("portacl: PORTACL_FAULT: call {call} of {} {what}\n", site.name()));
    }

    #[cold]
    fn refusal(&self, wanted: Wanted) -> Fault {
        self.make_fail(wanted);
        let Wanted { site, call, .. } = wanted;
        Fault::new(site.refusal(), format!("PORTACL_FAULT made call {call} of {} fail", site.name()))
    }

    /// Writes the report if the settings have a file for it.
    pub(super) fn report(&self) {
        let Some(path) = &self.settings.report else { return };
        let calls = Site::all().map(|site| (site.name(), self.calls(site)));
        if let Err(why) = self.ledger.write(path, calls, &Site::names(Site::is_queued)) {
            // No call can return it: this may be the end of the process.
            notice_once(&format!("PORTACL_FAULT_COUNT: {}: {why}", path.display()));
        }
    }
}

/// The plan, in an object that is counted: made now, and released when this is dropped. It is the first field of the
/// object, so that the release is counted before `inner` is dropped.
pub(super) struct Counted {
    plan: Arc<Plan>,
    kind: Kind,
}

impl Counted {
    pub(super) fn new(plan: &Arc<Plan>, kind: Kind) -> Self {
        plan.ledger.made(kind);
        Self { plan: Arc::clone(plan), kind }
    }
}

impl Deref for Counted {
    type Target = Plan;

    fn deref(&self) -> &Plan {
        &self.plan
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.plan.ledger.released(self.kind);
    }
}
