//! The call sites: every method of the backend traits that can fail, as the decorators declare them.

use super::decorators::{
    DEVICE, DRIVER, EVENT, GRAPH, MODULE, PHYSICAL_MEMORY, POOL, POOLS, SHARED_MEMORY, STREAM, VIRTUAL_MEMORY,
};
use crate::{FaultKind, OpKind};

/// Implements a trait for its decorator: each method calls the same method of the wrapped object.
///
/// A method with a kind of fault is a call site, which can fail with such a fault instead. The constant lists the
/// sites. A form after the kind of fault says what the method does:
/// - `make KIND` creates an object that is counted.
/// - `release KIND` releases a counted object. After a refused call nothing releases the object.
/// - `end KIND` releases a counted object. A refused call can be repeated.
/// - `wrap KIND, EXTRA` returns the result in a decorator, which also stores `EXTRA` if that is given.
/// - `boxed KIND` returns a boxed result in a decorator.
/// - `by FUNCTION` calls `FUNCTION` with the site and the arguments instead.
///
/// A value that follows an argument is passed instead of it, and one that follows the result is the result.
macro_rules! decorate {
    (
        $sites:ident: $trait:ident for $decorator:ty, $inner:expr, $noun:literal;
        $(
            fn $method:ident(&$this:ident $(, $argument:ident: $type:ty $(= $passed:expr)?)*)
            $(-> $result:ty $(= $answer:expr)?)? $(, $kind:ident $(, $does:ident $what:expr $(, $extra:expr)?)?)?;
        )*
    ) => {
        /// The sites of the trait.
        pub const $sites: &[$crate::fault::site::Site] =
            &[$($(decorate!(@site $noun, $method, $kind),)?)*];

        impl $trait for $decorator {$(
            fn $method(&$this $(, $argument: $type)*) $(-> $result)? {
                decorate!(
                    @do $this, ($($argument),*), $inner.$method($(decorate!(@pass $argument $(, $passed)?)),*)
                    $($(=> $answer)?)? $(, decorate!(@site $noun, $method, $kind) $(, $does $what $(, $extra)?)?)?
                )
            }
        )*}
    };
    (@site $noun:literal, $method:ident, $kind:ident) => {
        $crate::fault::site::Site {
            name: concat!($noun, ".", stringify!($method)),
            refusal: $crate::FaultKind::$kind,
            is_queued: false,
        }
    };
    (@pass $argument:ident) => { $argument };
    (@pass $argument:ident, $passed:expr) => { $passed };
    (@do $this:ident, $arguments:tt, $call:expr) => { $call };
    (@do $this:ident, $arguments:tt, $call:expr => $answer:expr) => { $answer };
    (@do $this:ident, $arguments:tt, $call:expr, $site:expr) => {{
        $this.plan.enter($site)?;
        $call
    }};
    (@do $this:ident, ($($argument:ident),*), $call:expr, $site:expr, by $function:expr) => {
        $function($this, $site $(, $argument)*)
    };
    (@do $this:ident, $arguments:tt, $call:expr, $site:expr, wrap $kind:expr $(, $extra:expr)?) => {
        Ok(Arc::new($this.plan.wrap($site, $kind, ($($extra)?), || $call)?))
    };
    (@do $this:ident, $arguments:tt, $call:expr, $site:expr, boxed $kind:expr) => {
        Ok(Box::new($this.plan.wrap($site, $kind, (), || $call)?))
    };
    (@do $this:ident, $arguments:tt, $call:expr, $site:expr, $does:ident $kind:expr) => {
        $this.plan.$does($site, $kind, || $call)
    };
}
pub(crate) use decorate;

/// A call site of a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// The name: `trait.method`, or `stream.operation`.
    pub name: &'static str,
    /// The kind of failure of this call.
    pub refusal: FaultKind,
    /// Whether it enqueues an operation that can fail later as well.
    pub is_queued: bool,
}

/// The methods that cannot fail, each with the reason. The decorator forwards them.
#[cfg(any(test, debug_assertions))]
pub const INFALLIBLE: &[(&str, &str)] = &[
    ("driver.name", "a constant"),
    ("driver.device_count", "known since the backend was opened"),
    ("driver.host_memory", "a fact about the machine"),
    ("driver.unlocked_host_bytes", "a count"),
    ("driver.native_device", "a number, known since the backend was opened"),
    ("driver.pools", "whether there are any, known since the backend was opened"),
    ("driver.virtual_memory", "the backend itself"),
    ("driver.page_size", "looks a live block up"),
    ("driver.host_block_len", "arithmetic"),
    ("driver.has_snapshots", "known since the backend was opened"),
    ("driver.shutdown", "a wait; tests make it time out with work that never ends"),
    ("device.info", "facts, known since the device was opened"),
    ("device.block_len", "arithmetic"),
    ("device.note_part", "a note"),
    ("device.memory_usage", "counts"),
    ("device.restart_peak", "a note"),
    ("device.is_unused", "looks a live block up"),
    ("device.least_priority", "likewise"),
    ("device.streams_wait_for_tickets", "known since the device was opened"),
    ("graph.abort", "drops pending work; there is nothing to refuse"),
    ("pools.have_had", "a question about an address"),
    ("stream.is_known_idle", "a query of a cache; the decorator always returns unknown"),
    ("event.is_known_complete", "likewise"),
    ("stream.submitted", "reads a counter"),
    ("stream.finished", "likewise"),
    ("stream.abandon", "drops pending work; it cannot fail"),
    ("stream.abort", "drops pending work; there is nothing to refuse"),
    ("stream.await_room", "a wait; it ends when the stream is abandoned"),
    ("stream.retire", "a note"),
    ("stream.limit_waits", "likewise"),
    ("device.native_context", "a name, known since the device was opened"),
    ("stream.native", "a name"),
    ("event.native", "a name"),
    ("shared_memory.withdraw", "a note"),
    ("shared_memory.close", "ends imports; it cannot fail"),
    ("module.code", "a fact, known since the program was loaded"),
    ("kernel.info", "facts, known since the kernel was found"),
    ("kernel.uses", "calls a function of the kernel, which cannot fail"),
    ("bound_launch.accept", "a note"),
    ("physical_memory.page_size", "a question about live memory"),
];

impl Site {
    /// Returns the site of an operation that is submitted to a stream.
    pub fn of(operation: OpKind) -> Self {
        Self { name: operation.name(), refusal: FaultKind::Driver, is_queued: operation.can_fail_later() }
    }

    /// Returns all sites.
    pub fn all() -> impl Iterator<Item = Self> {
        let methods =
            [DRIVER, DEVICE, GRAPH, STREAM, EVENT, MODULE, SHARED_MEMORY, PHYSICAL_MEMORY, VIRTUAL_MEMORY, POOLS, POOL];
        methods.into_iter().flatten().copied().chain(OpKind::ALL.iter().copied().map(Self::of))
    }

    /// Returns the site with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|site| site.name == name)
    }

    /// Returns the names of sites similar to an unknown name, for a text that has no room for all of them.
    pub fn names_like(name: &str) -> String {
        let kind = |name: &'static str| name.split('.').next().unwrap_or_default();
        let wanted = name.split('.').next();
        let names = Self::names(|site| Some(kind(site.name)) == wanted);
        if !names.is_empty() {
            return names;
        }
        let mut kinds: Vec<_> = Self::all().map(|site| kind(site.name)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        format!("the names in docs/fault_injection.md, which begin with {}", kinds.join(", "))
    }

    /// Returns the names of sites, for a text.
    pub fn names(which: impl Fn(Self) -> bool) -> String {
        let names: Vec<_> = Self::all().filter(|site| which(*site)).map(|site| site.name).collect();
        names.join(", ")
    }
}
