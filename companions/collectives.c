// libhccl: communication between devices.
#include "unsupported.h"

// HCCL_E_NOT_SUPPORT
#define ROW(CALL)                                                                                           \
    UNSUPPORTED(CALL, 5,                                                                                    \
                "portacl has no collective communication; train with one process, or move tensors through " \
                "the backend `gloo` on CPU tensors")

ROW(HcclAllGather);
ROW(HcclAllReduce);
ROW(HcclBroadcast);
ROW(HcclCommDestroy);
ROW(HcclCommInitAll);
ROW(HcclCommInitRootInfo);
ROW(HcclGetRootInfo);
ROW(HcclRecv);
ROW(HcclReduceScatter);
ROW(HcclSend);
