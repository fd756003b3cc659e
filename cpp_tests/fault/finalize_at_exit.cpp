// Linked into a program that exits where a call fails. It frees what the program still holds, so
// that the fault sweep finds leaks only. It reports failures of destructors, which have no caller
// to return them to.

#include <acl/acl.h>
#include <portacl/portacl.h>

namespace {

struct FinalizeAtExit {
    ~FinalizeAtExit() {
        (void)portaclMemoryReportLeaks(nullptr);
        // 100037 if the program has finalized already.
        (void)aclFinalize();
    }
} finalize_at_exit;

}  // namespace
