//! Advice about managed memory.

/// A place of managed memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// On the device with this ordinal.
    Device(u32),
    /// On the host.
    Host,
    /// On the NUMA node of the host with this number.
    HostNode(u32),
    /// On the NUMA node that the calling thread runs on.
    NearestHostNode,
}

/// Advice of a program about managed memory. It only affects speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// It is mostly read (or no longer).
    ReadMostly(bool),
    /// Its preferred place; `None`: any.
    PreferredHome(Option<Home>),
    /// It is used from this place (or no longer).
    AccessedBy(Home, bool),
}
