// Which code makes a system call: the return addresses on the stack of a thread that has stopped in
// one.
#pragma once

#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#ifndef __x86_64__
#error "cpp_tests/refusal/CMakeLists.txt builds this for x86-64"
#endif

// The registers of a thread that has stopped.
class Registers {
  public:
    bool Read(pid_t thread) { return ptrace(PTRACE_GETREGS, thread, nullptr, &all_) == 0; }
    long CallNumber() const { return static_cast<long>(all_.orig_rax); }
    uint64_t Instruction() const { return all_.rip; }
    uint64_t StackPointer() const { return all_.rsp; }
    // The call is not made, and returns this error.
    void Refuse(pid_t thread, int error) {
        all_.orig_rax = ~0ull;
        all_.rax = static_cast<uint64_t>(-static_cast<int64_t>(error));
        ptrace(PTRACE_SETREGS, thread, nullptr, &all_);
    }

  private:
    user_regs_struct all_{};
};

// Address ranges in which a process has code.
class ProcessCode {
  public:
    explicit ProcessCode(pid_t process) : process_(process) {}

    // Whether one of the `depth` innermost calls on this stack was made by code of a file with this
    // in its name.
    bool IsCalledBy(const std::string& file, uint64_t stack, int depth) {
        const std::vector<uint64_t> words = Words(stack, depth == 1 ? 128 : 512);
        int found = 0;
        for (const uint64_t word : words) {
            const Mapping* part = PartOf(word);
            if (!part || !IsBehindCall(word)) continue;
            if (part->file.find(file) != std::string::npos) return true;
            if (++found == depth) return false;
        }
        return false;
    }

    // The innermost calls, for a person to read.
    std::string Stack(uint64_t instruction, uint64_t stack) {
        std::string text = Place(instruction);
        int found = 0;
        for (const uint64_t word : Words(stack, 2048)) {
            if (!PartOf(word) || !IsBehindCall(word)) continue;
            text += Place(word);
            if (++found == 30) break;
        }
        return text;
    }

  private:
    struct Mapping {
        uint64_t first, end, offset;
        std::string file;
    };

    std::string Place(uint64_t address) {
        const Mapping* part = PartOf(address);
        if (!part) return " ?";
        char text[32];
        std::snprintf(text, sizeof text, "+0x%llx",
                      static_cast<unsigned long long>(address - part->first + part->offset));
        return " " + part->file.substr(part->file.rfind('/') + 1) + text;
    }

    std::vector<uint64_t> Words(uint64_t from, size_t most) const {
        std::vector<uint64_t> words(most);
        iovec here{words.data(), words.size() * 8};
        // At least to the end of the page, if the stack is shorter than the buffer.
        for (size_t bytes : {most * 8, size_t{4096} - from % 4096}) {
            here.iov_len = std::min(bytes, most * 8);
            iovec there{reinterpret_cast<void*>(from), here.iov_len};
            const ssize_t got = process_vm_readv(process_, &here, 1, &there, 1, 0);
            if (got > 0) {
                words.resize(static_cast<size_t>(got) / 8);
                return words;
            }
        }
        return {};
    }

    // Whether the instruction before this address is a call.
    bool IsBehindCall(uint64_t address) const {
        std::array<unsigned char, 8> before{};
        iovec here{before.data(), 7}, there{reinterpret_cast<void*>(address - 7), 7};
        if (process_vm_readv(process_, &here, 1, &there, 1, 0) != 7) return false;
        if (before[2] == 0xe8) return true;
        // FF /2, with an operand of 0 to 5 bytes.
        for (int at = 0; at <= 5; ++at)
            if (before[static_cast<size_t>(at)] == 0xff && (before[static_cast<size_t>(at) + 1] & 0x38) == 0x10)
                return true;
        return false;
    }

    const Mapping* PartOf(uint64_t address) {
        if (const Mapping* known = Find(address)) return known;
        // Most words of a stack are no addresses of code: look up only those that may be.
        if (address < 0x10000 || address >> 47 || reads_ > 400) return nullptr;
        if (Excluded(address)) return nullptr;
        ReadMappings();
        return Find(address);
    }

    const Mapping* Find(uint64_t address) const {
        for (const Mapping& part : code_)
            if (address - part.first < part.end - part.first) return &part;
        return nullptr;
    }

    // The address is known to be something other than code.
    bool Excluded(uint64_t address) const {
        for (const Mapping& part : other_)
            if (address - part.first < part.end - part.first) return true;
        return false;
    }

    void ReadMappings() {
        ++reads_;
        code_.clear();
        other_.clear();
        std::ifstream maps("/proc/" + std::to_string(process_) + "/maps");
        for (std::string line; std::getline(maps, line);) {
            std::istringstream fields(line);
            Mapping part{};
            char dash = 0;
            std::string access, device, node;
            fields >> std::hex >> part.first >> dash >> part.end >> access >> part.offset >> device >> node;
            // A path may have spaces.
            std::getline(fields >> std::ws, part.file);
            (access.size() > 2 && access[2] == 'x' ? code_ : other_).push_back(part);
        }
    }

    pid_t process_;
    std::vector<Mapping> code_, other_;
    int reads_ = 0;
};
