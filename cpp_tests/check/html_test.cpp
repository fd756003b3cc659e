// PORTACL_CHECK_REPORT: one page with the findings, a timeline and the use of memory, as a browser shows it.
#include <acl/acl.h>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "support/own_process.h"

using namespace portacl_test;

namespace {

size_t Count(const std::string& text, const std::string& part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

// The first browser of this machine that can run without a screen; empty without one.
std::string Browser() {
    std::istringstream folders(std::getenv("PATH") ? std::getenv("PATH") : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
            if (const auto path = folder + "/" + name; access(path.c_str(), X_OK) == 0) return path;
    return "";
}

class CheckReport : public testing::Test {
  protected:
    ProcessResult Run(const char* form, const std::string& page) {
        const auto programs = ProgramDirectory() / "check_programs";
        return RunProcess(programs.string(), {"event_too_early", form},
                          {{"PORTACL_CHECK", "races"}, {"PORTACL_CHECK_REPORT", page}});
    }

    // The page of one program.
    std::string Page(const char* form) {
        EXPECT_TRUE(Succeeded(Run(form, path_)));
        std::ostringstream text;
        text << std::ifstream(path_).rdbuf();
        return text.str();
    }

    // What the browser makes of the page: its elements after the script has run.
    std::string Elements(const char* form, const std::string& browser) {
        Page(form);
        const std::string profile = "--user-data-dir=" + folder_.At("profile");
        // A browser that is ended leaves files of its own in TMPDIR.
        const ProcessResult result = RunProcess(
            browser, {"--headless", "--no-sandbox", "--disable-gpu", profile, "--dump-dom", "file://" + path_},
            {{"TMPDIR", folder_.At("")}});
        EXPECT_TRUE(Succeeded(result));
        return result.output;
    }

    const TemporaryFolder folder_;
    const std::string path_ = folder_.At("page.html");
};

TEST_F(CheckReport, ShowsTheFindingAndMarksBothOperations) {
    const std::string browser = Browser();
    if (browser.empty())
        GTEST_SKIP() << "no chromium, chromium-browser or google-chrome in PATH; install one to run this";
    const std::string elements = Elements("faulty", browser);
    EXPECT_EQ(Count(elements, "<details class=\"finding\""), 1u) << elements;
    EXPECT_NE(elements.find("aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes"), std::string::npos);
    EXPECT_NE(elements.find("<p id=\"summary\">1 race reported</p>"), std::string::npos);
    EXPECT_EQ(Count(elements, " marked\""), 2u);
    EXPECT_EQ(Count(elements, "<svg class=\"hazard\""), 1u);
    // The fill and the copy, each in the row of its stream; three blocks of 64 KiB are in use.
    EXPECT_NE(elements.find("title=\"aclrtMemsetAsync · fill · 64.0 KiB · "), std::string::npos);
    EXPECT_NE(elements.find("title=\"aclrtMemcpyAsync · copy device to host · 64.0 KiB · "), std::string::npos);
    EXPECT_NE(elements.find("memory in use, at most "), std::string::npos);
    EXPECT_EQ(elements.find("at most 0 bytes"), std::string::npos);
}

TEST_F(CheckReport, MarksNothingInTheCorrectedTwin) {
    const std::string browser = Browser();
    if (browser.empty())
        GTEST_SKIP() << "no chromium, chromium-browser or google-chrome in PATH; install one to run this";
    const std::string elements = Elements("fixed", browser);
    EXPECT_NE(elements.find("<p id=\"summary\" class=\"good\">Nothing was found.</p>"), std::string::npos) << elements;
    EXPECT_EQ(Count(elements, "<details class=\"finding\""), 0u);
    EXPECT_EQ(Count(elements, " marked\""), 0u);
    EXPECT_GE(Count(elements, "<div class=\"box "), 5u);
}

TEST_F(CheckReport, IsOneFileWithAllItsData) {
    const std::string page = Page("faulty");
    EXPECT_EQ(Count(page, "src="), 0u);
    EXPECT_EQ(Count(page, "href="), 0u);
    const std::string begin = "<script id=\"data\" type=\"application/json\">";
    const size_t at = page.find(begin) + begin.size();
    const std::string data = page.substr(at, page.find("</script>", at) - at);
    EXPECT_EQ(data.find('<'), std::string::npos) << "a text could end the script";
    const auto json = nlohmann::json::parse(data);
    const auto &about = json[0][0], &findings = json[1], &timeline = json[2];
    EXPECT_EQ(json[0][1], "1 race reported");
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0]["check"], "race");
    EXPECT_EQ(about["command"].size(), 3u);
    EXPECT_EQ(about["command"][1], "event_too_early");
    EXPECT_EQ(about["backend"], "cpu");
    ASSERT_EQ(timeline["threads"].size(), 1u);
    EXPECT_EQ(timeline["threads"][0]["name"], "main thread");
    EXPECT_EQ(timeline["streams"].size(), 2u) << timeline["streams"];
    // The program frees what it allocates.
    int64_t used = 0, most = 0;
    std::set<std::string> waits;
    for (const auto& operation : timeline["operations"]) {
        most = std::max(most, used += operation["change"].get<int64_t>());
        EXPECT_NE(operation["call"], "") << operation;
        // What takes time in a stream has it here, as the program waits for its work.
        EXPECT_EQ(operation.contains("took"), operation.contains("stream")
                                                  ? operation["kind"] != "event"
                                                  : operation["kind"] != "memory" && operation["kind"] != "wait")
            << operation;
        if (operation["kind"] == "wait") waits.insert(operation["call"].get<std::string>());
    }
    EXPECT_EQ(used, 0);
    EXPECT_GE(most, 3 << 16);
    EXPECT_EQ(waits.count("aclrtStreamWaitEvent"), 1u);
}

TEST_F(CheckReport, RefusesAFileThatCannotBeWritten) {
    const ProcessResult result = Run("fixed", "/nonexistent/page.html");
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_NE(result.output.find("PORTACL_CHECK_REPORT"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("/nonexistent/page.html"), std::string::npos) << result.output;
}

}  // namespace
