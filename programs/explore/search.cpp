#include "search.h"

#include <algorithm>
#include <random>

namespace explore {

std::string Schedule::text() const {
    std::string text = base + ",at:";
    for (size_t i = 0; i < at.size(); ++i) text += (i ? "+" : "") + std::to_string(at[i]);
    if (at.empty()) return base.compare(0, 5, "seed:") == 0 ? text + "none" : base;
    return text;
}

Schedule Search::Next(uint32_t steps) {
    for (;;) {
        // Every other one is random.
        std::optional<Schedule> next;
        if (count_ < 2 || count_ % 2 == 0) next = Systematic(steps);
        if (!next) next = Random(steps);
        ++count_;
        if (tried_.insert(next->text()).second) return *next;
    }
}

std::optional<Schedule> Search::Systematic(uint32_t steps) {
    if (count_ < 2) return Schedule{count_ == 0 ? "lazy" : "eager", {}};
    // Golden section: the first ones are spread over all steps, and each comes once.
    const uint64_t change = changes_++ / 2;
    if (change >= steps) return {};
    constexpr double kGolden = 0.6180339887498949;
    std::vector<uint32_t> order(steps);
    for (uint32_t i = 0; i < steps; ++i) order[i] = i + 1;
    std::sort(order.begin(), order.end(), [](uint32_t a, uint32_t b) {
        const auto place = [](uint32_t step) { return step * kGolden - static_cast<uint64_t>(step * kGolden); };
        return place(a) < place(b);
    });
    return Schedule{changes_ % 2 ? "lazy" : "eager", {order[change]}};
}

Schedule Search::Random(uint32_t steps) {
    std::mt19937_64 random(seed_);
    Schedule schedule{"seed:" + std::to_string(seed_), {}};
    for (uint64_t changes = seed_++ % 4; changes > 0 && steps > 0; --changes)
        schedule.at.push_back(static_cast<uint32_t>(random() % steps) + 1);
    std::sort(schedule.at.begin(), schedule.at.end());
    schedule.at.erase(std::unique(schedule.at.begin(), schedule.at.end()), schedule.at.end());
    return schedule;
}

Schedule Shrink(Schedule schedule, int runs, const std::function<bool(const Schedule&)>& fails) {
    const auto still_fails = [&](const Schedule& simpler) { return runs-- > 0 && fails(simpler); };
    for (const char* base : {"lazy", "eager"}) {
        if (schedule.base.compare(0, 5, "seed:") != 0) break;
        for (const auto& at : {std::vector<uint32_t>{}, schedule.at}) {
            const Schedule simpler{base, at};
            if (!still_fails(simpler)) continue;
            schedule = simpler;
            break;
        }
    }
    for (size_t i = 0; i < schedule.at.size();) {
        Schedule simpler = schedule;
        simpler.at.erase(simpler.at.begin() + static_cast<std::ptrdiff_t>(i));
        if (still_fails(simpler))
            schedule = simpler;
        else
            ++i;
    }
    return schedule;
}

}  // namespace explore
