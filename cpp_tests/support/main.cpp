// main() of every test program: says which backend it runs on, and counts skipped tests.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

const char* Setting(const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return value && *value ? value : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    std::printf("PORTACL_BACKEND=%s PORTACL_CPU_ASYNC=%s\n", Setting("PORTACL_BACKEND", "auto"),
                Setting("PORTACL_CPU_ASYNC", "off"));
    std::fflush(stdout);
    int result = RUN_ALL_TESTS();
    const int skipped = testing::UnitTest::GetInstance()->skipped_test_count();
    // On the machine that a test is for, a test that skips itself has failed.
    if (skipped > 0 && std::strcmp(Setting("PORTACL_TEST_NO_SKIPS", "0"), "0") != 0) {
        std::printf("%d tests skipped, and PORTACL_TEST_NO_SKIPS is set\n", skipped);
        result = 1;
    }
    return result;
}
