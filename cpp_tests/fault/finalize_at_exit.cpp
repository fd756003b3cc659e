// Linked into a program that ends where a call fails: what it holds is given back then, so that
// the fault sweep sees what is lost and not what was in use.

#include <acl/acl.h>

namespace {

struct FinalizeAtExit {
    // 100037 where the program has done it itself.
    ~FinalizeAtExit() { (void)aclFinalize(); }
} finalize_at_exit;

}  // namespace
