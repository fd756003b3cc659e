// A reader of JSON for tests, strict: what is not JSON is an error that says where.
#pragma once

#include <cctype>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace portacl_test {

struct Json {
    enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

    Kind kind = Kind::kNull;
    double number = 0;  // also 0 and 1 for a bool
    std::string text;   // of a string; of a number as it was written
    std::vector<Json> items;
    std::map<std::string, Json> members;

    bool Has(const std::string& key) const { return members.count(key) != 0; }
    const Json& operator[](const std::string& key) const {
        static const Json none;
        const auto found = members.find(key);
        return found == members.end() ? none : found->second;
    }

    // Throws std::runtime_error.
    static Json Parse(const std::string& text);
};

class JsonReader {
  public:
    explicit JsonReader(const std::string& text) : text_(text) {}

    Json Whole() {
        Json value = Value();
        Skip();
        if (at_ != text_.size()) Fail("something behind the value");
        return value;
    }

  private:
    [[noreturn]] void Fail(const std::string& why) const {
        throw std::runtime_error(why + " at byte " + std::to_string(at_) + ": ..." +
                                 text_.substr(at_ < 40 ? 0 : at_ - 40, 80));
    }
    void Skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    char Next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void Expect(char c) {
        Skip();
        if (Next() != c) Fail(std::string("no ") + c);
        ++at_;
    }
    bool Takes(char c) {
        Skip();
        if (Next() != c) return false;
        ++at_;
        return true;
    }
    void Word(const char* word) {
        for (; *word; ++word, ++at_) {
            if (Next() != *word) Fail("no value");
        }
    }

    Json Value() {
        Skip();
        Json value;
        switch (Next()) {
            case '{':
                Object(value);
                break;
            case '[':
                Array(value);
                break;
            case '"':
                value.kind = Json::Kind::kString;
                value.text = String();
                break;
            case 't':
            case 'f':
                value.kind = Json::Kind::kBool;
                value.number = Next() == 't';
                Word(Next() == 't' ? "true" : "false");
                break;
            case 'n':
                Word("null");
                break;
            default:
                Number(value);
        }
        return value;
    }

    void Object(Json& value) {
        value.kind = Json::Kind::kObject;
        Expect('{');
        if (Takes('}')) return;
        do {
            Skip();
            const std::string key = String();
            Expect(':');
            if (!value.members.emplace(key, Value()).second) Fail("a second " + key);
        } while (Takes(','));
        Expect('}');
    }

    void Array(Json& value) {
        value.kind = Json::Kind::kArray;
        Expect('[');
        if (Takes(']')) return;
        do {
            value.items.push_back(Value());
        } while (Takes(','));
        Expect(']');
    }

    std::string String() {
        if (Next() != '"') Fail("no string");
        std::string result;
        for (++at_; Next() != '"'; ++at_) {
            if (static_cast<unsigned char>(Next()) < ' ') Fail("a control character, or no end");
            result += Next() == '\\' ? Escaped() : Next();
        }
        ++at_;
        return result;
    }

    char Escaped() {
        ++at_;
        switch (Next()) {
            case 'n':
                return '\n';
            case '"':
            case '\\':
                return Next();
            case 'u': {
                const std::string digits = text_.substr(at_ + 1, 4);
                if (digits.size() != 4 ||
                    digits.find_first_not_of("0123456789abcdef") != digits.npos)
                    Fail("no \\u and four digits");
                at_ += 4;
                // The product escapes no others than control characters.
                return static_cast<char>(std::strtol(digits.c_str(), nullptr, 16));
            }
            default:
                Fail("an unknown escape");
        }
    }

    void Number(Json& value) {
        const size_t begin = at_;
        if (Next() == '-') ++at_;
        if (!std::isdigit(static_cast<unsigned char>(Next()))) Fail("no value");
        while (Next() != '\0' && std::string("+-.0123456789eE").find(Next()) != std::string::npos)
            ++at_;
        value.kind = Json::Kind::kNumber;
        value.text = text_.substr(begin, at_ - begin);
        char* end = nullptr;
        value.number = std::strtod(value.text.c_str(), &end);
        if (*end != '\0') Fail("no number");
    }

    const std::string& text_;
    size_t at_ = 0;
};

inline Json Json::Parse(const std::string& text) {
    return JsonReader(text).Whole();
}

}  // namespace portacl_test
