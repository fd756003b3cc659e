// Tests that allocation logs are read as specified in docs/allocation_log.md.
#include "allocation_log.h"

#include <gtest/gtest.h>

#include "support/process/temporary_folder.h"

namespace {

// Writes these lines to a log, and reads it.
bench::AllocationLog Read(const std::string& lines, std::uint64_t device = 0) {
    const portacl_test::TemporaryFolder folder;
    const std::string file = folder.At("log.jsonl");
    std::ofstream(file) << lines;
    return bench::ReadAllocationLog(file, device);
}

std::string FailureOf(const std::string& lines) {
    try {
        Read(lines);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

std::string Malloc(const char* pointer, int size, const char* more = "") {
    return R"({"event": "malloc", "time": 10, "pointer": ")" + std::string(pointer) + R"(", "size": )" +
           std::to_string(size) + R"(, "stream": "0x1", "thread": 7, "device": 0)" + more + "}\n";
}

std::string Free(const char* pointer, const char* stream = "0x1") {
    return R"({"event": "free", "time": 20, "pointer": ")" + std::string(pointer) + R"(", "stream": ")" + stream +
           R"(", "thread": 7, "device": 0})" + "\n";
}

TEST(AllocationLog, BecomesATrace) {
    const auto log =
        Read(Malloc("0xa", 100) + Malloc("0xb", 200) + Free("0xa", "0x2") + Malloc("0xa", 300) + Free("0xb"));
    const auto& steps = log.trace.steps;
    ASSERT_EQ(steps.size(), 5u);
    EXPECT_EQ(log.trace.slots, 2u);
    EXPECT_EQ(log.trace.streams, 2u);
    EXPECT_EQ(steps[0].size, 100u);
    EXPECT_EQ(steps[2].size, 0u);
    EXPECT_EQ(steps[2].slot, steps[0].slot);
    EXPECT_NE(steps[2].stream, steps[0].stream);
    EXPECT_EQ(steps[3].slot, steps[0].slot);
    EXPECT_EQ(steps[4].slot, steps[1].slot);
    EXPECT_EQ(bench::PeakRequested(log.trace), 500u);
    EXPECT_EQ(log.times, (std::vector<std::uint64_t>{10, 10, 20, 10, 20}));
}

TEST(AllocationLog, SkipsWhatAReplayHasNoUseFor) {
    const auto log = Read(Malloc("0x0", 100) + Malloc("0xa", 100, R"(, "kind": "pinned")") +
                          Malloc("0xc", 100, R"(, "kind": "imported")") + Malloc("0xd", 100, R"(, "kind": "graph")") +
                          R"({"event": "alloc", "bytes": 2097152})" + "\n\n" + Free("0xdead") +
                          Malloc("0xb", 5, R"(, "kind": "pool", "page": null, "ok": true)"));
    ASSERT_EQ(log.trace.steps.size(), 1u);
    EXPECT_EQ(log.trace.steps[0].size, 5u);
    EXPECT_EQ(log.unknown_frees, 1u);
}

TEST(AllocationLog, HasTheLinesOfOneDevice) {
    EXPECT_EQ(Read(Malloc("0xa", 1), 1).trace.steps.size(), 0u);
    EXPECT_EQ(Read(Malloc("0xa", 1), 0).trace.steps.size(), 1u);
}

TEST(AllocationLog, SkipsPinnedMemory) {
    const std::string pinned = R"({"event": "malloc", "time": 10, "pointer": "0xb", "size": 8, "stream": "0x0", )"
                               R"("thread": 7, "device": -1, "kind": "pinned"})";
    EXPECT_EQ(Read(pinned + "\n" + Malloc("0xa", 1)).trace.steps.size(), 1u);
}

TEST(AllocationLog, NoBytesAreOneByte) {
    EXPECT_EQ(Read(Malloc("0xa", 0)).trace.steps.at(0).size, 1u);
}

TEST(AllocationLog, KeepsAllDigitsOfASize) {
    const std::string line =
        R"({"size":9007199254740993,"event":"malloc","time":0,"pointer":"x","stream":"0x0","thread":1,"device":0})";
    EXPECT_EQ(Read(line).trace.steps.at(0).size, 9007199254740993u);
}

TEST(AllocationLog, NamesTheLineThatIsWrong) {
    EXPECT_NE(FailureOf(Malloc("0xa", 1) + "{").find(".jsonl:2: "), std::string::npos);
    EXPECT_NE(FailureOf("not JSON").find("'{' expected"), std::string::npos);
    EXPECT_NE(FailureOf(R"({"event": "free)").find("does not end"), std::string::npos);
    EXPECT_NE(FailureOf(R"({"event": })").find("no value"), std::string::npos);
    EXPECT_NE(FailureOf(R"({"event": "free"} x)").find("follows"), std::string::npos);
    EXPECT_NE(FailureOf(R"({"event": "free"})").find("no \"device\""), std::string::npos);
    EXPECT_NE(FailureOf(Malloc("0xa", -1)).find("no whole number"), std::string::npos);
    EXPECT_NE(FailureOf(Malloc("0xa", 1) + Malloc("0xa", 1)).find("not freed before"), std::string::npos);
    EXPECT_THROW(bench::ReadAllocationLog("/nowhere/log", 0), std::runtime_error);
}

}  // namespace
