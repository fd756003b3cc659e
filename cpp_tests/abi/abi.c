// Compares one header, ABI_HEADER, in C with the facts in tests/data. Each row of ABI_TABLE is a
// check, most of them at compile time. The program also refers to every function, so it links only
// if the library exports all of them.

#include ABI_HEADER

#include <stddef.h>
#include <stdio.h>

#define SAME_TYPE(A, ...) __builtin_types_compatible_p(A, __VA_ARGS__)

#define ENUMERATOR(GROUP, NAME, VALUE)                          \
    _Static_assert((NAME) == (VALUE), #NAME " is not " #VALUE); \
    _Static_assert(sizeof(enum GROUP) == sizeof(int), #GROUP " is no int");
#define NUMBER_MACRO(NAME, VALUE)                               \
    _Static_assert((NAME) == (VALUE), #NAME " is not " #VALUE); \
    _Static_assert(SAME_TYPE(__typeof__(NAME), __typeof__(VALUE)), #NAME " has another type");
#define INT_CONSTANT(NAME, VALUE) _Static_assert(SAME_TYPE(__typeof__(NAME), int), #NAME " is no int");
#define SIZE(KIND, NAME, BYTES) _Static_assert(sizeof(KIND NAME) == (BYTES), #NAME " has another size than " #BYTES);
#define UNION_FIELD(KIND, NAME, FIELD_NAME, OFFSET) \
    _Static_assert(offsetof(KIND NAME, FIELD_NAME) == (OFFSET), #NAME "." #FIELD_NAME " is not at " #OFFSET);
#define FIELD(KIND, NAME, FIELD_NAME, OFFSET, ...)                                     \
    UNION_FIELD(KIND, NAME, FIELD_NAME, OFFSET)                                        \
    _Static_assert(SAME_TYPE(__typeof__(((KIND NAME*)NULL)->FIELD_NAME), __VA_ARGS__), \
                   #NAME "." #FIELD_NAME " has another type");
#define TYPE(NAME, ...) _Static_assert(SAME_TYPE(NAME, __VA_ARGS__), #NAME " is another type");
#define FUNCTION(NAME, RETURNS, PARAMETERS) \
    _Static_assert(SAME_TYPE(__typeof__(&NAME), RETURNS(*) PARAMETERS), #NAME " has another signature");

#include ABI_TABLE

#undef ENUMERATOR
#undef NUMBER_MACRO
#undef INT_CONSTANT
#undef SIZE
#undef UNION_FIELD
#undef FIELD
#undef TYPE
#undef FUNCTION
#define ENUMERATOR(GROUP, NAME, VALUE)
#define NUMBER_MACRO(NAME, VALUE)
#define SIZE(KIND, NAME, BYTES)
#define UNION_FIELD(KIND, NAME, FIELD_NAME, OFFSET)
#define FIELD(KIND, NAME, FIELD_NAME, OFFSET, ...)
#define TYPE(NAME, ...)

// In C a `static const int` is not a constant expression.
#define INT_CONSTANT(NAME, VALUE)                                           \
    if ((NAME) != (VALUE)) {                                                \
        fprintf(stderr, "%s is %d, not %d\n", #NAME, (int)(NAME), (VALUE)); \
        wrong++;                                                            \
    }
#define FUNCTION(NAME, RETURNS, PARAMETERS)                          \
    {                                                                \
        void (*volatile function)(void) = (void (*)(void)) & (NAME); \
        functions += function != NULL;                               \
    }

int main(void) {
    int wrong = 0;
    int functions = 0;
#include ABI_TABLE
    printf("%s: %d functions, %d wrong constants\n", ABI_HEADER, functions, wrong);
    return wrong != 0;
}
