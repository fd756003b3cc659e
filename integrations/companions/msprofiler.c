// libmsprofiler: torch_npu.profiler opens it when it profiles the device, and looks up functions that the runtime has,
// or that are optional. It reads the results with a program of a toolkit, which is not here.
#include <stdio.h>

__attribute__((visibility("hidden"))) int portacl_is_stream(int number); /* src/algo/host/standard_stream.c */

__attribute__((constructor)) static void explain(void) {
    if (portacl_is_stream(2))
        fputs(
            "portacl: torch_npu.profiler writes no trace_view.json of the device; allowed: activities="
            "[ProfilerActivity.CPU], which writes the operators of PyTorch. Open portacl-*.json in the folder of the "
            "result with Perfetto for the operations of the device (docs/profiling.md).\n",
            stderr);
}
