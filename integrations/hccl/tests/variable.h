// A variable for the time of a test.
#pragma once

#include <cstdlib>
#include <string>

namespace hccl {

class Variable {
  public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* const before = getenv(name)) before_ = before;
        setenv(name, value, 1);
    }
    ~Variable() {
        if (before_.empty()) {
            unsetenv(name_);
        } else {
            setenv(name_, before_.c_str(), 1);
        }
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

  private:
    const char* name_;
    std::string before_;
};

}  // namespace hccl
