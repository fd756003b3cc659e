// PORTACL_CHECK_REPORT: one page with the findings, a timeline and the use of memory, as a browser shows it.
#include <acl/acl.h>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
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
        const ProcessResult result = RunProcess(
            browser, {"--headless", "--no-sandbox", "--disable-gpu", profile, "--dump-dom", "file://" + path_});
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
    EXPECT_EQ(Count(elements, "<tr class=\"finding\">"), 1u) << elements;
    EXPECT_NE(elements.find("aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes"), std::string::npos);
    EXPECT_NE(elements.find("<p id=\"summary\">1 race reported</p>"), std::string::npos);
    EXPECT_EQ(Count(elements, "<rect class=\"op marked\""), 2u);
    EXPECT_EQ(Count(elements, "<path class=\"hazard\""), 1u);
    // The fill and the copy, each in the lane of its stream; three blocks of 64 KiB are in use.
    EXPECT_NE(elements.find("a fill, 64.0 KiB, operation "), std::string::npos);
    EXPECT_NE(elements.find("a copy, 128.0 KiB, operation "), std::string::npos);
    EXPECT_NE(elements.find("memory in use, at most "), std::string::npos);
    EXPECT_EQ(elements.find("at most 0 bytes"), std::string::npos);
}

TEST_F(CheckReport, MarksNothingInTheCorrectedTwin) {
    const std::string browser = Browser();
    if (browser.empty())
        GTEST_SKIP() << "no chromium, chromium-browser or google-chrome in PATH; install one to run this";
    const std::string elements = Elements("fixed", browser);
    EXPECT_NE(elements.find("<p id=\"summary\">Nothing was found.</p>"), std::string::npos) << elements;
    EXPECT_EQ(Count(elements, "<tr class=\"finding\">"), 0u);
    EXPECT_EQ(Count(elements, "<rect class=\"op marked\""), 0u);
    EXPECT_GE(Count(elements, "<rect class=\"op\""), 5u);
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
    ASSERT_EQ(json["findings"].size(), 1u);
    EXPECT_EQ(json["findings"][0]["check"], "race");
    EXPECT_EQ(json["streams"][0]["name"], "host");
    EXPECT_EQ(json["streams"].size(), 3u) << json["streams"];
    // The program frees what it allocates.
    int64_t used = 0, most = 0;
    for (const auto& operation : json["operations"]) most = std::max(most, used += operation[5].get<int64_t>());
    EXPECT_EQ(used, 0);
    EXPECT_GE(most, 3 << 16);
}

TEST_F(CheckReport, RefusesAFileThatCannotBeWritten) {
    const ProcessResult result = Run("fixed", "/nonexistent/page.html");
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_NE(result.output.find("PORTACL_CHECK_REPORT"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("/nonexistent/page.html"), std::string::npos) << result.output;
}

}  // namespace
