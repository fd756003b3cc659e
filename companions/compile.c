// libacl_op_compiler: operators that are compiled at run time.
#include "unsupported.h"

#define ROW(CALL)                                                                                                 \
    UNSUPPORTED(CALL, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,                                                           \
                "portacl compiles no operators; it has those of libopapi, whose list is in docs/torch.md with the " \
                "steps that add one")

ROW(aclopCompileAndExecute);
ROW(aclopCompileAndExecuteV2);
ROW(aclopExecuteV2);
ROW(aclopSetModelDir);
ROW(aclGenGraphAndDumpForOp);
ROW(aclCreateGraphDumpOpt);
ROW(aclDestroyGraphDumpOpt);
