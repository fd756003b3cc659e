// aclAppLog writes messages of a sufficient level to stderr.
#include <cerrno>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/acl_test.h"

namespace {

// What `write` puts on stderr.
template <typename Write>
std::string Logged(Write write) {
    testing::internal::CaptureStderr();
    write();
    return testing::internal::GetCapturedStderr();
}

class AppLog : public testing::Test {
  protected:
    void SetUp() override {
        unsetenv("PORTACL_LOG_LEVEL");
        unsetenv("ASCEND_GLOBAL_LOG_LEVEL");
    }
    void TearDown() override { SetUp(); }
};

// Which of the four levels are written, as their first letters.
std::string Written() {
    return Logged([] {
        for (aclLogLevel level : {ACL_DEBUG, ACL_INFO, ACL_WARNING, ACL_ERROR}) aclAppLog(level, "f", "f.cpp", 1, "x");
    });
}

TEST_F(AppLog, FormatsLikePrintf) {
    const std::string line = Logged([] {
        aclAppLog(ACL_ERROR, "work", "file.cpp", 42, "%d %s %.2f %ld %c %.1f %u %llu %.3f %d", -1, "two", 3.25, 4L, '5',
                  6.5, 7u, 8ull, 9.125, 10);
    });
    EXPECT_EQ(line, "[ERROR] file.cpp:42 work: -1 two 3.25 4 5 6.5 7 8 9.125 10\n");
}

TEST_F(AppLog, MacroAddsFileAndLine) {
    const std::string line = Logged([] { ACL_APP_LOG(ACL_ERROR, "no arguments"); });
    EXPECT_NE(line.find("app_log_test.cpp:"), std::string::npos) << line;
    EXPECT_NE(line.find("operator(): no arguments\n"), std::string::npos) << line;
}

TEST_F(AppLog, WritesErrorsOnlyByDefault) {
    EXPECT_EQ(Written(), "[ERROR] f.cpp:1 f: x\n");
}

TEST_F(AppLog, LevelComesFromTheEnvironment) {
    setenv("ASCEND_GLOBAL_LOG_LEVEL", "2", 1);
    EXPECT_EQ(Written(), "[WARNING] f.cpp:1 f: x\n[ERROR] f.cpp:1 f: x\n");
    setenv("PORTACL_LOG_LEVEL", "4", 1);
    EXPECT_EQ(Written(), "");
    setenv("PORTACL_LOG_LEVEL", "0", 1);
    EXPECT_EQ(Written(),
              "[DEBUG] f.cpp:1 f: x\n[INFO] f.cpp:1 f: x\n[WARNING] f.cpp:1 f: x\n"
              "[ERROR] f.cpp:1 f: x\n");
}

// Only the first invalid setting is reported on stderr, once per process.
TEST_F(AppLog, InvalidLevelSettingsAreIgnored) {
    static std::string notice =
        "portacl: the environment variable PORTACL_LOG_LEVEL is \"5\"; allowed: 0 (debug) to 3 "
        "(error), 4 (none)\n";
    for (const std::string wrong : {"", "5", "-1", "1x", "debug", "10"}) {
        setenv("PORTACL_LOG_LEVEL", wrong.c_str(), 1);
        unsetenv("ASCEND_GLOBAL_LOG_LEVEL");
        const std::string first = wrong.empty() ? "" : std::exchange(notice, "");
        EXPECT_EQ(Written(), first + "[ERROR] f.cpp:1 f: x\n") << wrong;
        setenv("ASCEND_GLOBAL_LOG_LEVEL", "4", 1);
        EXPECT_EQ(Written(), "") << wrong;
    }
}

TEST_F(AppLog, UnknownLevelsAreErrors) {
    for (int level : {-1, 4, 1000}) {
        const std::string line = Logged([level] { aclAppLog(static_cast<aclLogLevel>(level), "f", "f.cpp", 1, "x"); });
        EXPECT_EQ(line, "[ERROR] f.cpp:1 f: x\n") << level;
    }
}

TEST_F(AppLog, NullTextsAreAccepted) {
    const std::string line =
        Logged([] { aclAppLog(ACL_ERROR, nullptr, nullptr, 7, static_cast<const char*>(nullptr)); });
    EXPECT_EQ(line, "[ERROR] ?:7 ?: \n");
}

TEST_F(AppLog, LongLinesAreCut) {
    const std::string text(100000, 'a');
    const std::string line = Logged([&] { aclAppLog(ACL_ERROR, "f", "f.cpp", 1, "%s", text.c_str()); });
    EXPECT_LT(line.size(), 4096u);
    EXPECT_GT(line.size(), 1000u);
    EXPECT_EQ(line.substr(line.size() - 4), "...\n");
    const std::string name(100000, 'n');
    const std::string named = Logged([&] { aclAppLog(ACL_ERROR, name.c_str(), "f.cpp", 1, "%d", 5); });
    EXPECT_LT(named.size(), 4096u);
    EXPECT_EQ(named.back(), '\n');
}

TEST_F(AppLog, KeepsErrno) {
    Logged([] {
        errno = ENOENT;
        aclAppLog(ACL_ERROR, "f", "f.cpp", 1, "x");
        EXPECT_EQ(errno, ENOENT);
    });
}

TEST_F(AppLog, LinesOfThreadsAreNotInterleaved) {
    constexpr int kThreads = 4, kLines = 200;
    const std::string all = Logged([] {
        std::vector<std::thread> threads;
        for (int thread = 0; thread < kThreads; ++thread)
            threads.emplace_back([thread] {
                for (int line = 0; line < kLines; ++line) aclAppLog(ACL_ERROR, "f", "f.cpp", 1, "%d", thread);
            });
        for (std::thread& thread : threads) thread.join();
    });
    size_t lines = 0, at = 0;
    while (at < all.size()) {
        const size_t end = all.find('\n', at);
        ASSERT_NE(end, std::string::npos);
        const std::string line = all.substr(at, end - at);
        ASSERT_EQ(line.substr(0, line.size() - 1), "[ERROR] f.cpp:1 f: ") << line;
        at = end + 1;
        ++lines;
    }
    EXPECT_EQ(lines, static_cast<size_t>(kThreads * kLines));
}

}  // namespace
