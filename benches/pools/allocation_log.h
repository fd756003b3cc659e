// Reads allocation logs (docs/allocation_log.md) into traces.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "pool_trace.h"

namespace bench {

// A line of a log: names and values of a flat JSON object. Strings have no quotes.
class LogLine {
  public:
    explicit LogLine(const std::string& text) : at_(text.c_str()) {
        Expect('{');
        if (Peek() != '}') {
            do {
                std::string name = String();
                Expect(':');
                values_[std::move(name)] = Peek() == '"' ? String() : Word();
            } while (Accept(','));
        }
        Expect('}');
        if (Peek() != 0) throw std::runtime_error("something follows the object");
    }

    bool Has(const char* name) const { return values_.count(name) != 0; }
    const std::string& Text(const char* name) const {
        const auto value = values_.find(name);
        if (value == values_.end()) throw std::runtime_error("no \"" + std::string(name) + '"');
        return value->second;
    }
    std::uint64_t Number(const char* name) const {
        const std::string& text = Text(name);
        const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
        if (text.empty() || !digits || text.size() > 19)
            throw std::runtime_error('"' + std::string(name) + "\" is no whole number: " + text);
        return std::strtoull(text.c_str(), nullptr, 10);
    }

  private:
    char Peek() {
        while (std::isspace(static_cast<unsigned char>(*at_))) at_++;
        return *at_;
    }
    bool Accept(char wanted) {
        if (Peek() != wanted) return false;
        at_++;
        return true;
    }
    void Expect(char wanted) {
        if (!Accept(wanted)) throw std::runtime_error(std::string("'") + wanted + "' expected before: " + at_);
    }
    std::string String() {
        Expect('"');
        std::string text;
        for (; *at_ != '"'; at_++) {
            // Escape sequences are kept unchanged: no value that is read contains them.
            if (*at_ == '\\') text += *at_++;
            if (*at_ == 0) throw std::runtime_error("a string does not end");
            text += *at_;
        }
        at_++;
        return text;
    }
    // Reads a number, true, false or null.
    std::string Word() {
        const char* start = at_;
        while (std::isalnum(static_cast<unsigned char>(*at_)) || *at_ == '-' || *at_ == '+' || *at_ == '.') at_++;
        if (at_ == start) throw std::runtime_error(std::string("no value before: ") + at_);
        return {start, at_};
    }

    const char* at_;
    std::map<std::string, std::string> values_;
};

struct AllocationLog {
    Trace trace;
    // The time of each step, in nanoseconds since the start of the log.
    std::vector<std::uint64_t> times;
    // The number of frees of memory that was allocated before the start of the log.
    std::size_t unknown_frees = 0;
};

// Reads the lines of one device. Throws a text with the line's number.
inline AllocationLog ReadAllocationLog(const std::string& file, std::uint64_t device) {
    std::ifstream lines(file);
    if (!lines) throw std::runtime_error(file + ": cannot be opened");
    AllocationLog log;
    std::unordered_map<std::string, std::uint32_t> live, streams;
    std::vector<std::uint32_t> vacant;
    const auto add = [&](const LogLine& line) {
        const std::string& event = line.Text("event");
        const bool allocates = event == "malloc";
        const std::string kind = line.Has("kind") ? line.Text("kind") : "";
        // The device of pinned memory is -1.
        if (kind == "pinned" || kind == "imported" || kind == "graph") return;
        if ((!allocates && event != "free") || line.Number("device") != device) return;
        const std::string& pointer = line.Text("pointer");
        if (pointer == "0x0") return;
        const auto stream = static_cast<std::uint32_t>(streams.size());
        Step step{0, 0, streams.emplace(line.Text("stream"), stream).first->second};
        if (allocates) {
            // Some programs allocate 0 bytes; in a trace the size 0 means a free.
            step.size = std::max<std::uint64_t>(line.Number("size"), 1);
            step.slot = static_cast<std::uint32_t>(log.trace.slots);
            if (vacant.empty()) {
                log.trace.slots++;
            } else {
                step.slot = vacant.back();
                vacant.pop_back();
            }
            if (!live.emplace(pointer, step.slot).second)
                throw std::runtime_error(pointer + " is allocated again, and was not freed before");
        } else {
            const auto block = live.find(pointer);
            if (block == live.end()) {
                log.unknown_frees++;
                return;
            }
            step.slot = block->second;
            vacant.push_back(block->second);
            live.erase(block);
        }
        log.trace.steps.push_back(step);
        log.times.push_back(line.Number("time"));
    };
    std::string text;
    for (std::size_t number = 1; std::getline(lines, text); number++) {
        if (text.empty()) continue;
        try {
            add(LogLine(text));
        } catch (const std::runtime_error& error) {
            throw std::runtime_error(file + ':' + std::to_string(number) + ": " + error.what());
        }
    }
    log.trace.streams = std::max<std::uint32_t>(static_cast<std::uint32_t>(streams.size()), 1);
    return log;
}

}  // namespace bench
