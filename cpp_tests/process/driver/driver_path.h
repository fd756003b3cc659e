// Where the loader finds the driver of a test.
#pragma once

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

namespace portacl_test {

// LD_LIBRARY_PATH with `directory` instead of the test double's, which comes first.
inline std::string PathWith(const std::string& directory) {
    const char* path = std::getenv("LD_LIBRARY_PATH");
    const std::string rest = path ? std::strchr(path, ':') ? std::strchr(path, ':') : "" : "";
    return directory + rest;
}

// The test double as of 2021, built beside the other one.
inline std::string OldDriver() {
    const std::string path = PathWith("");
    const char* all = std::getenv("LD_LIBRARY_PATH");
    const std::string first(all ? all : "", all ? std::strcspn(all, ":") : 0);
    return (std::filesystem::path(first).parent_path() / "old").string() + path;
}

}  // namespace portacl_test

#define OLD_DRIVER \
    { "LD_LIBRARY_PATH", OldDriver() }
