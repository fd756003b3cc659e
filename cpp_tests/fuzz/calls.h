// One input: a sequence of calls, some of them wrong.
#pragma once

#include <set>
#include <string>

#include "input.h"

namespace portacl_fuzz {

// What an input has covered: each call with each code that it returned.
using Seen = std::set<std::string>;

// Runs the calls of an input on a device that nothing else uses, then resets the device. Ends the
// program if the library breaks a rule: an invalid handle is accepted, an error has no text, an
// unknown code is returned, memory leaks.
Seen RunInput(const Bytes& bytes);

}  // namespace portacl_fuzz
