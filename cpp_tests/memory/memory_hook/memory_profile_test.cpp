// portaclMemoryHookProfile: memory use as a tree of numbers; leak reports line by line.

#include <portacl/portacl.hpp>

#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/own_process.h"
#include "support/says.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

using Node = portaclMemoryProfileNode;

std::vector<Node> Profile(uint64_t id) {
    size_t count = 0;
    ACL_EXPECT_OK(portaclMemoryHookProfile(id, nullptr, 0, &count));
    std::vector<Node> nodes(count);
    if (!nodes.empty()) nodes[0].structSize = sizeof(Node);
    ACL_EXPECT_OK(portaclMemoryHookProfile(id, nodes.data(), count, &count));
    EXPECT_EQ(count, nodes.size());
    return nodes;
}

const Node* Find(const std::vector<Node>& nodes, const std::string& name) {
    for (const Node& node : nodes)
        if (std::string(node.function).find(name) != std::string::npos) return &node;
    return nullptr;
}

[[gnu::noinline]] void AllocateLittle() {
    void* memory = nullptr;
    ACL_EXPECT_OK(aclrtMallocHost(&memory, 1000));
    ACL_EXPECT_OK(aclrtFreeHost(memory));
}

[[gnu::noinline]] void AllocateMuch() {
    for (int i = 0; i < 3; ++i) {
        void* memory = nullptr;
        ACL_EXPECT_OK(aclrtMallocHost(&memory, 4096));
        ACL_EXPECT_OK(aclrtFreeHost(memory));
    }
}

class MemoryProfile : public Initialized {};

TEST_F(MemoryProfile, IsATreeOfExactNumbers) {
    const portacl::LineProfileHook hook(0, portacl::HookScope::thread);
    EXPECT_EQ(Profile(hook.get()).size(), 1u);
    AllocateLittle();
    AllocateMuch();
    const std::vector<Node> nodes = Profile(hook.get());
    ASSERT_GT(nodes.size(), 2u);
    const Node& root = nodes[0];
    EXPECT_EQ(root.structSize, sizeof(Node));
    EXPECT_STREQ(root.function, "_root");
    EXPECT_STREQ(root.file, "");
    EXPECT_EQ(root.line, 0u);
    EXPECT_EQ(root.depth, 0u);
    EXPECT_EQ(root.mallocBytes, 1024u + 3 * 4096u);
    EXPECT_EQ(root.mallocCount, 4u);
    const Node* little = Find(nodes, "AllocateLittle");
    const Node* much = Find(nodes, "AllocateMuch");
    ASSERT_TRUE(little && much);
    EXPECT_EQ(little->mallocBytes, 1024u);
    EXPECT_EQ(little->mallocCount, 1u);
    EXPECT_EQ(much->mallocBytes, 3 * 4096u);
    EXPECT_EQ(much->mallocCount, 3u);
    // Under the same function, the largest first.
    EXPECT_EQ(little->depth, much->depth);
    EXPECT_LT(much, little);
    EXPECT_LE(little->allocCount + much->allocCount, root.allocCount);
    EXPECT_EQ(root.allocCount == 0, root.allocBytes == 0);
    for (size_t i = 1; i < nodes.size(); ++i) {
        EXPECT_GE(nodes[i].depth, 1u);
        EXPECT_LE(nodes[i].depth, nodes[i - 1].depth + 1);
    }
#ifndef NDEBUG
    EXPECT_NE(std::string(much->file).find("memory_profile_test.cpp"), std::string::npos);
    EXPECT_GT(much->line, 0u);
#endif
}

TEST_F(MemoryProfile, FillsTheCallersBuffer) {
    const portacl::LineProfileHook hook(0, portacl::HookScope::thread);
    AllocateLittle();
    const size_t all = Profile(hook.get()).size();
    Node two[2];
    two[0] = Poison<Node>();
    two[1] = Poison<Node>();
    two[0].structSize = sizeof(Node);
    size_t count = 0;
    ACL_OK(portaclMemoryHookProfile(hook.get(), two, 1, &count));
    EXPECT_EQ(count, all);
    EXPECT_STREQ(two[0].function, "_root");
    EXPECT_TRUE(IsPoison(two[1]));
}

TEST_F(MemoryProfile, ReportsInvalidArguments) {
    const portacl::LineProfileHook hook(0, portacl::HookScope::thread);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclMemoryHookProfile(hook.get(), nullptr, 0, nullptr), "count");
    Node node{};
    size_t count = Poison<size_t>();
    for (const size_t size : {size_t{0}, sizeof node - 1, SIZE_MAX}) {
        node.structSize = size;
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclMemoryHookProfile(hook.get(), &node, 1, &count), "structSize",
                         std::to_string(size), std::to_string(sizeof node));
    }
    node.structSize = sizeof node;
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, portaclMemoryHookProfile(hook.get() + 1000, &node, 1, &count),
                     "not a registered hook");
    const portacl::LimitHook limit(1 << 30, portacl::HookScope::thread);
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, portaclMemoryHookProfile(limit.get(), &node, 1, &count),
                     "portaclMemoryHookRegisterLineProfile");
    EXPECT_TRUE(IsPoison(count));
    // From any thread, with no device.
    OnNewThread([&] { ACL_EXPECT_OK(portaclMemoryHookProfile(hook.get(), &node, 1, &count)); });
}

void Collect(void* lines, const char* line) {
    static_cast<std::vector<std::string>*>(lines)->push_back(line);
    // The callback may call the library.
    size_t count = 0;
    ACL_EXPECT_OK(portaclMemorySnapshot(nullptr, 0, &count));
}

OWN_PROCESS_TEST(LeakReportLines, GoToAFunctionOfTheProgram) {
    ACL_OK(aclInit(nullptr));
    void* memory = nullptr;
    ACL_OK(aclrtMallocHost(&memory, 1000));
    portaclNoteReleaseFailure("aclrtSomething", 107000);
    std::vector<std::string> lines;
    size_t count = 0;
    testing::internal::CaptureStderr();
    ACL_OK(portaclMemoryReportLeaksTo(Collect, &lines, &count));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(count, 1u);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0], "portacl: 1 allocation of 1024 bytes is not freed");
    EXPECT_NE(lines[1].find("page-locked host memory"), std::string::npos);
    EXPECT_NE(lines[2].find("aclrtSomething returned 107000"), std::string::npos);
    ACL_OK(aclrtFreeHost(memory));
    lines.clear();
    ACL_OK(portaclMemoryReportLeaksTo(Collect, &lines, nullptr));
    EXPECT_TRUE(lines.empty());
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclMemoryReportLeaksTo(nullptr, &lines, &count), "write");
    ACL_OK(aclFinalize());
    ACL_OK(portaclMemoryReportLeaksTo(Collect, &lines, &count));
    EXPECT_EQ(count, 0u);
}

}  // namespace
