// libge_runner: functions of the layers below the Ascend runtime API, which newer programs link.
#include "unsupported.h"

#define LAUNCH(CALL)                                                                                 \
    UNSUPPORTED(CALL, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,                                              \
                "portacl lacks the functions below the Ascend runtime API (rt*); load kernels with " \
                "aclrtBinaryLoadFromData, and launch them with aclrtLaunchKernel")
#define PROFILE(CALL)                                   \
    UNSUPPORTED(CALL, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, \
                "portacl lacks the functions for profilers; use aclprofStart or PORTACL_TRACE")

LAUNCH(rtDevBinaryRegister);
LAUNCH(rtFunctionRegister);
UNSUPPORTED(rtGetC2cCtrlAddr, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "portacl lacks the functions below the Ascend runtime API (rt*); kernels that aclrtLaunchKernel launches "
            "here need no such address, so leave out this call");
LAUNCH(rtKernelLaunch);

PROFILE(MsprofGetHashId);
PROFILE(MsprofRegisterCallback);
PROFILE(MsprofReportAdditionalInfo);
PROFILE(MsprofReportApi);
PROFILE(MsprofReportCompactInfo);
PROFILE(MsprofSysCycleTime);
