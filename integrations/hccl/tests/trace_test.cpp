// What traces and the page of PORTACL_CHECK_REPORT show of collectives.
#include <algorithm>

#include "support/own_process.h"
#include "support/profiling/trace.h"
#include "tests/meshed.h"

namespace hccl {
namespace {

constexpr uint64_t kCount = 1000;

class TraceTest : public MeshedTest {
  protected:
    // The process that is traced opens the device.
    void SetUp() override { NEEDS_QUEUES(8); }
    void TearDown() override {}

    static void Sum() {
        ACL_OK(aclInit(nullptr));
        Run(2, [](Rank& own) {
            const Floats send(std::vector<float>(kCount, 1)), recv(std::vector<float>(kCount, 0));
            const Floats all(std::vector<float>(2 * kCount, 0));
            HCCL_OK(HcclAllReduce(send.get(), recv.get(), kCount, kFloat, HCCL_REDUCE_SUM, own.comm, own.stream));
            HCCL_OK(HcclAllGather(send.get(), all.get(), kCount, kFloat, own.comm, own.stream));
            ACL_OK(aclrtSynchronizeStream(own.stream));
        });
        ACL_OK(aclFinalize());
    }
};

TEST_F(TraceTest, AnOperationIsABarWithRankBytesAndRate) {
    const portacl_test::TemporaryFolder folder;
    const std::string path = folder.At("trace.json");
    portacl_test::RunInOwnProcess(Sum, {{"PORTACL_TRACE", path}});
    if (std::getenv("PORTACL_TEST_OWN_PROCESS") != nullptr) return;
    const portacl_test::Trace trace = portacl_test::Trace::Read(path);
    trace.Check();
    const std::map<std::string, int64_t> bytes = {{"HcclAllReduce", kCount * 4}, {"HcclAllGather", kCount * 8}};
    for (const auto& [call, wanted] : bytes) {
        for (const char* rank : {", rank 0 of 2", ", rank 1 of 2"}) {
            const auto bars =
                trace.Where([&](const auto& event) { return event.phase == 'X' && event.name == call + rank; });
            ASSERT_EQ(bars.size(), 1u) << call << rank;
            EXPECT_TRUE(trace.IsOfDevice(bars[0]));
            EXPECT_EQ(bars[0].Bytes(), wanted);
            const auto time = std::max<portacl_test::Nanoseconds>(1, bars[0].end - bars[0].begin);
            const double rate = static_cast<double>(wanted) / static_cast<double>(time);
            EXPECT_NEAR(bars[0].args.at("GB/s"), rate, rate / 100 + 0.001);
        }
    }
}

TEST_F(TraceTest, ThePageOfTheChecksHasRankBytesAndTime) {
    const portacl_test::TemporaryFolder folder;
    const std::string path = folder.At("page.html");
    portacl_test::RunInOwnProcess(Sum, {{"PORTACL_CHECK", "races"}, {"PORTACL_CHECK_REPORT", path}});
    if (std::getenv("PORTACL_TEST_OWN_PROCESS") != nullptr) return;
    std::ifstream file(path);
    const std::string page(std::istreambuf_iterator<char>(file), {});
    const std::string begin = "type=\"application/json\">";
    const size_t at = page.find(begin) + begin.size();
    const auto timeline = nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at))[2];
    const std::map<std::string, int64_t> bytes = {{"HcclAllReduce, rank 0 of 2", kCount * 4},
                                                  {"HcclAllGather, rank 1 of 2", kCount * 8}};
    for (const auto& [name, wanted] : bytes) {
        const auto found = std::find_if(timeline["operations"].begin(), timeline["operations"].end(),
                                        [&name = name](const auto& operation) { return operation["what"] == name; });
        ASSERT_NE(found, timeline["operations"].end()) << name;
        EXPECT_EQ((*found)["bytes"], wanted);
        EXPECT_GT(found->value("took", 0), 0) << *found;
        EXPECT_EQ((*found)["call"], "portaclLaunchTask");
    }
    // Each rank has a thread.
    EXPECT_GE(timeline["threads"].size(), 2u);
}

}  // namespace
}  // namespace hccl
