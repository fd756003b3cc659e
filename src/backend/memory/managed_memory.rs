//! What programs say about managed memory.

/// Where managed memory can be.
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

/// What a program says about managed memory. Only speed depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// It is mostly read (or no more).
    ReadMostly(bool),
    /// It should be there; `None`: anywhere.
    PreferredHome(Option<Home>),
    /// It is used from there (or no more).
    AccessedBy(Home, bool),
}
