// One input: a sequence of calls, some of them wrong.
#pragma once

#include <set>
#include <string>

#include "input.h"

namespace portacl_fuzz {

// What an input has shown: each call with each code that it returned.
using Seen = std::set<std::string>;

// Runs the calls of an input on a device that nothing else uses, and resets it. Ends the program
// where the library breaks a rule: a wrong handle is accepted, a failure has no text, an unknown
// code is returned, memory is lost.
Seen RunInput(const Bytes& bytes);

}  // namespace portacl_fuzz
