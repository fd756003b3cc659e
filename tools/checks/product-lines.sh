# The library's product code has at most this many lines, without tests, comments and blank lines: 50,000 for the runtime
# API, its bound, and a summand for each later feature.
runtime=50000
checks=2345 # PORTACL_CHECK: src/check, src/core/order, and what its other checks adopt
schedules=600 # PORTACL_SCHEDULE: src/backend/schedule, src/core/base/gate.rs
drivers=430 # rules of real drivers: captures and contexts of other libraries, blocking copies, pitches, frees, sharing,
            # parameters of kernels in PTX, threads for tasks of graphs, pageable copies and empty graphs
stamps=50   # tags and call stacks of stamps
platforms=20 # PORTACL_CUDA=OFF, kernels with large pages
pages=374   # PORTACL_CHECK_REPORT: src/check/report/page: the program, calls of threads, titles, times between events
callers=184 # calls of threads in traces, with arrows and lines of Python: src/backend/trace/call.rs and arrow.rs, gate.rs
recorder=745 # what makes PORTACL_CHECK=races fast: numbered operations, runs of graphs as one entry, shared clocks, a
             # hash table of ranges, a short way of copies, lists of walked stacks for each thread, and
             # stacks that are never freed
log=302     # a log of ordered operations for races, and dropping what several of them overwrite, the
            # watcher of memory beside the path of hooks
calls=340   # short ways of frequent calls: stripes of threads in src/algo/alloc/block_cache, the first part of calls,
            # the default pool without a lock, waits that write to no shared memory
releases=51 # NAME_portacl_release: what the launch of a kernel owns, in streams and in graphs
uses=130    # NAME_portacl_uses: the memory that the launch of a kernel uses, for PORTACL_CHECK; operators in reports,
            # suppressions for one kind, operations that a stream refuses
waits=275   # waits that come before what ends them, for races and for endless waits: carriers and knowledge of the host in
            # src/core/order, values of waits
counts=100  # counts of notifies for PORTACL_CHECK: resets, conditions of waits, waits that are aborted or time out
undecided=220 # pairs that PORTACL_CHECK judges when what ends a wait is submitted: src/core/order/undecided.rs; refusals
graphs=40   # what kernels of graphs use, and the order of the runs of a graph, for PORTACL_CHECK
early=500   # accesses to pinned memory before a wait: its second view, its closed pages, their faults and reports
images=505  # what the loader reads of a kernel for CPUs: src/backend/kernel/elf_*.rs
python=425  # lines of Python in reports: src/backend/base/python
places=330  # PORTACL_CHECK=races compares memory by its place: src/core/order/places.rs, src/check/asked.rs
misuse=330  # codes that are answers, and texts and counts of reports: src/check/misuse.rs, report/summary.rs, call_site/text.rs
sharing=770 # which processes may import what, a socket that other users cannot reach, and memory files for exports, with a line
            # where there are none: src/backend/base/broker, apart.rs, shared_blocks.rs
descriptors=330 # descriptors and streams that the program closes: src/algo/host/descriptor.rs, standard_stream.rs
privileges=210 # AT_SECURE and links in folders of others: src/algo/host/environment.rs, output_path.rs
cancelled=340 # pthread_cancel and fork: src/algo/thread/uncancelled.c, cancellation.rs, src/core/base/gate.rs
late=200    # destroys after the owner went, and sizes against what exists: slot_table/free.rs, request/bounded.rs
many=440    # thousands of threads and objects: src/algo/sync/reclaim, order/ended.rs, stream/set.rs, schedules
threads=130 # threads that start without host memory: src/algo/thread/thread_start.c, thread_end.c, quiet_thread.rs, wake_up.rs
counts_of_devices=120 # devices that are counted without their driver, and streams of CUDA by their addresses:
            # src/cuda/runtime/count.rs, src/cuda/stream/state/list.rs
crates=178  # what a crate declares, the list of backends and what they are: ffi/assembly.rs, backend/runtime/backend.rs,
            # and longer heads of the functions that are for the core alone, pub(crate)
opened=50   # access rights of what was allocated: device_memory/opened.rs; clocks without bytes that nothing wrote
hostile=80  # floods of connections, descriptors that come unasked, descriptions of kernels outside of segments, sizes of
            # files of settings: src/backend/base/broker, src/cpu/kernel/module.rs, src/algo/host/input_file.rs
busy=360    # frees beside busy streams of CUDA: batches of frees, shared marks, the list of busy streams, pools that end after
            # their frees: src/cuda/memory/pending, src/cuda/stream/state/marks.rs
queues=403  # streams of CUDA that share hardware queues: src/cuda/runtime/priorities.rs, records that a thread queries in
            # src/cuda/stream/event.rs and timed_wait.rs, copies of pageable memory in transfer/memcpy.rs and stream/state.rs,
            # and room in a queue behind runs that the host drives, in stream/state/room.rs, for which calls wait without
            # a lock: backend/stream/mod.rs, core/graph/graph.rs; failures of waits that end before their call returns;
            # timeouts that need no room, with marks that waits share, in stream/state/marks.rs
turns=40    # threads that spin before they sleep: src/backend/schedule/bell.rs; portaclGetVersion
exhaustive=315 # matches that name each variant, one a line, instead of `_` (clippy::wildcard_enum_match_arm, and
            # tests/matches.rs for variants in tuples and options)
captures=60 # captures and failed contexts of other libraries: src/cuda/base/api/captures.rs, streams that join a capture and
            # events in one in src/cuda/stream
ends=130    # one way to find the ends of transfers, with what each call expects as data: src/core/transfer/ends.rs
locations=475 # pools by location and allocation type, of managed memory, and their properties:
            # src/core/pool/mem_pool/located.rs, props.rs
batches=140 # many copies and prefetches in one call of the driver: src/cuda/transfer/memcpy_batch.rs
texts=765   # texts that name the argument, its bound and what to do, on more lines than before: all of src
tasks=925  # portaclLaunchTask: src/{core,cpu,cuda,ffi}/transfer/host_task.rs, src/backend/stream/host_task.rs, idle threads that
            # end in src/backend/stream/workers.rs, src/check/user_code.rs
huge=76     # exports of memory on huge pages by descriptor: src/cuda/memory/mapped_memory.rs
fits=40     # no second request to a driver for pool memory that cannot fit: src/cuda/pool/mem_pool.rs; the place where
            # a search of the reserve begins: src/algo/host/host_memory/reserve.rs; further requests for 2 MiB pages
revoked=50  # host functions that run exactly if their call succeeds, and whose stream is busy until they end:
            # src/cuda/stream/host_fn.rs, src/cuda/stream/state/calls.rs
sites=32    # portaclCallSite, for PORTACL_CHECK=collectives: src/core/base/call_site/place.rs, src/ffi/base/call_site.rs
findings=140 # portaclReportFinding, for PORTACL_CHECK=collectives: src/{core,ffi}/base/finding.rs, src/check/adopted.rs, report.rs
ended=45    # records of shared events whose process has left: src/backend/stream/notify/record.rs; keys that were refused before
names=36    # answers that follow the name of the processor, and a report about unknown ones: src/core/runtime/info.rs
profiles=39 # the folder that torch_npu.profiler reads: src/core/profiling/prof_folder.rs
most_product_lines=$((runtime + checks + schedules + drivers + stamps + platforms + pages + recorder + log + calls))
most_product_lines=$((most_product_lines + releases + uses + waits + counts + undecided + graphs + early + images + python + places))
most_product_lines=$((most_product_lines + misuse + sharing + descriptors + privileges + cancelled + late + many + threads + counts_of_devices + crates))
most_product_lines=$((most_product_lines + opened + hostile + busy + queues + turns + exhaustive + captures + ends + locations + batches))
most_product_lines=$((most_product_lines + texts + tasks + sites + callers + huge + revoked + fits + findings + ended + names + profiles))
repair="shorten the code, or add a summand with its reason to tools/checks/product-lines.sh"
check() { tools/product_lines.py --most "$most_product_lines"; }
sabotage() {
    local line
    for line in {1..1000}; do echo "const LINE_$line: u32 = $line;"; done >>src/algo/math/mix.rs
}
