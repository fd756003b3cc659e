// What task groups refuse.

#include <cstdint>
#include <vector>

#include "graph/group/graph_group.h"
#include "support/acl_test.h"
#include "support/graph/graph.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/threads.h"

namespace {

using namespace portacl_test;
using Words = std::vector<uint32_t>;

TEST_F(GraphGroup, ArgumentsAreChecked) {
    const Stream stream, other;
    auto group = Poison<aclrtTaskGrp>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_NOT_CAPTURED, aclmdlRICaptureTaskGrpBegin(stream), Shown(stream),
                     "aclmdlRICaptureBegin");
    ACL_FAILS(ACL_ERROR_RT_STREAM_NOT_CAPTURED, aclmdlRICaptureTaskGrpBegin(nullptr));
    ACL_FAILS(ACL_ERROR_RT_STREAM_NOT_CAPTURED, aclmdlRICaptureTaskGrpEnd(stream, &group));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureTaskGrpEnd(stream, nullptr), "handle");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureTaskUpdateBegin(stream, nullptr), "handle", "task group");
    ACL_FAILS_SAYING(kDead, aclmdlRICaptureTaskUpdateEnd(stream), Shown(stream), "aclmdlRICaptureTaskUpdateBegin");
    ACL_FAILS(kDead, aclmdlRICaptureTaskUpdateEnd(nullptr));
    Stream gone;
    aclrtStream dead = gone.Release();
    ACL_OK(aclrtDestroyStream(dead));
    const Event event;
    int nothing = 0;
    for (aclrtStream bad : {dead, static_cast<aclrtStream>(event), aclrtStream{&nothing}}) {
        ACL_FAILS(kDead, aclmdlRICaptureTaskGrpBegin(bad));
        ACL_FAILS(kDead, aclmdlRICaptureTaskGrpEnd(bad, &group));
        ACL_FAILS(kDead, aclmdlRICaptureTaskUpdateBegin(bad, stream));
        ACL_FAILS(kDead, aclmdlRICaptureTaskUpdateEnd(bad));
        ACL_FAILS(kDead, aclmdlRICaptureTaskUpdateBegin(stream, bad));
    }
    OnNewThread([&] {
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclmdlRICaptureTaskGrpBegin(stream));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclmdlRICaptureTaskGrpEnd(stream, &group));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclmdlRICaptureTaskUpdateBegin(stream, &nothing));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclmdlRICaptureTaskUpdateEnd(stream));
    });
    EXPECT_TRUE(IsPoison(group));
}

TEST_F(GraphGroup, BeginAndEndComeInPairs) {
    const Stream stream, other;
    auto group = Poison<aclrtTaskGrp>();
    ACL_OK(aclmdlRICaptureBegin(stream, kGlobal));
    ACL_FAILS_SAYING(kDead, aclmdlRICaptureTaskGrpEnd(stream, &group), Shown(stream), "aclmdlRICaptureTaskGrpBegin");
    EXPECT_TRUE(IsPoison(group));
    ACL_OK(aclmdlRICaptureTaskGrpBegin(stream));
    ACL_FAILS_SAYING(kDead, aclmdlRICaptureTaskGrpBegin(stream), Shown(stream), "aclmdlRICaptureTaskGrpEnd");
    ACL_OK(Fill(stream, 1));
    ACL_OK(aclmdlRICaptureTaskGrpEnd(stream, &group));
    ACL_FAILS_SAYING(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRICaptureTaskUpdateBegin(other, group), "aclmdlRICaptureEnd");
    ACL_FAILS(ACL_ERROR_RT_STREAM_CAPTURED, aclmdlRICaptureTaskUpdateBegin(stream, group));
    aclmdlRI graph = nullptr;
    ACL_OK(aclmdlRICaptureEnd(stream, &graph));
    // A stream changes one group at a time, and a group is changed by one stream at a time.
    ACL_OK(aclmdlRICaptureTaskUpdateBegin(stream, group));
    EXPECT_EQ(StatusOf(stream), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    ACL_FAILS_SAYING(kDead, aclmdlRICaptureTaskUpdateBegin(other, group), "another stream");
    ACL_FAILS(ACL_ERROR_RT_STREAM_CAPTURED, aclmdlRICaptureBegin(stream, kGlobal));
    ACL_FAILS_SAYING(kDead, aclmdlRICaptureTaskUpdateEnd(stream), "0 operations");
    ACL_OK(aclmdlRICaptureTaskUpdateBegin(other, group));
    // The update stays valid.
    ACL_FAILS_SAYING(kDead, aclmdlRICaptureTaskUpdateBegin(other, group), Shown(other), "aclmdlRICaptureTaskUpdateEnd");
    ACL_OK(Fill(other, 1));
    ACL_OK(aclmdlRICaptureTaskUpdateEnd(other));
    ACL_OK(aclrtSynchronizeStream(other));
    ACL_OK(aclmdlRIDestroy(graph));
    ACL_FAILS_SAYING(kDead, aclmdlRICaptureTaskUpdateBegin(stream, group), "task group", "destroyed");
    // A group that has not ended.
    ACL_OK(aclmdlRICaptureBegin(stream, kGlobal));
    ACL_OK(aclmdlRICaptureTaskGrpBegin(stream));
    ACL_FAILS_SAYING(kDead, aclmdlRICaptureEnd(stream, &graph), "aclmdlRICaptureTaskGrpEnd");
    EXPECT_EQ(StatusOf(stream), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
}

TEST_F(GraphGroup, ACancelledCaptureEndsItsGroups) {
    Stream stream;
    const Stream other;
    ACL_OK(aclmdlRICaptureBegin(stream, kGlobal));
    const aclrtTaskGrp group = Group(stream, [&] { ACL_OK(Fill(stream, 1)); });
    ACL_OK(aclrtDestroyStreamForce(stream.Release()));
    ACL_FAILS(kDead, aclmdlRICaptureTaskUpdateBegin(other, group));
}

TEST_F(GraphGroup, RefusedInsideAHostFunction) {
    struct GroupCalls {
        aclrtStream stream;
        aclrtTaskGrp group;
        aclError codes[4];
    };
    const Stream stream, other;
    GroupCalls state{other, nullptr, {0, 0, 0, 0}};
    const Graph graph = FillGraph(other, 1, &state.group);
    ACL_OK(aclrtLaunchHostFunc(
        stream,
        [](void* argument) {
            auto* s = static_cast<GroupCalls*>(argument);
            aclrtTaskGrp group = nullptr;
            s->codes[0] = aclmdlRICaptureTaskGrpBegin(s->stream);
            s->codes[1] = aclmdlRICaptureTaskGrpEnd(s->stream, &group);
            s->codes[2] = aclmdlRICaptureTaskUpdateBegin(s->stream, s->group);
            s->codes[3] = aclmdlRICaptureTaskUpdateEnd(s->stream);
        },
        &state));
    ACL_OK(aclrtSynchronizeStream(stream));
    for (aclError code : state.codes) EXPECT_EQ(code, kDead);
}

}  // namespace
