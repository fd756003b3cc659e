// Linked into a program that ends where a call fails: what it holds is given back then, so that
// the fault sweep sees what is lost and not what was in use. What failed in destructors, where no
// caller can be told, is told now.

#include <acl/acl.h>
#include <portacl/portacl.h>

namespace {

struct FinalizeAtExit {
    ~FinalizeAtExit() {
        (void)portaclMemoryReportLeaks(nullptr);
        // 100037 where the program has done it itself.
        (void)aclFinalize();
    }
} finalize_at_exit;

}  // namespace
