// Code that the tests of memory hooks share.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "support/memory/hook_recorder.h"
#include "support/objects.h"
#include "support/says.h"

namespace portacl_test {

using Words = std::vector<std::string>;

inline const Words kFromDevice = {"before malloc", "before alloc", "after alloc", "after malloc"};
inline const Words kFromCache = {"before malloc", "after malloc"};
inline const Words kFreed = {"before free", "after free"};
constexpr size_t kLarge = size_t{3} << 20;  // not cached when it is freed

class MemoryHook : public WithDevice {
  protected:
    CallLog call_log;
    Words Calls(bool names = false) { return CallLog::Words(call_log.Take(), names); }
};

// Whether the last error text contains all of these words.
inline bool Says(std::initializer_list<std::string> words) {
    const std::string text = TakeText();
    for (const std::string& word : words)
        if (text.find(word) == std::string::npos) return false;
    return true;
}

}  // namespace portacl_test
