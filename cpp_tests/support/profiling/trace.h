// Reads traces, and checks the rules that every trace obeys.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace portacl_test {

using Json = nlohmann::json;
using Nanoseconds = int64_t;
// A group and a row, which viewers call process and thread.
using TrackKey = std::pair<int64_t, int64_t>;

// Returns a time of the format: microseconds with three decimals. A double represents centuries exactly.
inline Nanoseconds TimeOf(const Json& value) {
    return std::llround(value.get<double>() * 1000);
}

struct TraceEvent {
    char phase = 0;
    std::string name, category;
    TrackKey track;
    Nanoseconds begin = 0, end = 0;  // equal except for bars
    int64_t id = 0;
    Json args;

    int64_t Bytes() const { return args.value("bytes", int64_t{0}); }
};

class Trace {
  public:
    // Reads a trace. If the file is no trace, fails the test and returns an empty one.
    static Trace Read(const std::string& path) {
        std::ifstream file(path);
        std::stringstream text;
        text << file.rdbuf();
        Trace trace;
        try {
            trace.Take(Json::parse(text.str()));
        } catch (const std::exception& why) {
            ADD_FAILURE() << path << ": " << why.what();
        }
        return trace;
    }

    const std::vector<TraceEvent>& Events() const { return events_; }

    std::vector<TraceEvent> Where(const std::function<bool(const TraceEvent&)>& wanted) const {
        std::vector<TraceEvent> found;
        std::copy_if(events_.begin(), events_.end(), std::back_inserter(found), wanted);
        return found;
    }
    std::vector<TraceEvent> Named(char phase, const std::string& name) const {
        return Where([&](const TraceEvent& event) { return event.phase == phase && event.name == name; });
    }
    std::vector<TraceEvent> Bars(const std::string& category) const {
        return Where([&](const TraceEvent& event) { return event.phase == 'X' && event.category == category; });
    }

    // Returns "group / row".
    std::string NameOf(TrackKey track) const {
        const auto row = rows_.find(track);
        const auto group = groups_.find(track.first);
        return (group == groups_.end() ? "" : group->second) + " / " + (row == rows_.end() ? "" : row->second);
    }
    bool IsOfDevice(const TraceEvent& event) const {
        const auto group = groups_.find(event.track.first);
        return group != groups_.end() && group->second.rfind("device ", 0) == 0;
    }

    // Checks the rules of every trace.
    void Check() const {
        EXPECT_FALSE(events_.empty());
        CheckRows();
        CheckBars();
        CheckRanges();
        CheckArrows();
    }

  private:
    void Take(const Json& root) {
        if (!root.is_array()) throw std::runtime_error("no array");
        for (const Json& item : root) {
            TraceEvent event;
            event.phase = item.at("ph").get<std::string>().at(0);
            event.name = item.at("name");
            event.category = item.value("cat", "");
            event.track = {item.at("pid"), item.at("tid")};
            event.args = item.value("args", Json::object());
            if (event.phase == 'M') {
                if (event.name == "process_name") groups_[event.track.first] = event.args.at("name");
                if (event.name == "thread_name") rows_[event.track] = event.args.at("name");
                continue;
            }
            event.begin = event.end = TimeOf(item.at("ts"));
            if (event.phase == 'X') event.end += TimeOf(item.at("dur"));
            event.id = item.value("id", int64_t{0});
            events_.push_back(event);
            if (event.phase == 'X') bars_[event.track].push_back(event);
        }
        for (auto& [track, bars] : bars_)
            std::stable_sort(bars.begin(), bars.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    }

    // Checks that everything except counters and global events is in a row with a name.
    void CheckRows() const {
        for (const TraceEvent& event : events_) {
            if (event.phase == 'C' || event.track.second == 0) continue;
            EXPECT_TRUE(rows_.count(event.track)) << event.name;
            EXPECT_TRUE(groups_.count(event.track.first)) << event.name;
            EXPECT_GT(event.begin, 0) << event.name;
        }
    }

    // Checks that bars of a device's row do not overlap and are in order.
    void CheckBars() const {
        std::map<TrackKey, Nanoseconds> last;
        for (const TraceEvent& event : events_) {
            if (event.phase != 'X' || !IsOfDevice(event)) continue;
            EXPECT_LE(event.begin, event.end) << event.name;
            EXPECT_LE(last[event.track], event.begin) << event.name << " in " << NameOf(event.track);
            last[event.track] = event.end;
        }
    }

    // Checks that every begin has an end, in the same row and not earlier.
    void CheckRanges() const {
        std::map<TrackKey, std::vector<const TraceEvent*>> open;
        std::map<int64_t, const TraceEvent*> numbered;
        for (const TraceEvent& event : events_) {
            if (event.phase == 'B') open[event.track].push_back(&event);
            if (event.phase == 'E') {
                auto& row = open[event.track];
                ASSERT_FALSE(row.empty()) << "an end without a begin in " << NameOf(event.track);
                EXPECT_LE(row.back()->begin, event.begin) << row.back()->name;
                row.pop_back();
            }
            if (event.phase == 'b') {
                EXPECT_TRUE(numbered.emplace(event.id, &event).second) << event.name;
            }
            if (event.phase == 'e') {
                const auto begin = numbered.find(event.id);
                ASSERT_NE(begin, numbered.end()) << event.name;
                EXPECT_EQ(begin->second->name, event.name);
                EXPECT_LE(begin->second->begin, event.begin) << event.name;
                numbered.erase(begin);
            }
        }
        for (const auto& row : open) EXPECT_TRUE(row.second.empty()) << row.second.back()->name;
        EXPECT_TRUE(numbered.empty());
    }

    // Checks that each arrow has two ends, each inside a bar.
    void CheckArrows() const {
        std::map<int64_t, std::pair<int, int>> ends;
        for (const TraceEvent& event : events_) {
            if (event.phase != 's' && event.phase != 'f') continue;
            ++(event.phase == 's' ? ends[event.id].first : ends[event.id].second);
            EXPECT_TRUE(BarAt(event.track, event.begin)) << "an arrow that ends nowhere";
        }
        for (const auto& arrow : ends) EXPECT_EQ(arrow.second, std::make_pair(1, 1));
    }

  public:
    // Returns the innermost bar of a row at that time, or null.
    const TraceEvent* BarAt(TrackKey track, Nanoseconds at) const {
        const auto row = bars_.find(track);
        if (row == bars_.end()) return nullptr;
        const auto& bars = row->second;
        auto bar = std::upper_bound(bars.begin(), bars.end(), at,
                                    [](Nanoseconds time, const TraceEvent& event) { return time < event.begin; });
        while (bar != bars.begin()) {
            --bar;
            if (at < bar->end || bar->begin == bar->end) return &*bar;
        }
        return nullptr;
    }

  private:
    std::vector<TraceEvent> events_;
    // Those of each row by their begin.
    std::map<TrackKey, std::vector<TraceEvent>> bars_;
    std::map<TrackKey, std::string> rows_;
    std::map<int64_t, std::string> groups_;
};

}  // namespace portacl_test
