// portaclReportFinding: its arguments. integrations/hccl/tests tests its reports.
#include <portacl/portacl.h>

#include "support/says.h"

using namespace portacl_test;

namespace {

class Finding : public testing::Test {
  protected:
    portaclFindingOperation operation_ = {"HcclBarrier", "operation 1 of rank 0", nullptr};
    portaclFinding finding_ = {
        sizeof(portaclFinding), PORTACL_FINDING_COLLECTIVES, "a finding", "to mend it: do", &operation_, 1};
};

// No check is on.
TEST_F(Finding, IsAcceptedWithoutAReport) {
    testing::internal::CaptureStderr();
    ACL_EXPECT_OK(portaclReportFinding(&finding_));
    finding_.kind = PORTACL_FINDING_LONG_WAIT;
    finding_.operations = nullptr;
    finding_.count = 0;
    ACL_EXPECT_OK(portaclReportFinding(&finding_));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(Finding, NeedsItsStructure) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclReportFinding(nullptr), "finding", "null");
    finding_.structSize = 1;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclReportFinding(&finding_), "finding->structSize is 1",
                     "the size of the structure");
}

TEST_F(Finding, HasAKnownKind) {
    for (const int kind : {0, 3, -1}) {
        finding_.kind = static_cast<portaclFindingKind>(kind);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclReportFinding(&finding_),
                         "finding->kind is " + std::to_string(kind), "PORTACL_FINDING_LONG_WAIT 2");
    }
}

TEST_F(Finding, HasTexts) {
    finding_.what = nullptr;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclReportFinding(&finding_), "finding->what is null", "text");
    finding_.what = "a finding";
    finding_.fix = nullptr;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclReportFinding(&finding_), "finding->fix is null", "text");
}

TEST_F(Finding, HasOperationsWithTexts) {
    operation_.call = nullptr;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclReportFinding(&finding_), "finding->operations[0].call is null",
                     "text");
    operation_.call = "HcclBarrier";
    operation_.position = nullptr;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclReportFinding(&finding_),
                     "finding->operations[0].position is null", "text");
    finding_.operations = nullptr;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclReportFinding(&finding_), "finding->operations is null",
                     "finding->count is 1");
    finding_.count = 1025;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclReportFinding(&finding_), "finding->count is 1025", "0 to 1024");
}

}  // namespace
