#include "kernels_of_others.h"

#include <unordered_set>

namespace portacl_paddle {

bool BelongsToOthers(const std::string& kernel, bool is_on_host) {
    // The plug-in's own kernel fills on the device.
    if (kernel == "full") return !is_on_host;
    static const std::unordered_set<std::string> names{
        // These move data between the host and the device.
        "memcpy", "memcpy_d2h", "memcpy_h2d", "memcpy_d2h_multi_io", "feed", "fetch", "fetch_array", "shadow_feed",
        "shadow_feed_tensors", "share_buffer", "depend",
        // Collectives run over the communicators of the device.
        "all_gather", "all_reduce", "all_to_all", "barrier", "broadcast", "c_concat", "c_embedding", "c_embedding_grad",
        "c_identity", "c_scatter", "c_softmax_with_cross_entropy", "c_softmax_with_cross_entropy_grad",
        "c_softmax_with_multi_label_cross_entropy", "c_softmax_with_multi_label_cross_entropy_grad", "c_split",
        "distributed_fused_lamb_init", "global_gather", "global_scatter", "mp_allreduce_sum", "p_recv", "p_recv_array",
        "p_send", "p_send_array", "partial_allgather", "partial_recv", "partial_send", "reduce", "reduce_scatter"};
    return names.count(kernel) != 0;
}

}  // namespace portacl_paddle
