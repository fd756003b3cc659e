// Whether operators are missing because libopapi is for another torch than the one of this process.
#pragma once

#include <stddef.h>

// Returns 1 and stores a text about the operator `name` (null: all) if so, or else 0.
__attribute__((visibility("hidden"))) int portacl_other_torch(char* text, size_t size, const char* name);
