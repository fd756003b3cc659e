// The address space of the process is exhausted after the start, as with `ulimit -v` or in a small
// container: each call either works or returns a code with a text. Once there is memory again, the
// same call succeeds.
#include <functional>
#include <vector>

#include "support/gate.h"
#include "support/graph/graph.h"
#include "support/kernel/kernels.h"
#include "support/memory/managed_memory.h"
#include "support/memory/virtual_memory.h"
#include "support/own_process.h"
#include "support/pool/mem_pool.h"
#include "support/process/exhausted.h"
#include "support/transfer/batch.h"

using namespace portacl_test;

namespace {

constexpr size_t kMiB = 1 << 20;

OWN_PROCESS_TEST(HostMemoryExhausted, DeviceMemory) {
    MakeMany<void*>(
        "aclrtMalloc", 25'000, [](void** memory) { return aclrtMalloc(memory, 4096, ACL_MEM_MALLOC_NORMAL_ONLY); },
        aclrtFree);
}

OWN_PROCESS_TEST(HostMemoryExhausted, HostMemory) {
    MakeMany<void*>(
        "aclrtMallocHost", 25'000, [](void** memory) { return aclrtMallocHost(memory, 4096); }, aclrtFreeHost);
}

OWN_PROCESS_TEST(HostMemoryExhausted, Streams) {
    MakeMany<aclrtStream>("aclrtCreateStream", 500, aclrtCreateStream, aclrtDestroyStream);
}

OWN_PROCESS_TEST(HostMemoryExhausted, Events) {
    MakeMany<aclrtEvent>("aclrtCreateEvent", 50'000, aclrtCreateEvent, aclrtDestroyEvent);
}

OWN_PROCESS_TEST(HostMemoryExhausted, Contexts) {
    MakeMany<aclrtContext>(
        "aclrtCreateContext", 500, [](aclrtContext* context) { return aclrtCreateContext(context, 0); },
        [](aclrtContext context) {
            const aclError code = aclrtDestroyContext(context);
            return code == ACL_SUCCESS ? aclrtSetDevice(0) : code;
        });
}

OWN_PROCESS_TEST(HostMemoryExhausted, MemoryOfAPool) {
    MakeMany<void*>(
        "portaclMallocAsync", 10'000, [](void** memory) { return portaclMallocAsync(memory, 4096, nullptr); },
        [](void* memory) { return portaclFreeAsync(memory, nullptr); });
}

// Fills a blocked stream with operations.
void QueueMany(const char* name, size_t most, const std::function<aclError(aclrtStream, size_t)>& call) {
    for (const size_t left : kLeft) {
        Stream stream;
        Gate gate;
        ACL_OK(gate.Hold(stream));
        ASSERT_TRUE(gate.AwaitArrival());
        Exhaust(name, left, most, [&](size_t number) { return call(stream, number); });
        gate.Open();
        ACL_OK(aclrtSynchronizeStream(stream));
    }
}

OWN_PROCESS_TEST(HostMemoryExhausted, BlockedStream) {
    Begin();
    {
        const DeviceMemory memory(4096);
        QueueMany("aclrtMemsetAsync", 25'000,
                  [&](aclrtStream stream, size_t) { return aclrtMemsetAsync(memory.At(), 4096, 1, 4096, stream); });
        EXPECT_EQ(memory.Download(), std::vector<unsigned char>(4096, 1));
    }
    End();
}

OWN_PROCESS_TEST(HostMemoryExhausted, ArgumentsOfKernels) {
    Begin();
    {
        // The words that the kernel writes are behind its arguments.
        constexpr size_t kLen = kMiB;
        const Program program;
        const aclrtFuncHandle kernel = program.Kernel("mark");
        std::vector<char> block(kLen);
        const uint32_t number = 7;
        std::memcpy(&block[8], &number, sizeof number);
        aclrtPlaceHolderInfo words{};
        words.addrOffset = 0;
        words.dataOffset = 64;
        QueueMany("aclrtLaunchKernelWithHostArgs", 250, [&](aclrtStream stream, size_t) {
            return aclrtLaunchKernelWithHostArgs(kernel, 1, stream, nullptr, block.data(), block.size(), &words, 1);
        });
        const char* guard = std::getenv("PORTACL_CPU_GUARD");
        if (OnCpu() && !(guard && *guard == '1')) {
            // A kernel without a description takes a block of any length. Guard mode has none.
            const DeviceMemory memory(64);
            void* address = memory.At();
            std::memcpy(block.data(), &address, sizeof address);
            const aclrtFuncHandle plain = program.Kernel("plain_mark");
            QueueMany("aclrtLaunchKernel", 250, [&](aclrtStream stream, size_t) {
                return aclrtLaunchKernel(plain, 1, block.data(), block.size(), stream);
            });
        }
    }
    End();
}

OWN_PROCESS_TEST(HostMemoryExhausted, BatchesOfCopies) {
    Begin();
    {
        constexpr size_t kCopies = 20'000;
        const DeviceMemory memory(kCopies);
        const PinnedMemory source(kCopies, 3);
        Batch batch;
        for (size_t i = 0; i < kCopies; ++i) batch.Add(memory.At(i), source.At(i), 1);
        batch.Up();
        const auto copy = [&](aclrtStream stream, size_t) {
            size_t index = 0;
            return aclrtMemcpyBatchAsync(batch.dsts.data(), batch.dest_maxs.data(), batch.srcs.data(),
                                         batch.sizes.data(), kCopies, batch.attrs.data(), batch.attrs_indexes.data(), 1,
                                         &index, stream);
        };
        QueueMany("aclrtMemcpyBatchAsync", 3, copy);
        for (const size_t left : kLeft) {
            Exhaust("aclrtMemcpyBatch", left, 2, [&](size_t) {
                size_t index = 0;
                return aclrtMemcpyBatch(batch.dsts.data(), batch.dest_maxs.data(), batch.srcs.data(),
                                        batch.sizes.data(), kCopies, batch.attrs.data(), batch.attrs_indexes.data(), 1,
                                        &index);
            });
        }
        EXPECT_EQ(memory.Download(), source.Copy());
    }
    End();
}

OWN_PROCESS_TEST(HostMemoryExhausted, BatchesOfPrefetches) {
    Begin();
    {
        constexpr size_t kRanges = 20'000;
        const ManagedMemory memory(8 * kManagedGrain);
        std::vector<const void*> addresses(kRanges);
        for (size_t i = 0; i < kRanges; ++i) addresses[i] = memory.At(i % 8 * kManagedGrain);
        std::vector<size_t> sizes(kRanges, kManagedGrain);
        aclrtMemManagedLocation location{};
        location.type = ACL_MEM_LOCATIONTYPE_DEVICE;
        size_t first = 0;
        const Stream stream;
        for (const size_t left : kLeft) {
            Exhaust("aclrtMemManagedPrefetchBatchAsync", left, 3, [&](size_t) {
                return aclrtMemManagedPrefetchBatchAsync(addresses.data(), sizes.data(), kRanges, &location, &first, 1,
                                                         0, stream);
            });
        }
        ACL_OK(aclrtSynchronizeStream(stream));
    }
    End();
}

// The program chooses the length of these lists.
OWN_PROCESS_TEST(HostMemoryExhausted, ListsOfArguments) {
    constexpr size_t kLength = 400'000;
    Begin();
    aclrtLabel label = nullptr;
    ACL_OK(aclrtCreateLabel(&label));
    std::vector<aclrtLabel> labels(kLength, label);
    aclrtNotify notify = nullptr;
    ACL_OK(aclrtCreateNotify(&notify, 0));
    std::vector<aclrtNotify> notifies(kLength, notify);
    const std::vector<aclrtAtomicOperation> operations(kLength, ACL_RT_ATOMIC_OPERATION_INTEGER_ADD);
    std::vector<uint32_t> capabilities(kLength);
    for (const size_t left : kLeft) {
        aclrtLabelList list = nullptr;
        Exhaust("aclrtCreateLabelList", left, 1,
                [&](size_t) { return aclrtCreateLabelList(labels.data(), kLength, &list); });
        ACL_OK(aclrtDestroyLabelList(list));
        Exhaust("aclrtNotifyBatchReset", left, 1,
                [&](size_t) { return aclrtNotifyBatchReset(notifies.data(), kLength); });
        Exhaust("aclrtDeviceGetHostAtomicCapabilities", left, 1, [&](size_t) {
            return aclrtDeviceGetHostAtomicCapabilities(capabilities.data(), operations.data(), kLength, 0);
        });
    }
    ACL_OK(aclrtDestroyNotify(notify));
    ACL_OK(aclrtDestroyLabel(label));
    End();
}

OWN_PROCESS_TEST(HostMemoryExhausted, DescriptionsOfAccess) {
    constexpr size_t kCount = 100'000;
    Begin();
    {
        aclrtMemAccessDesc desc{};
        desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
        desc.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
        std::vector<aclrtMemAccessDesc> descs(kCount, desc);
        const aclrtMemPoolProps props = PoolProps();
        aclrtMemPool pool = nullptr;
        ACL_OK(aclrtMemPoolCreate(&pool, &props));
        const Range range(kPiece);
        const PhysicalMemory memory;
        const Mapping mapping(range.At(), memory);
        for (const size_t left : kLeft) {
            Exhaust("aclrtMemSetAccess", left, 1,
                    [&](size_t) { return aclrtMemSetAccess(range.At(), kPiece, descs.data(), kCount); });
            Exhaust("portaclMemPoolSetAccess", left, 1,
                    [&](size_t) { return portaclMemPoolSetAccess(pool, descs.data(), kCount); });
        }
        ACL_OK(aclrtMemPoolDestroy(pool));
    }
    End();
}

OWN_PROCESS_TEST(HostMemoryExhausted, Placeholders) {
    constexpr size_t kCount = 60'000;
    Begin();
    {
        const Program program;
        const aclrtFuncHandle kernel = program.Kernel("mark");
        std::vector<char> block(4096);
        std::vector<aclrtPlaceHolderInfo> words(kCount);
        for (aclrtPlaceHolderInfo& one : words) one.dataOffset = 64;
        const Stream stream;
        for (const size_t left : kLeft) {
            Exhaust("aclrtLaunchKernelWithHostArgs", left, 2, [&](size_t) {
                return aclrtLaunchKernelWithHostArgs(kernel, 1, stream, nullptr, block.data(), block.size(),
                                                     words.data(), kCount);
            });
            ACL_OK(aclrtSynchronizeStream(stream));
        }
    }
    End();
}

// A list of all allocations fails as a whole.
OWN_PROCESS_TEST(HostMemoryExhausted, ListOfAllocations) {
    constexpr size_t kCount = 20'000;
    Begin();
    std::vector<void*> memory(kCount);
    for (void*& one : memory) ACL_OK(aclrtMalloc(&one, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
    std::vector<portaclMemoryAllocation> all(kCount + 100);
    all[0].structSize = sizeof all[0];
    for (const size_t left : kLeft) {
        size_t count = 0;
        Exhaust("portaclMemorySnapshot", left, 1,
                [&](size_t) { return portaclMemorySnapshot(all.data(), all.size(), &count); });
        EXPECT_GE(count, kCount);
        Exhaust("portaclMemoryReportLeaksTo", left, 1, [&](size_t) {
            size_t lines = 0;
            const auto count_line = [](void* counted, const char*) { ++*static_cast<size_t*>(counted); };
            const aclError code = portaclMemoryReportLeaksTo(count_line, &lines, &count);
            if (code == ACL_SUCCESS && lines <= kCount) return aclError{ACL_ERROR_FAILURE};
            return code;
        });
    }
    for (void* one : memory) ACL_OK(aclrtFree(one));
    End();
}

// What is recorded of an allocation is left out if there is no memory for it.
OWN_PROCESS_TEST(HostMemoryExhausted, RecordsOfAllocations) {
    ACL_OK(portaclMemoryRecord());
    MakeMany<void*>(
        "aclrtMalloc", 20'000, [](void** memory) { return aclrtMalloc(memory, 4096, ACL_MEM_MALLOC_NORMAL_ONLY); },
        aclrtFree);
}

// Each adds one to a word, so that the sum is the number of tasks in a graph.
aclError AddOne(const DeviceMemory& words, aclrtStream stream) {
    return aclrtReduceAsync(words.At(), words.At(4), 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, stream, nullptr);
}

void ExpectSum(const DeviceMemory& words, size_t sum) {
    EXPECT_EQ(words.Download<uint32_t>().front(), sum);
}

// A capture that has no memory for a task keeps the earlier tasks and continues.
OWN_PROCESS_TEST(HostMemoryExhausted, Captures) {
    Begin();
    for (const size_t left : kLeft) {
        const DeviceMemory words(std::vector<uint32_t>{0, 1});
        Stream stream;
        ACL_OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
        const size_t count = Exhaust("aclrtReduceAsync", left, 25'000, [&](size_t) { return AddOne(words, stream); });
        aclmdlRI graph = nullptr;
        ACL_OK(aclmdlRICaptureEnd(stream, &graph));
        ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        ExpectSum(words, count);
        ACL_OK(aclmdlRIDestroy(graph));
    }
    End();
}

// If there is no memory to end a capture, the capture continues and can be ended later. The same holds
// for launches and updates of the graph.
OWN_PROCESS_TEST(HostMemoryExhausted, Graphs) {
    constexpr size_t kTasks = 10'000;
    Begin();
    for (const size_t left : kLeft) {
        const DeviceMemory words(std::vector<uint32_t>{0, 1});
        Stream stream;
        ACL_OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
        for (size_t i = 0; i < kTasks; ++i) ACL_OK(AddOne(words, stream));
        aclmdlRI graph = nullptr;
        Exhaust("aclmdlRICaptureEnd", left, 1, [&](size_t) { return aclmdlRICaptureEnd(stream, &graph); });
        const size_t runs =
            Exhaust("aclmdlRIExecuteAsync", left, 3, [&](size_t) { return aclmdlRIExecuteAsync(graph, stream); });
        ACL_OK(aclrtSynchronizeStream(stream));
        ExpectSum(words, runs * kTasks);

        Exhaust("aclmdlRIDebugJsonPrint", left, 1,
                [&](size_t) { return aclmdlRIDebugJsonPrint(graph, "/dev/null", 1); });
        Exhaust("portaclGraphPrintDot", left, 1, [&](size_t) { return portaclGraphPrintDot(graph, "/dev/null"); });

        aclrtStream part = StreamsOf(graph).front();
        std::vector<aclmdlRITask> tasks(kTasks);
        uint32_t count = kTasks;
        Exhaust("aclmdlRIGetTasksByStream", left, 1,
                [&](size_t) { return aclmdlRIGetTasksByStream(part, tasks.data(), &count); });
        ASSERT_EQ(count, kTasks);
        size_t disabled = Exhaust("aclmdlRITaskDisable", left, kTasks / 2,
                                  [&](size_t number) { return aclmdlRITaskDisable(tasks[number]); });
        Exhaust("aclmdlRIUpdate", left, 1, [&](size_t) { return aclmdlRIUpdate(graph); });
        ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        ExpectSum(words, runs * kTasks + kTasks - disabled);
        ACL_OK(aclmdlRIDestroy(graph));
    }
    End();
}

// The teardown of a device and of the session needs no memory.
OWN_PROCESS_TEST(HostMemoryExhausted, Teardown) {
    Begin();
    std::vector<void*> memory(5'000);
    for (void*& one : memory) ACL_OK(portaclMallocAsync(&one, 64, nullptr));
    std::vector<aclrtEvent> events(10'000);
    for (aclrtEvent& event : events) ACL_OK(aclrtCreateEvent(&event));
    aclError reset = Poison<aclError>(), finalized = reset;
    {
        const Exhausted exhausted(0);
        reset = aclrtResetDevice(0);
        finalized = aclFinalize();
    }
    ACL_EXPECT_OK(reset);
    ACL_EXPECT_OK(finalized);
}

}  // namespace
