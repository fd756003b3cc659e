// InitPlugin: which tables it accepts, and which callbacks it sets.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <set>

#include "paddle_double.h"

using namespace paddle_test;

namespace {

using Load = testing::Test;

// Callbacks beyond the four groups of the interface: earlier releases lack some slots.
TEST(Load, FillsEverySlotThatAReleaseHasForACallbackAndNoOther) {
    for (int column = 0; column < kColumns; ++column) {
        SCOPED_TRACE(kReleases[column].versions);
        Table table(column);
        table.Init();
        std::set<std::size_t> filled;
#define PORTACL_PADDLE_EXPECT(name, ...)                                              \
    if (const std::size_t at = portacl_paddle::slot_of::name[column]) {               \
        EXPECT_NE(table.At(at), nullptr) << #name;                                    \
        EXPECT_TRUE(filled.insert(at).second) << #name << " has the slot of another"; \
    }
        PORTACL_PADDLE_CALLBACKS(PORTACL_PADDLE_EXPECT)
#undef PORTACL_PADDLE_EXPECT
        EXPECT_GE(filled.size(), 66u);
        for (std::size_t at = sizeof(std::size_t); at < table.Size(); at += sizeof(void*)) {
            if (filled.count(at) == 0) {
                EXPECT_EQ(table.At(at), nullptr) << "slot at " << at;
            }
        }
    }
}

TEST(Load, ReportsItsInterfaceVersionAndDeviceName) {
    for (int column = 0; column < kColumns; ++column) {
        Table table(column);
        table.Init();
        EXPECT_EQ(table.Params().version.major, 0u);
        EXPECT_EQ(table.Params().version.minor, 1u);
        EXPECT_EQ(table.Params().version.patch, 1u);
        EXPECT_STREQ(table.Params().device_type, "portacl");
        EXPECT_STREQ(table.Params().sub_device_type, "portacl");
        EXPECT_EQ(table.Params().pir_default_passes, nullptr);
    }
}

TEST(Load, TurnsViewsOffUnlessTheEnvironmentHasTheFlag) {
    bool& flag = paddle_flags::FLAGS_use_stride_kernel;
    flag = true;
    Table(kColumns - 1).Init();
    EXPECT_FALSE(flag);
    flag = true;
    ASSERT_EQ(setenv("FLAGS_use_stride_kernel", "1", 1), 0);
    Table(kColumns - 1).Init();
    EXPECT_TRUE(flag);
    ASSERT_EQ(unsetenv("FLAGS_use_stride_kernel"), 0);
}

TEST(Load, RefusesATableOfAnotherSizeInWords) {
    for (const std::size_t size : {std::size_t{8}, std::size_t{912}, std::size_t{1136}}) {
        Table table(size, kReleases[0].params);
        char stale[] = "stale";
        table.Params().device_type = stale;
        ErrorOutput output;
        table.Init();
        const std::string words = output.Take();
        EXPECT_EQ(table.Params().device_type, nullptr);
        EXPECT_NE(words.find(std::to_string(size) + " bytes"), std::string::npos) << words;
        EXPECT_NE(words.find(kReleases[kColumns - 1].versions), std::string::npos) << words;
        for (std::size_t at = sizeof size; at + sizeof(void*) <= size; at += sizeof(void*)) {
            EXPECT_EQ(table.At(at), nullptr) << "slot at " << at << " was written";
        }
    }
}

TEST(Load, RefusesParametersOfAnotherSizeInWords) {
    Table table(kReleases[0].table, kReleases[0].params + 8);
    ErrorOutput output;
    table.Init();
    EXPECT_EQ(table.Params().device_type, nullptr);
    EXPECT_NE(output.Take().find(std::to_string(kReleases[0].params + 8)), std::string::npos);
}

// A program that was started without the stream opens files that get its number.
TEST(Load, WritesNoReportToAFileOfTheProgram) {
    std::FILE* const file = std::tmpfile();
    ASSERT_NE(file, nullptr);
    const int saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
    ASSERT_EQ(dup3(fileno(file), STDERR_FILENO, O_CLOEXEC), STDERR_FILENO);
    Table(8, kReleases[0].params).Init();
    EXPECT_EQ(dup2(saved, STDERR_FILENO), STDERR_FILENO);
    close(saved);
    EXPECT_EQ(lseek(fileno(file), 0, SEEK_END), 0);
    std::fclose(file);
}

TEST(Load, RefusesToGoWithoutATable) {
    Table table(0);
    table.Params().interface = nullptr;
    ErrorOutput output;
    table.Init();
    EXPECT_EQ(table.Params().device_type, nullptr);
    EXPECT_NE(output.Take().find("no table"), std::string::npos);
}

}  // namespace
