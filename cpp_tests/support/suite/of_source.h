// A program of the suite has the tests of a folder, and a link with the name of each source of it: stream_tests, and
// event_test for event_test.cpp. By the name of a source it runs the tests of that source.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>

namespace portacl_test {

// Whether `name` matches a pattern of --gtest_filter, without ':' and '-': '*' and '?' stand for others.
inline bool MatchesPattern(const char* pattern, const char* end, const char* name) {
    if (pattern == end) return *name == '\0';
    if (*pattern == '*')
        return MatchesPattern(pattern + 1, end, name) || (*name != '\0' && MatchesPattern(pattern, end, name + 1));
    return *name != '\0' && (*pattern == '?' || *pattern == *name) && MatchesPattern(pattern + 1, end, name + 1);
}

inline bool MatchesAny(const std::string& patterns, const std::string& name) {
    for (const char* at = patterns.c_str(); *at != '\0';) {
        const char* const end = at + std::strcspn(at, ":");
        if (MatchesPattern(at, end, name.c_str())) return true;
        at = *end == ':' ? end + 1 : end;
    }
    return false;
}

// Whether the test passes --gtest_filter=`filter`.
inline bool PassesFilter(const std::string& filter, const std::string& name) {
    const size_t dash = std::min(filter.find('-'), filter.size());
    const std::string wanted = filter.substr(0, dash), unwanted = filter.substr(std::min(dash + 1, filter.size()));
    return (wanted.empty() || MatchesAny(wanted, name)) && !MatchesAny(unwanted, name);
}

// Prints the first name that two tests have. Such tests are those of two sources, and a process of one runs both.
inline bool HasNameTwice() {
    std::set<std::string> names;
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    for (int suite = 0; suite < all.total_test_suite_count(); ++suite) {
        const testing::TestSuite& tests = *all.GetTestSuite(suite);
        for (int test = 0; test < tests.total_test_count(); ++test) {
            const std::string name = std::string(tests.name()) + "." + tests.GetTestInfo(test)->name();
            if (names.insert(name).second) continue;
            std::printf("two tests of this program are called %s, one of them in %s: rename it\n", name.c_str(),
                        tests.GetTestInfo(test)->file());
            return true;
        }
    }
    return false;
}

// Leaves the tests of the source `program`.cpp that the filter of the command line selects, if there are such tests.
inline void SelectTestsOfSource(const std::string& program) {
    const std::string source = "/" + program.substr(program.rfind('/') + 1) + ".cpp";
    const std::string filter = testing::GTEST_FLAG(filter);
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    std::string selected;
    bool has_source = false;
    for (int suite = 0; suite < all.total_test_suite_count(); ++suite) {
        const testing::TestSuite& tests = *all.GetTestSuite(suite);
        for (int test = 0; test < tests.total_test_count(); ++test) {
            const std::string file = tests.GetTestInfo(test)->file();
            if (file.size() < source.size() || file.substr(file.size() - source.size()) != source) continue;
            has_source = true;
            const std::string name = std::string(tests.name()) + "." + tests.GetTestInfo(test)->name();
            if (PassesFilter(filter, name)) selected += name + ":";
        }
    }
    if (has_source) testing::GTEST_FLAG(filter) = selected.empty() ? "-*" : selected;
}

}  // namespace portacl_test
