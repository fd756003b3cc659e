//! Types of the memory of graphs.

/// What can be asked about the memory of a device's graphs. All are 64-bit numbers of bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum portaclGraphMemAttr {
    /// Memory of graphs: what captured streams have taken from pools, until the graph is destroyed, or until it is
    /// freed where a run has taken it and the graph is destroyed before. Read only.
    PORTACL_GRAPH_MEM_ATTR_USED_MEM_CURRENT = 0,
    /// The most that this was; can be set to 0, which starts again from the present value.
    PORTACL_GRAPH_MEM_ATTR_USED_MEM_HIGH = 1,
    /// Memory that the device has given for graphs: used, or kept for graphs that are captured later. Read only.
    PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT = 2,
    /// The most that this was; can be set to 0, which starts again from the present value.
    PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH = 3,
}
