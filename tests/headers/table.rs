//! Says which header contains what.

/// A header that is generated from sources, or only includes others.
pub(crate) struct Header {
    /// The path relative to `include/acl`.
    pub path: &'static str,
    /// One sentence for its reader.
    pub about: &'static str,
    /// The headers that it includes.
    pub includes: &'static [&'static str],
    /// The files below `src/ffi` whose items it declares.
    pub sources: &'static [&'static str],
}

impl Header {
    /// Whether `source`, a path below `src/ffi`, is declared here.
    pub(crate) fn has(&self, source: &str) -> bool {
        self.sources.contains(&source)
    }
}

/// The headers from other sources: one is written by hand, `tools/companions.py` generates the others.
pub(crate) const OTHERS: &[&str] =
    &["acl_rt_api.h", "acl_base_mdl.h", "acl_mdl.h", "acl_op.h", "acl_op_compiler.h", "ops/acl_dvpp.h"];

/// All other headers.
pub(crate) const HEADERS: &[Header] = &[
    Header {
        path: "acl.h",
        about: "Most of the API. Memory pools (acl_rt_memory_soma.h) and profiling (acl_prof.h) are separate.",
        includes: &["acl_rt.h", "acl_op.h", "acl_mdl.h"],
        sources: &[],
    },
    Header {
        path: "acl_base.h",
        about: "Common parts of the API: error codes, data types, data buffers.",
        includes: &["error_codes/rt_error_codes.h", "error_codes/ge_error_codes.h", "acl_base_rt.h", "acl_base_mdl.h"],
        sources: &[],
    },
    Header {
        path: "acl_base_rt.h",
        about: "Parts of the runtime that other parts of the API use.",
        includes: &[],
        sources: &[
            "types/base_errors.rs",
            "types/base.rs",
            "memory/data_buffer.rs",
            "transfer/data_type.rs",
            "runtime/info.rs",
            "base/app_log.rs",
        ],
    },
    Header {
        path: "acl_rt.h",
        about: "The runtime: devices, contexts, streams, events, memory, copies, graphs, kernels.",
        includes: &["acl_base.h", "acl_rt_allocator.h"],
        sources: &[
            "types/rt/constants.rs",
            "types/rt/device.rs",
            "types/rt/fault.rs",
            "types/rt/stream.rs",
            "types/rt/memory.rs",
            "types/rt/physical_memory.rs",
            "types/rt/kernel.rs",
            "types/rt/graph.rs",
            "types/rt/process.rs",
            "runtime/lifecycle.rs",
            "runtime/life_callback.rs",
            "runtime/version.rs",
            "base/error.rs",
            "runtime/device.rs",
            "runtime/state_callback.rs",
            "runtime/device_limit.rs",
            "runtime/device_info.rs",
            "runtime/visibility.rs",
            "runtime/atomics.rs",
            "memory/peer.rs",
            "runtime/context.rs",
            "runtime/sys_param.rs",
            "stream/stream.rs",
            "stream/stream_config.rs",
            "stream/abort.rs",
            "stream/event.rs",
            "transfer/stream_value.rs",
            "memory/memory.rs",
            "memory/mem_info.rs",
            "memory/pointer.rs",
            "memory/host_register.rs",
            "transfer/memset.rs",
            "transfer/cache.rs",
            "transfer/memcpy.rs",
            "transfer/reduce.rs",
            "transfer/memcpy_2d.rs",
            "transfer/memcpy_batch.rs",
            "transfer/memcpy_indirect.rs",
            "transfer/random_num.rs",
            "stream/report.rs",
            "stream/exception.rs",
            "memory/virtual_memory.rs",
            "memory/virtual_memory_physical.rs",
            "memory/managed_memory.rs",
            "memory/ipc.rs",
            "memory/virtual_memory_sharing.rs",
            "stream/notify.rs",
            "graph/capture.rs",
            "graph/group.rs",
            "graph/build.rs",
            "graph/condition.rs",
            "graph/graph.rs",
            "graph/inspect.rs",
            "graph/task.rs",
            "graph/end_callback.rs",
            "graph/picture.rs",
            "graph/label.rs",
            "graph/control.rs",
            "kernel/kernel.rs",
            "kernel/function.rs",
            "kernel/kernel_args.rs",
            "kernel/kernel_launch.rs",
            "kernel/kernel_launch_host_args.rs",
            "kernel/symbol.rs",
            "stream/resource_limit.rs",
            "transfer/overflow.rs",
            "stream/op_timeout.rs",
            "runtime/group.rs",
            "base/dump.rs",
            "memory/buffer.rs",
            "process/snapshot.rs",
            "profiling/prof_trace.rs",
        ],
    },
    Header {
        path: "acl_rt_allocator.h",
        about: "Allocators of the program, registered for streams.",
        includes: &["acl_base.h"],
        sources: &["types/allocator.rs", "stream/allocator.rs"],
    },
    Header {
        path: "acl_rt_memory_soma.h",
        about: "Stream-ordered memory pools.",
        includes: &["acl_rt.h"],
        sources: &["types/soma.rs", "pool/mem_pool.rs"],
    },
    Header {
        path: "acl_prof.h",
        about: "Profiling.",
        includes: &["acl_base.h"],
        sources: &[
            "types/prof.rs",
            "profiling/profiling.rs",
            "profiling/prof_step.rs",
            "profiling/prof_stamp.rs",
            "profiling/prof_range.rs",
            "profiling/prof_subscribe.rs",
        ],
    },
    Header {
        path: "error_codes/rt_error_codes.h",
        about: "Error codes of the runtime.",
        includes: &[],
        sources: &["types/rt/errors.rs"],
    },
    Header {
        path: "error_codes/ge_error_codes.h",
        about: "Error codes of the model layer.",
        includes: &[],
        sources: &["types/ge_errors.rs"],
    },
    Header {
        path: "../portacl/portacl.h",
        about: "Functions of portacl beyond the Ascend runtime API. Every name begins with portacl or PORTACL.",
        includes: &["../acl/acl_rt_memory_soma.h"],
        sources: &[
            "types/portacl.rs",
            "types/portacl_finding.rs",
            "types/portacl_task.rs",
            "base/portacl.rs",
            "base/call_site.rs",
            "base/finding.rs",
            "stream/native.rs",
            "transfer/host_task.rs",
            "graph/portacl_picture.rs",
            "graph/memory.rs",
            "pool/portacl_mem_pool.rs",
            "pool/mem_pool_sharing.rs",
            "kernel/portacl_symbol.rs",
            "memory/memory_hook.rs",
            "memory/memory_hook_ready.rs",
            "process/leak_check.rs",
            "process/memory_stats.rs",
        ],
    },
];
