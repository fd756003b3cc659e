#include "base/fault.h"

#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "base/state.h"

namespace fake {
namespace {

struct Rule {
    std::string name;
    unsigned long nth = 0;
    Fault fault;
    unsigned long seen = 0;
};

std::vector<Rule>& rules() {
    static auto* const value = new std::vector<Rule>;
    return *value;
}

bool read_number(const std::string& text, unsigned long most, unsigned long* out) {
    char* end = nullptr;
    *out = strtoul(text.c_str(), &end, 10);
    return !text.empty() && text[0] >= '0' && text[0] <= '9' && *end == '\0' && *out <= most;
}

bool read_rule(const std::string& text, Rule* rule) {
    std::istringstream parts(text);
    std::string nth, code, late;
    std::getline(parts, rule->name, ':');
    std::getline(parts, nth, ':');
    std::getline(parts, code, ':');
    std::getline(parts, late);
    if (rule->name.compare(0, 2, "cu") != 0 || !read_number(nth, 1'000'000'000, &rule->nth)) return false;
    if (code == "slow") {
        rule->fault.slow = true;
        return late.empty();
    }
    unsigned long number = 0;
    if (!read_number(code, 99'999, &number) || number == 0 || !(late.empty() || late == "late")) return false;
    rule->fault = {static_cast<CUresult>(number), late == "late"};
    return true;
}

std::string thread_name() {
    char name[16] = {};
    return pthread_getname_np(pthread_self(), name, sizeof name) == 0 ? name : "";
}

}  // namespace

bool set_faults(const char* spec) {
    std::vector<Rule> fresh;
    std::istringstream entries(spec == nullptr ? "" : spec);
    for (std::string entry; std::getline(entries, entry, ',');) {
        Rule rule;
        if (!read_rule(entry, &rule)) {
            return false;
        }
        fresh.push_back(std::move(rule));
    }
    rules() = std::move(fresh);
    return true;
}

Fault next_fault(const char* name) {
    Fault found;
    for (Rule& rule : rules()) {
        if (rule.name != name) {
            continue;
        }
        ++rule.seen;
        if (found.code == CUDA_SUCCESS && (rule.nth == 0 || rule.nth == rule.seen)) {
            const bool slow = found.slow || rule.fault.slow;
            found = rule.fault;
            found.slow = slow;
            // The line is printed with the call that fails, so that a program that prints its calls shows which of them
            // met the fault.
            if (rule.nth != 0) {
                fprintf(stderr, "fake_cuda: fault: call %lu of %s in thread %s\n", rule.nth, name,
                        thread_name().c_str());
            }
        }
    }
    state().faults += found.code != CUDA_SUCCESS;
    return found;
}

}  // namespace fake
