//! Which header holds what.

/// A header that is made from sources, or only includes others.
pub struct Header {
    /// Relative to `include/acl`.
    pub path: &'static str,
    /// One sentence for its reader.
    pub about: &'static str,
    /// Headers that it includes.
    pub includes: &'static [&'static str],
    /// Files below `src/ffi` whose contents it declares.
    pub sources: &'static [&'static str],
}

impl Header {
    /// True if `source`, a path below `src/ffi`, is declared here.
    pub fn has(&self, source: &str) -> bool {
        self.sources.contains(&source)
    }
}

/// All of them, except the hand-written `acl_rt_api.h`.
pub const HEADERS: &[Header] = &[
    Header {
        path: "acl.h",
        about: "The whole runtime API.",
        includes: &["acl_rt.h", "acl_op.h", "acl_mdl.h"],
        sources: &[],
    },
    Header {
        path: "acl_base.h",
        about: "What all parts of the API share: error codes, data types, data buffers.",
        includes: &[
            "error_codes/rt_error_codes.h",
            "error_codes/ge_error_codes.h",
            "acl_base_rt.h",
            "acl_base_mdl.h",
        ],
        sources: &[],
    },
    Header {
        path: "acl_base_rt.h",
        about: "What the runtime shares with other parts of the API.",
        includes: &[],
        sources: &[
            "types/base_errors.rs",
            "types/base.rs",
            "data_buffer.rs",
            "data_type.rs",
            "soc.rs",
            "app_log.rs",
        ],
    },
    Header {
        path: "acl_base_mdl.h",
        about: "Belongs to the model layer, which this library does not have: it declares nothing.",
        includes: &[],
        sources: &[],
    },
    Header {
        path: "acl_op.h",
        about: "Belongs to the operator layer, which this library does not have: it declares nothing.",
        includes: &["acl_base.h"],
        sources: &[],
    },
    Header {
        path: "acl_mdl.h",
        about: "Belongs to the model layer, which this library does not have: it declares nothing.",
        includes: &["acl_base.h"],
        sources: &[],
    },
    Header {
        path: "acl_rt.h",
        about: "The runtime: devices, contexts, streams, events, memory, copies, graphs, kernels.",
        includes: &["acl_base.h", "acl_rt_allocator.h"],
        sources: &[
            "types/rt_constants.rs",
            "types/rt_device.rs",
            "types/rt_fault.rs",
            "types/rt_stream.rs",
            "types/rt_memory.rs",
            "types/rt_kernel.rs",
            "types/rt_graph.rs",
            "types/rt_process.rs",
            "init.rs",
            "version.rs",
            "error.rs",
            "device.rs",
            "device_info.rs",
            "peer.rs",
            "context.rs",
            "stream.rs",
            "stream_config.rs",
            "event.rs",
            "stream_value.rs",
            "memory.rs",
            "host_register.rs",
            "memset.rs",
            "cache.rs",
            "memcpy.rs",
            "memcpy_2d.rs",
            "memcpy_batch.rs",
            "memcpy_indirect.rs",
            "random_num.rs",
            "callback.rs",
            "report.rs",
            "exception.rs",
            "virtual_memory.rs",
            "managed_memory.rs",
            "ipc.rs",
            "virtual_memory_sharing.rs",
            "notify.rs",
            "graph_capture.rs",
            "graph_group.rs",
            "graph_build.rs",
            "graph_condition.rs",
            "graph.rs",
            "graph_inspect.rs",
            "graph_task.rs",
            "graph_end.rs",
            "graph_print.rs",
            "label.rs",
            "graph_stream.rs",
            "kernel.rs",
            "kernel_args.rs",
            "kernel_launch.rs",
            "symbol.rs",
            "resource_limit.rs",
            "overflow.rs",
            "op_timeout.rs",
            "group.rs",
            "dump.rs",
            "buffer.rs",
            "snapshot.rs",
            "prof_trace.rs",
        ],
    },
    Header {
        path: "acl_rt_allocator.h",
        about: "Allocators of the caller, registered for streams.",
        includes: &["acl_base.h"],
        sources: &["types/allocator.rs", "allocator.rs"],
    },
    Header {
        path: "acl_rt_memory_soma.h",
        about: "Pools of device memory, used in stream order.",
        includes: &["acl_rt.h"],
        sources: &["types/soma.rs", "mem_pool.rs"],
    },
    Header {
        path: "acl_prof.h",
        about: "Profiling.",
        includes: &["acl_base.h"],
        sources: &[
            "types/prof.rs",
            "profiling.rs",
            "prof_step.rs",
            "prof_stamp.rs",
            "prof_range.rs",
            "prof_subscribe.rs",
        ],
    },
    Header {
        path: "error_codes/rt_error_codes.h",
        about: "Error codes of the runtime.",
        includes: &[],
        sources: &["types/rt_errors.rs"],
    },
    Header {
        path: "error_codes/ge_error_codes.h",
        about: "Error codes of the model layer.",
        includes: &[],
        sources: &["types/ge_errors.rs"],
    },
    Header {
        path: "../portacl/portacl.h",
        about: "What portacl offers beyond the Ascend runtime API. Every name begins with portacl.",
        includes: &["../acl/acl_rt_memory_soma.h"],
        sources: &[
            "types/portacl.rs",
            "types/memory_hook.rs",
            "types/memory_stats.rs",
            "portacl.rs",
            "native.rs",
            "portacl_graph.rs",
            "portacl_mem_pool.rs",
            "mem_pool_sharing.rs",
            "portacl_symbol.rs",
            "memory_hook.rs",
            "memory_snapshot.rs",
            "memory_stats.rs",
        ],
    },
];
