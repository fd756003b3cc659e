// Files of tests. Paths that a process builds from its id are not its own: ids come again, and what an earlier process
// has left has the same name.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace portacl_test {

// A folder for the files of a test, which is removed at its end with all that it holds. What a process writes when it
// exits belongs in a folder of its parent.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string path = (std::filesystem::temp_directory_path() / "portacl-test-XXXXXX").string();
        if (!mkdtemp(path.data())) throw std::system_error(errno, std::generic_category(), path);
        path_ = path;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    const std::filesystem::path& path() const { return path_; }
    // Returns the path of a file in it.
    std::string At(const std::string& name) const { return (path_ / name).string(); }

  private:
    std::filesystem::path path_;
};

}  // namespace portacl_test
