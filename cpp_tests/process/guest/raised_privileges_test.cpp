// A program with raised privileges (set-user-ID) obeys no variable of the user who starts it, and no program writes
// through links of other users.
#include <gtest/gtest.h>

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/own_process.h"

namespace {

namespace fs = std::filesystem;
using portacl_test::ProcessResult;
using portacl_test::RunProcess;
using portacl_test::Settings;

constexpr unsigned kOther = 65533;

// The folder of the library in place of a driver.
std::string Planted() {
    return (portacl_test::ProgramDirectory() / "planted").string();
}

std::string Contents(const fs::path& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

size_t Count(const std::string& text, const std::string& part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

// A folder with a copy of the child, a file of root, and a folder for all users.
class RaisedPrivileges : public testing::Test {
  protected:
    void SetUp() override {
        chmod(folder_.c_str(), 0755);
        child_ = folder_ / "child";
        fs::copy_file(portacl_test::ProgramDirectory() / "raised_privileges_child", child_);
        victim_ = folder_ / "victim";
        std::ofstream(victim_) << "precious";
        chmod(victim_.c_str(), 0644);
        shared_ = folder_ / "shared";
        fs::create_directory(shared_);
        chmod(shared_.c_str(), 01777);
    }

    // Every kind of variable: what is written, loaded, chosen and checked.
    Settings Hostile(const fs::path& written) const {
        const std::string file = written.string();
        return {{"PORTACL_TRACE", file},         {"PORTACL_MEMORY_HOOK", "log:" + file},
                {"PORTACL_FAULT_COUNT", file},   {"PORTACL_CHECK", "all"},
                {"PORTACL_CHECK_LOG", file},     {"PORTACL_CHECK_REPORT", file},
                {"PORTACL_CHECK_EXIT", "99"},    {"PORTACL_BACKEND", "cpu"},
                {"PORTACL_CPU_DEVICES", "3"},    {"PORTACL_SOC_NAME", "Hostile"},
                {"PORTACL_NO_SUCH_NAME", "1"},   {"ASCEND_RT_VISIBLE_DEVICES", "1"},
                {"ASCEND_GLOBAL_LOG_LEVEL", "0"}};
    }

    // Runs the child as another user, in the folder of the planted driver.
    ProcessResult RunAsOther(const Settings& settings) const {
        const std::string id = std::to_string(kOther);
        return RunProcess(
            "/usr/bin/env",
            {"--chdir=" + Planted(), "setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups", child_.string()},
            settings);
    }

    // Runs the child, which has raised privileges, with every variable: none has an effect.
    void ExpectNoEffect() {
        const fs::path created = folder_ / "created";
        for (const fs::path& written : {victim_, created}) {
            const ProcessResult raised = RunAsOther(Hostile(written));
            EXPECT_EQ(raised.exit_code, 0) << raised.output;
            EXPECT_EQ(raised.output.find("Hostile"), std::string::npos) << raised.output;
            EXPECT_EQ(raised.output.find("devices 3"), std::string::npos) << raised.output;
            EXPECT_EQ(raised.output.find("planted"), std::string::npos) << raised.output;
            EXPECT_EQ(Count(raised.output, "raised privileges"), 1U) << raised.output;
            EXPECT_EQ(Count(raised.output, "\n"), 2U) << "one line of the library, one of the program:\n"
                                                      << raised.output;
        }
        EXPECT_EQ(Contents(victim_), "precious");
        EXPECT_FALSE(fs::exists(created));
    }

    const portacl_test::TemporaryFolder temporary_;
    const fs::path folder_ = temporary_.path();
    fs::path child_, victim_, shared_;
};

// Returns why the kernel gives a program in this folder no privileges; empty if it does.
std::string WhyNone(const fs::path& folder) {
    struct statvfs found {};
    if (geteuid() != 0) return "needs root, to make a program of root";
    if (access("/usr/bin/setpriv", X_OK) != 0) return "needs setpriv";
    if (statvfs(folder.c_str(), &found) == 0 && (found.f_flag & ST_NOSUID) != 0) return "needs a folder without nosuid";
    for (fs::path at = folder; at != at.root_path(); at = at.parent_path())
        if ((fs::status(at).permissions() & fs::perms::others_exec) == fs::perms::none)
            return "needs a folder that other users may enter";
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0) return "needs a process that may gain privileges";
    return "";
}

TEST_F(RaisedPrivileges, NoVariableOfTheUserHasAnEffect) {
    if (const std::string why = WhyNone(folder_); !why.empty()) GTEST_SKIP() << why;
    // Without the bit the variables have their effects, so the same run shows the difference.
    const fs::path theirs = shared_ / "theirs";
    const ProcessResult plain = RunAsOther(Hostile(theirs));
    if (plain.output.find("name Hostile") == std::string::npos &&
        plain.output.find("shared librar") != std::string::npos)
        GTEST_SKIP() << "needs a library that other users can read";
    EXPECT_NE(plain.output.find("name Hostile, devices 1"), std::string::npos) << plain.output;
    EXPECT_TRUE(fs::exists(theirs)) << plain.output;

    ASSERT_EQ(chmod(child_.c_str(), 04755), 0);
    ExpectNoEffect();
}

// A capability of the file raises privileges as the bit does.
TEST_F(RaisedPrivileges, NoVariableHasAnEffectWithCapabilitiesOfTheFile) {
    if (const std::string why = WhyNone(folder_); !why.empty()) GTEST_SKIP() << why;
    // Version 2 of the attribute, with the flag "effective": permitted is CAP_NET_BIND_SERVICE.
    const uint32_t capabilities[] = {0x02000001, 1U << 10, 0, 0, 0};
    if (setxattr(child_.c_str(), "security.capability", capabilities, sizeof capabilities, 0) != 0)
        GTEST_SKIP() << "needs a file system with capabilities: " << std::strerror(errno);
    const ProcessResult plain = RunAsOther({{"PORTACL_SOC_NAME", "Hostile"}});
    if (plain.output.find("shared librar") != std::string::npos)
        GTEST_SKIP() << "needs a library that other users can read";
    ExpectNoEffect();
}

// The loader finds a library of this name before that of the system: by the program's path, with and without raised
// privileges, and by the user's variable or in the user's folder without.
TEST_F(RaisedPrivileges, NoDriverIsLoadedFromFoldersOfTheProgramOrTheUser) {
    if (const std::string why = WhyNone(folder_); !why.empty()) GTEST_SKIP() << why;
    const Settings settings{{"PORTACL_BACKEND", "auto"}, {"LD_LIBRARY_PATH", ":" + Planted()}};
    const ProcessResult plain = RunAsOther(settings);
    if (plain.output.find("shared librar") != std::string::npos)
        GTEST_SKIP() << "needs a library that other users can read";
    ASSERT_NE(plain.output.find("the planted driver runs"), std::string::npos) << plain.output;
    ASSERT_EQ(chmod(child_.c_str(), 04755), 0);
    const ProcessResult raised = RunAsOther(settings);
    EXPECT_EQ(raised.exit_code, 0) << raised.output;
    EXPECT_EQ(raised.output.find("planted"), std::string::npos) << raised.output;
}

TEST_F(RaisedPrivileges, WithoutVariablesThereIsNoReport) {
    if (const std::string why = WhyNone(folder_); !why.empty()) GTEST_SKIP() << why;
    ASSERT_EQ(chmod(child_.c_str(), 04755), 0);
    const std::string id = std::to_string(kOther);
    const ProcessResult result = RunProcess("/usr/bin/env", {"-i", "/usr/bin/setpriv", "--reuid=" + id, "--regid=" + id,
                                                             "--clear-groups", child_.string()});
    if (result.output.find("shared librar") != std::string::npos)
        GTEST_SKIP() << "needs a library that other users can read";
    EXPECT_EQ(Count(result.output, "\n"), 1U) << "one line of the program:\n" << result.output;
    EXPECT_NE(result.output.find("devices "), std::string::npos) << result.output;
}

TEST_F(RaisedPrivileges, NoFileIsWrittenThroughALinkInAFolderForAllUsers) {
    const fs::path link = shared_ / "trace.json";
    fs::create_symlink(victim_, link);
    for (const char* variable : {"PORTACL_TRACE", "PORTACL_FAULT_COUNT", "PORTACL_CHECK_LOG", "PORTACL_CHECK_REPORT",
                                 "PORTACL_MEMORY_HOOK", "PORTACL_SCHEDULE_LOG"}) {
        const bool is_hook = std::string(variable) == "PORTACL_MEMORY_HOOK";
        const ProcessResult result = RunProcess(child_.string(), {},
                                                {{"PORTACL_BACKEND", "cpu"},
                                                 {"PORTACL_CHECK", "misuse"},
                                                 {"PORTACL_SCHEDULE", "lazy"},
                                                 {variable, (is_hook ? "log:" : "") + link.string()}});
        EXPECT_EQ(Contents(victim_), "precious") << variable << ": " << result.output;
        EXPECT_NE(result.output.find("symbolic link"), std::string::npos) << variable << ": " << result.output;
    }
}

TEST_F(RaisedPrivileges, WhatRootRecordsIsForRootAlone) {
    if (geteuid() != 0) GTEST_SKIP() << "needs root";
    const fs::path trace = folder_ / "trace.json", log = folder_ / "log";
    const ProcessResult result = RunProcess(child_.string(), {},
                                            {{"PORTACL_BACKEND", "cpu"},
                                             {"PORTACL_TRACE", trace.string()},
                                             {"PORTACL_MEMORY_HOOK", "log:" + log.string()}});
    for (const fs::path& file : {trace, log}) {
        struct stat found {};
        ASSERT_EQ(stat(file.c_str(), &found), 0) << file << result.output;
        EXPECT_EQ(found.st_mode & 0777, 0600U) << file;
    }
}

}  // namespace
