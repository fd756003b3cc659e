//! Types of the memory of graphs.

/// Attributes of the memory of a device's graphs. All are 64-bit numbers of bytes.
#[repr(C)]
pub enum portaclGraphMemAttr {
    /// Memory of graphs: allocated by captured streams from pools, until the graph is destroyed, or, if a launch
    /// allocated it and the graph is destroyed first, until it is freed. Read-only.
    PORTACL_GRAPH_MEM_ATTR_USED_MEM_CURRENT = 0,
    /// The high watermark of that; can be set to 0, which resets it to the current value.
    PORTACL_GRAPH_MEM_ATTR_USED_MEM_HIGH = 1,
    /// Memory taken from the device for graphs: in use, or cached for graphs that are captured later. Read-only.
    PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT = 2,
    /// The high watermark of that; can be set to 0, which resets it to the current value.
    PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH = 3,
}
