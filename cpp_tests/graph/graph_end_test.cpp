// Callbacks that run when graphs are destroyed.
#include <cstdint>
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/gate.h"
#include "support/graph/graph.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/threads.h"

namespace {

using namespace portacl_test;

using GraphEnd = WithDevice;

// The functions that were called, in order.
std::vector<int> called;

void First(void* argument) {
    called.push_back(argument ? *static_cast<int*>(argument) : 1);
}
void Second(void*) {
    called.push_back(2);
}

class GraphEndCalls : public GraphEnd {
  protected:
    void SetUp() override {
        called.clear();
        GraphEnd::SetUp();
    }
};

TEST_F(GraphEndCalls, FunctionsAreCalledOnceInOrder) {
    const Stream stream;
    Graph graph = Capture(stream, [] {});
    const Graph other = Capture(stream, [] {});
    int number = 7;
    ACL_OK(aclmdlRIDestroyRegisterCallback(graph, Second, nullptr));
    ACL_OK(aclmdlRIDestroyRegisterCallback(graph, First, &number));
    ACL_OK(aclmdlRIDestroyRegisterCallback(other, Second, nullptr));
    ACL_OK(aclmdlRIDestroyUnregisterCallback(other, Second));
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_TRUE(called.empty());
    number = 8;
    aclmdlRI handle = graph.Release();
    ACL_OK(aclmdlRIDestroy(handle));
    EXPECT_EQ(called, (std::vector<int>{2, 8}));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIDestroy(handle));
    EXPECT_EQ(called.size(), 2u);
}

TEST_F(GraphEndCalls, LiveGraphsCallNothing) {
    const Stream stream;
    Gate gate;
    Graph graph = Capture(stream, [&] { ACL_OK(gate.Hold(stream)); });
    ACL_OK(aclmdlRIDestroyRegisterCallback(graph, First, nullptr));
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_FAILS(ACL_ERROR_RT_MODEL_RUNNING, aclmdlRIDestroy(graph));
    EXPECT_TRUE(called.empty());
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclmdlRIDestroyUnregisterCallback(graph, First));
    ACL_OK(aclmdlRIDestroyRegisterCallback(graph, First, nullptr));
    ACL_OK(aclmdlRIDestroy(graph.Release()));
    EXPECT_EQ(called, std::vector<int>{1});
}

// Memory that a graph has used can be freed in the callback.
TEST_F(GraphEndCalls, FunctionsMayCallTheLibrary) {
    struct FreeCalls {
        aclmdlRI graph;
        void* memory;
        aclError freed, again;
    } state{nullptr, nullptr, -1, -1};
    const Stream stream;
    ACL_OK(aclrtMalloc(&state.memory, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
    Graph graph = Capture(stream, [&] { ACL_OK(aclrtMemsetAsync(state.memory, 64, 1, 64, stream)); });
    state.graph = graph.Release();
    ACL_OK(aclmdlRIDestroyRegisterCallback(
        state.graph,
        [](void* argument) {
            auto* s = static_cast<FreeCalls*>(argument);
            s->freed = aclrtFree(s->memory);
            s->again = aclmdlRIDestroy(s->graph);
        },
        &state));
    ACL_OK(aclmdlRIDestroy(state.graph));
    EXPECT_EQ(state.freed, ACL_SUCCESS);
    EXPECT_EQ(state.again, ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(GraphEndCalls, DeviceResetsCallThem) {
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    aclmdlRI graph = Capture(stream, [] {}).Release();
    ACL_OK(aclmdlRIDestroyRegisterCallback(graph, First, nullptr));
    ACL_OK(aclrtResetDevice(0));
    EXPECT_EQ(called, std::vector<int>{1});
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtCreateStream(&stream));
    graph = Capture(stream, [] {}).Release();
    ACL_OK(aclmdlRIDestroyRegisterCallback(graph, Second, nullptr));
    ACL_OK(aclFinalize());
    EXPECT_EQ(called, (std::vector<int>{1, 2}));
    ACL_OK(aclInit(nullptr));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIDestroyRegisterCallback(graph, First, nullptr));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIDestroyUnregisterCallback(graph, Second));
}

TEST_F(GraphEndCalls, ArgumentsAreChecked) {
    const Stream stream;
    const Graph graph = Capture(stream, [&] {
        aclmdlRI early = nullptr;
        StatusOf(stream, &early);
        ACL_FAILS_SAYING(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRIDestroyRegisterCallback(early, First, nullptr),
                         Shown(early));
    });
    constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM, kWrong = ACL_ERROR_RT_PARAM_INVALID;
    ACL_FAILS_SAYING(kInvalid, aclmdlRIDestroyRegisterCallback(nullptr, First, nullptr), "modelRI is null");
    ACL_FAILS_SAYING(kInvalid, aclmdlRIDestroyRegisterCallback(graph, nullptr, nullptr), "func is null");
    ACL_FAILS_SAYING(kInvalid, aclmdlRIDestroyUnregisterCallback(nullptr, First), "modelRI is null");
    ACL_FAILS_SAYING(kInvalid, aclmdlRIDestroyUnregisterCallback(graph, nullptr), "func is null");
    ACL_FAILS_SAYING(kWrong, aclmdlRIDestroyUnregisterCallback(graph, First), "is not registered");
    ACL_OK(aclmdlRIDestroyRegisterCallback(graph, First, nullptr));
    ACL_FAILS_SAYING(kWrong, aclmdlRIDestroyRegisterCallback(graph, First, &called), "registered for", "already");
    int local = 0;
    for (void* bad : {static_cast<void*>(&local), static_cast<void*>(aclrtStream(stream))}) {
        ACL_FAILS_SAYING(kWrong, aclmdlRIDestroyRegisterCallback(bad, First, nullptr), Shown(bad));
        ACL_FAILS_SAYING(kWrong, aclmdlRIDestroyUnregisterCallback(bad, First), Shown(bad));
    }
    // From any thread.
    OnNewThread([&] { ACL_OK(aclmdlRIDestroyUnregisterCallback(graph, First)); });
}

}  // namespace
