// Compares one header, ABI_HEADER, in C++ with the facts in tests/data. Each row of ABI_TABLE is a
// check at compile time.

#include ABI_HEADER

#include <cstddef>
#include <type_traits>

#define SAME_TYPE(A, ...) std::is_same<A, __VA_ARGS__>::value

#define ENUMERATOR(GROUP, NAME, VALUE)                                       \
    static_assert((NAME) == (VALUE), #NAME " is not " #VALUE);               \
    static_assert(SAME_TYPE(decltype(NAME), GROUP), #NAME " is no " #GROUP); \
    static_assert(sizeof(GROUP) == sizeof(int), #GROUP " is no int");
#define NUMBER_MACRO(NAME, VALUE)                              \
    static_assert((NAME) == (VALUE), #NAME " is not " #VALUE); \
    static_assert(SAME_TYPE(decltype(NAME), decltype(VALUE)), #NAME " has another type");
#define INT_CONSTANT(NAME, VALUE)                              \
    static_assert((NAME) == (VALUE), #NAME " is not " #VALUE); \
    static_assert(SAME_TYPE(decltype(NAME), const int), #NAME " is no constant int");
#define SIZE(KIND, NAME, BYTES)                                                          \
    static_assert(sizeof(KIND NAME) == (BYTES), #NAME " has another size than " #BYTES); \
    static_assert(std::is_standard_layout<KIND NAME>::value, #NAME " is not like in C");
#define UNION_FIELD(KIND, NAME, FIELD_NAME, OFFSET) \
    static_assert(offsetof(NAME, FIELD_NAME) == (OFFSET), #NAME "." #FIELD_NAME " is not at " #OFFSET);
#define FIELD(KIND, NAME, FIELD_NAME, OFFSET, ...) \
    UNION_FIELD(KIND, NAME, FIELD_NAME, OFFSET)    \
    static_assert(SAME_TYPE(decltype(NAME::FIELD_NAME), __VA_ARGS__), #NAME "." #FIELD_NAME " has another type");
#define TYPE(NAME, ...) static_assert(SAME_TYPE(NAME, __VA_ARGS__), #NAME " is another type");
#define FUNCTION(NAME, RETURNS, PARAMETERS) \
    static_assert(SAME_TYPE(decltype(&NAME), RETURNS(*) PARAMETERS), #NAME " has another signature");

#include ABI_TABLE
