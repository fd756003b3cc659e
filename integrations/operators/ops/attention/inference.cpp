// Attention for inference: prompts, single tokens, and caches of keys and values, whole or in blocks. It computes in
// single precision, one sequence after the other.
#include "ops/attention/attention.h"

using namespace attention;

namespace {

// The arguments of a call. A cache in blocks has a table of the blocks of each sequence, in order.
struct Call {
    const at::Tensor& query;
    at::TensorList keys, values;
    MaybeIn mask, table;
    MaybeInts query_lengths, key_lengths;
    std::string layout;
    std::string out_layout;
    double scale;
    int64_t heads, key_heads, block;
    Sparse sparse;
    // What is added to the scores: sequences, heads, queries and keys, or one for all sequences.
    const Optional<at::Tensor>* shift = nullptr;

    bool IsPacked() const { return layout == "TND"; }
    int64_t KeyHeads() const { return key_heads == 0 ? heads : key_heads; }
};

// Checks that no argument is given of what is not supported: quantized numbers, padding on the left, common prefixes.
void CheckAbsent(std::initializer_list<std::pair<const char*, const Optional<at::Tensor>*>> tensors) {
    for (const auto& [name, tensor] : tensors)
        if (*tensor) throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " is not supported; pass null");
}

void CheckCall(const Call& call) {
    CheckPositive("numHeads", call.heads);
    if (call.sparse.mode < kWhole || call.sparse.mode > kRightDown)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "sparseMode is ", call.sparse.mode,
                      "; allowed: 0 and 1 (a whole mask), 2 and 3 (a triangular mask)");
    if (call.sparse.mode >= kAll && !call.mask)
        throw Refusal(ACLNN_ERR_PARAM_NULLPTR, "mask is null; it is required if sparseMode is ", call.sparse.mode);
    if (call.keys.empty() || call.keys.size() != call.values.size())
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "the lists key and value have ", call.keys.size(), " and ",
                      call.values.size(), " elements; both must have the same number, at least 1");
    if (call.KeyHeads() < 0 || call.heads % call.KeyHeads() != 0)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "numKeyValueHeads is ", call.key_heads,
                      "; allowed: 0 (as many as numHeads), or a positive divisor of numHeads, ", call.heads);
    if (call.table) {
        CheckPositive("blockSize", call.block);
        if (call.table->dim() != 2)
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "blockTable has the shape ", call.table->sizes(),
                          "; it must have 2 dimensions");
        if (!call.key_lengths)
            throw Refusal(ACLNN_ERR_PARAM_NULLPTR,
                          "actualSeqLengthsKv (aclnnIncreFlashAttentionV4: actualSeqLengths) is null; it is required "
                          "with a blockTable");
    }
    if ((call.table || call.IsPacked()) && call.keys.size() != 1)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "the list key has ", call.keys.size(),
                      " elements; with TND, or with a blockTable, it must have 1");
}

// Returns the length of a sequence: of the array, which may have one element for all sequences. `of_most` says what
// `most` is.
int64_t LengthOf(const char* name, MaybeInts lengths, int64_t sequence, int64_t sequences, int64_t most,
                 const char* of_most) {
    if (!lengths || lengths->empty()) return most;
    const auto count = static_cast<int64_t>(lengths->size());
    if (count != 1 && count < sequences)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " has ", count, " elements; allowed: 1, or at least ", sequences,
                      ", one for each sequence");
    const int64_t length = (*lengths)[count == 1 ? 0 : static_cast<size_t>(sequence)];
    if (length < 0 || length > most)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " has the element ", length, "; allowed: 0 to ", most, ", ",
                      of_most);
    return length;
}

constexpr const char* kOfKeyHeads = "numKeyValueHeads (or numHeads, if numKeyValueHeads is 0)";

// Returns keys or values of a sequence from a cache in blocks, as NSD. The blocks are NSD or S and the heads together.
at::Tensor FromBlocks(const at::Tensor& cache, const Call& call, int64_t sequence, int64_t length) {
    const int64_t blocks = (length + call.block - 1) / call.block;
    const bool is_flat = cache.dim() == 3;
    if ((!is_flat && cache.dim() != 4) || cache.size(is_flat ? 1 : 2) != call.block)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "key or value has the shape ", cache.sizes(),
                      "; with a blockTable it must be [blocks, blockSize, H] or [blocks, heads, blockSize, D], and "
                      "blockSize is ",
                      call.block);
    if (is_flat ? cache.size(2) % call.KeyHeads() != 0 : cache.size(1) != call.KeyHeads())
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "key or value has the shape ", cache.sizes(), "; with a blockTable its ",
                      is_flat ? "last size must be a multiple of " : "second size must be ", call.KeyHeads(), ", ",
                      kOfKeyHeads);
    const at::Tensor chosen = cache.index_select(0, Long(call.table->select(0, sequence).narrow(0, 0, blocks)));
    if (is_flat) {
        const at::Tensor rows = chosen.flatten(0, 1).narrow(0, 0, length).unsqueeze(0);
        return ToHeads("key or value", rows, "BSH", call.KeyHeads(), kOfKeyHeads).squeeze(0);
    }
    return chosen.transpose(0, 1).flatten(1, 2).narrow(1, 0, length);
}

// Returns keys or values of a sequence as NSD.
at::Tensor Cached(at::TensorList list, const Call& call, int64_t sequence, int64_t sequences) {
    const auto length_of = [&](int64_t most, const char* of_most) {
        return LengthOf("actualSeqLengthsKv (aclnnIncreFlashAttentionV4: actualSeqLengths)", call.key_lengths, sequence,
                        sequences, most, of_most);
    };
    if (call.table)
        return FromBlocks(list[0], call, sequence,
                          length_of(call.table->size(1) * call.block, "the second size of blockTable times blockSize"));
    const bool is_whole = list.size() == 1;
    if (!is_whole && static_cast<int64_t>(list.size()) != sequences)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "the lists key and value have ", list.size(),
                      " elements; allowed: 1, or ", sequences, ", one for each sequence of query");
    const at::Tensor& tensor = list[is_whole ? 0 : static_cast<size_t>(sequence)];
    const at::Tensor heads = ToHeads("key or value", tensor, call.layout, call.KeyHeads(), kOfKeyHeads);
    const int64_t place = is_whole ? sequence : 0;
    if (place >= heads.size(0))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "key or value has the shape ", tensor.sizes(),
                      "; its first size must be at least ", is_whole ? sequences : 1,
                      is_whole ? ", the first size of query" : ", as each tensor of a list is for 1 sequence");
    return heads.select(0, place).narrow(1, 0, length_of(heads.size(2), "the sequence length in key or value"));
}

// Returns the mask of a sequence as 1 or more queries, and keys. One mask may serve all sequences. A mask that was
// padded is longer than queries or keys.
Optional<at::Tensor> MaskOf(const Call& call, int64_t sequence, int64_t sequences, int64_t most_queries,
                            int64_t queries, int64_t keys) {
    if (!call.mask || call.sparse.mode > kAll) return call.mask;
    at::Tensor mask = *call.mask;
    // Masks for one query of each sequence may lack the dimension of queries.
    if (most_queries == 1 && mask.dim() == 2) mask = mask.unsqueeze(1);
    if (mask.dim() == 4) {
        if (mask.size(1) != 1)
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "mask has the shape ", mask.sizes(),
                          "; with 4 dimensions its second size must be 1");
        mask = mask.squeeze(1);
    }
    if (mask.dim() == 3 && mask.size(0) != 1 && mask.size(0) != sequences)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "mask has the shape ", call.mask->sizes(),
                      "; its first size must be 1 or the number of sequences, ", sequences);
    if (mask.dim() == 3) mask = mask.select(0, mask.size(0) == 1 ? 0 : sequence);
    if (mask.dim() != 2 || mask.size(0) < queries || mask.size(1) < keys)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "mask has the shape ", call.mask->sizes(),
                      "; it must have 2 to 4 dimensions, and its last two sizes must be at least ", queries,
                      " (queries) and ", keys, " (keys)");
    return Optional<at::Tensor>(mask.narrow(0, 0, queries).narrow(1, 0, keys));
}

// Returns what is added to the scores of a sequence. It may hold more queries and keys.
at::Tensor ShiftOf(const at::Tensor& shift, const Call& call, int64_t sequence, int64_t queries, int64_t keys) {
    if (shift.dim() != 4 || (shift.size(0) != 1 && shift.size(0) <= sequence) || shift.size(1) != call.heads ||
        shift.size(2) < queries || shift.size(3) < keys)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "pseShift has the shape ", shift.sizes(),
                      "; it must have 4 dimensions: 1 sequence or all sequences of query, ", call.heads,
                      " heads, at least ", queries, " queries, and at least ", keys, " keys");
    return shift.select(0, shift.size(0) == 1 ? 0 : sequence).narrow(1, 0, queries).narrow(2, 0, keys);
}

// What one sequence results in: NSD, and the logarithms of the sums of exponentials of the scores.
struct Result {
    at::Tensor out, logarithms;
};

Result Attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const Optional<at::Tensor>& mask,
              const Call& call, int64_t sequence) {
    const at::Tensor q = query.unsqueeze(0).to(at::kFloat);
    if (key.size(1) == 0)
        return {at::zeros({q.size(1), q.size(2), value.size(2)}, q.options()),
                at::full({q.size(1), q.size(2), 1}, -kInfinity, q.options())};
    const at::Tensor k = Grouped(key.unsqueeze(0).to(at::kFloat), call.heads);
    const at::Tensor v = Grouped(value.unsqueeze(0).to(at::kFloat), call.heads);
    at::Tensor scores = at::matmul(q, k.transpose(-2, -1)) * call.scale;
    if (call.shift && *call.shift) scores = scores + ShiftOf(**call.shift, call, sequence, q.size(2), k.size(2));
    Optional<at::Tensor> hidden = Hidden(scores, mask, call.sparse);
    if (hidden && call.sparse.mode == kWhole && q.size(2) > 1)
        hidden = at::logical_or(*hidden, Outside(scores, 0, call.sparse.before, call.sparse.after));
    const Softmax softmax = SoftmaxOf(Shown(scores, hidden));
    return {at::matmul(softmax.weights, v).squeeze(0), (at::log(softmax.sum) + softmax.most).squeeze(0)};
}

// Attention of sequences that have the same room: the batch of query. What is beyond a length is 0.
void AttendBatch(Call call, at::Tensor& out, MaybeOut logarithms) {
    const at::Tensor query = ToHeads("query", call.query, call.layout, call.heads, "numHeads");
    const int64_t sequences = query.size(0), most = query.size(2);
    // For one query the mask is always a whole one.
    if (most == 1) call.sparse.mode = kWhole;
    if (call.table && call.table->size(0) < sequences)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "blockTable has the shape ", call.table->sizes(),
                      "; its first size must be at least ", sequences, ", the number of sequences");
    at::Tensor all;
    const at::Tensor sums = at::zeros({sequences, call.heads, most, 1}, query.options().dtype(at::kFloat));
    for (int64_t i = 0; i < sequences; ++i) {
        const at::Tensor key = Cached(call.keys, call, i, sequences), value = Cached(call.values, call, i, sequences);
        const int64_t queries = most == 1 ? 1
                                          : LengthOf("actualSeqLengths", call.query_lengths, i, sequences, most,
                                                     "the sequence length in query");
        const Result result = Attend(query.select(0, i).narrow(1, 0, queries), key, value,
                                     MaskOf(call, i, sequences, most, queries, key.size(1)), call, i);
        if (!all.defined())
            all = at::zeros({sequences, call.heads, most, value.size(2)}, query.options().dtype(at::kFloat));
        all.select(0, i).narrow(1, 0, queries).copy_(result.out);
        sums.select(0, i).narrow(1, 0, queries).copy_(result.logarithms);
    }
    if (all.defined()) Put(out, FromHeads(all, call.out_layout));
    if (logarithms && logarithms->numel() > 0) Put(*logarithms, sums);
}

void CheckPacked(const char* name, const at::Tensor& tensor, int64_t heads, const char* of_heads) {
    if (tensor.dim() != 3 || tensor.size(1) != heads)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " has the shape ", tensor.sizes(),
                      "; with TND it must have 3 dimensions, and its second size must be ", heads, ", ", of_heads);
}

// Returns a sequence of those that lie one behind the other, as NSD.
at::Tensor PartOf(const char* name, const at::Tensor& tensor, const char* ends, int64_t begin, int64_t end) {
    if (end < begin || end > tensor.size(0))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, ends, " has the element ", end,
                      "; with TND each element must be at least the one before, here ", begin, ", and at most ",
                      tensor.size(0), ", the first size of ", name);
    return tensor.narrow(0, begin, end - begin).transpose(0, 1);
}

// Attention of sequences that lie one behind the other. The arrays have their ends; with a cache in blocks that of key
// has lengths.
void AttendPacked(const Call& call, at::Tensor& out, MaybeOut logarithms) {
    if (!call.query_lengths || !call.key_lengths || call.query_lengths->size() != call.key_lengths->size())
        throw Refusal(
            ACLNN_ERR_PARAM_INVALID,
            "with TND actualSeqLengths and actualSeqLengthsKv must not be null, and must have the same number "
            "of elements, one for each sequence; aclnnIncreFlashAttentionV4 does not support TND, so pass "
            "BNSD, BSND or BSH to it");
    CheckPacked("query", call.query, call.heads, "numHeads");
    for (const auto& [name, list] : {std::pair("key", call.keys), std::pair("value", call.values)})
        if (!call.table) CheckPacked(name, list[0], call.KeyHeads(), kOfKeyHeads);
    const auto sequences = static_cast<int64_t>(call.query_lengths->size());
    const at::Tensor all = at::zeros(out.sizes(), out.options().dtype(at::kFloat));
    const at::Tensor sums = at::zeros({call.query.size(0), call.heads, 1}, all.options());
    int64_t query = 0, key = 0;
    const auto key_part = [&](const char* name, const at::Tensor& tensor, int64_t end) {
        return PartOf(name, tensor, "actualSeqLengthsKv", key, end);
    };
    for (int64_t i = 0; i < sequences; ++i) {
        const int64_t query_end = (*call.query_lengths)[static_cast<size_t>(i)];
        const int64_t key_end = (*call.key_lengths)[static_cast<size_t>(i)];
        const at::Tensor q = PartOf("query", call.query, "actualSeqLengths", query, query_end);
        const at::Tensor k =
            call.table ? Cached(call.keys, call, i, sequences) : key_part("key", call.keys[0], key_end);
        const at::Tensor v =
            call.table ? Cached(call.values, call, i, sequences) : key_part("value", call.values[0], key_end);
        const Result result = Attend(q, k, v, MaskOf(call, i, sequences, 0, q.size(1), k.size(1)), call, i);
        all.narrow(0, query, q.size(1)).copy_(result.out.transpose(0, 1));
        sums.narrow(0, query, q.size(1)).copy_(result.logarithms.transpose(0, 1));
        query = query_end;
        key = key_end;
    }
    Put(out, all);
    if (logarithms && logarithms->numel() > 0) Put(*logarithms, sums);
}

void AttendAll(Call call, at::Tensor& out, MaybeOut logarithms) {
    CheckCall(call);
    if (call.IsPacked()) return AttendPacked(call, out, logarithms);
    if (call.layout != "BNSD" && call.layout != "BSND" && call.layout != "BSH")
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "inputLayout is ", call.layout,
                      "; allowed: BNSD, BSND, BSH, and, except in aclnnIncreFlashAttentionV4, BNSD_BSND and TND");
    AttendBatch(call, out, logarithms);
}

// The layout BNSD_BSND is that of the inputs and that of the output.
std::pair<std::string, std::string> Layouts(const std::string& layout) {
    return layout == "BNSD_BSND" ? std::pair<std::string, std::string>("BNSD", "BSND") : std::pair(layout, layout);
}

}  // namespace

#define ABSENT(NAME) \
    { #NAME, &NAME }

OPERATOR(PromptFlashAttentionV3,
         (Part query, Part key, Part value, MaybeIn pseShift, MaybeIn mask, MaybeInts actualSeqLengths,
          MaybeInts actualSeqLengthsKv, MaybeIn deqScale1, MaybeIn quantScale1, MaybeIn deqScale2, MaybeIn quantScale2,
          MaybeIn quantOffset2, int64_t numHeads, double scale, int64_t preTokens, int64_t nextTokens, Text inputLayout,
          int64_t numKeyValueHeads, int64_t sparseMode, [[maybe_unused]] int64_t innerPrecise, Out out),
         CheckAbsent({ABSENT(pseShift), ABSENT(deqScale1), ABSENT(quantScale1), ABSENT(deqScale2), ABSENT(quantScale2),
                      ABSENT(quantOffset2)});
         const auto [in, to] = Layouts(inputLayout); const std::vector<at::Tensor> keys{key}, values{value};
         const Optional<at::Tensor> none; Optional<at::Tensor> no_output;
         AttendAll({query,
                    keys,
                    values,
                    mask,
                    none,
                    actualSeqLengths,
                    actualSeqLengthsKv,
                    in,
                    to,
                    scale,
                    numHeads,
                    numKeyValueHeads,
                    0,
                    {sparseMode, preTokens, nextTokens}},
                   out, no_output));
OPERATOR(IncreFlashAttentionV4,
         (Part query, Parts key, Parts value, MaybeIn pseShift, MaybeIn mask, MaybeInts actualSeqLengths,
          MaybeIn dequantScale1, MaybeIn quantScale1, MaybeIn dequantScale2, MaybeIn quantScale2, MaybeIn quantOffset2,
          MaybeIn antiquantScale, MaybeIn antiquantOffset, MaybeIn blockTable, MaybeIn kvPaddingSize, int64_t numHeads,
          double scale, Text inputLayout, int64_t numKeyValueHeads, int64_t blockSize,
          [[maybe_unused]] int64_t innerPrecise, Out out),
         CheckAbsent({ABSENT(pseShift), ABSENT(dequantScale1), ABSENT(quantScale1), ABSENT(dequantScale2),
                      ABSENT(quantScale2), ABSENT(quantOffset2), ABSENT(antiquantScale), ABSENT(antiquantOffset),
                      ABSENT(kvPaddingSize)});
         Optional<at::Tensor> no_output; AttendAll({query,
                                                    key,
                                                    value,
                                                    mask,
                                                    blockTable,
                                                    {},
                                                    actualSeqLengths,
                                                    inputLayout,
                                                    inputLayout,
                                                    scale,
                                                    numHeads,
                                                    numKeyValueHeads,
                                                    blockSize,
                                                    {kWhole, 0, 0}},
                                                   out, no_output));
// What the versions of a row do, by the names of its parameters. More of them must be absent in the later ones.
#define FUSED_ATTENTION(...)                                                                                           \
    CheckAbsent({ABSENT(deqScale1), ABSENT(quantScale1), ABSENT(deqScale2), ABSENT(quantScale2), ABSENT(quantOffset2), \
                 ABSENT(antiquantScale), ABSENT(antiquantOffset), ABSENT(queryPaddingSize), ABSENT(kvPaddingSize),     \
                 ABSENT(keyAntiquantScale), ABSENT(keyAntiquantOffset), ABSENT(valueAntiquantScale),                   \
                 ABSENT(valueAntiquantOffset), ABSENT(keySharedPrefix), ABSENT(valueSharedPrefix) __VA_ARGS__});       \
    const auto [in, to] = Layouts(inputLayout);                                                                        \
    Optional<at::Tensor> no_output;                                                                                    \
    AttendAll({query,                                                                                                  \
               key,                                                                                                    \
               value,                                                                                                  \
               mask,                                                                                                   \
               blockTable,                                                                                             \
               actualSeqLengths,                                                                                       \
               actualSeqLengthsKv,                                                                                     \
               in,                                                                                                     \
               to,                                                                                                     \
               scale,                                                                                                  \
               numHeads,                                                                                               \
               numKeyValueHeads,                                                                                       \
               blockSize,                                                                                              \
               {sparseMode, preTokens, nextTokens},                                                                    \
               &pseShift},                                                                                             \
              out, softmaxLseFlag ? softmaxLse : no_output)

OPERATOR(FusedInferAttentionScoreV2,
         (Part query, Parts key, Parts value, MaybeIn pseShift, MaybeIn mask, MaybeInts actualSeqLengths,
          MaybeInts actualSeqLengthsKv, MaybeIn deqScale1, MaybeIn quantScale1, MaybeIn deqScale2, MaybeIn quantScale2,
          MaybeIn quantOffset2, MaybeIn antiquantScale, MaybeIn antiquantOffset, MaybeIn blockTable,
          MaybeIn queryPaddingSize, MaybeIn kvPaddingSize, MaybeIn keyAntiquantScale, MaybeIn keyAntiquantOffset,
          MaybeIn valueAntiquantScale, MaybeIn valueAntiquantOffset, MaybeIn keySharedPrefix, MaybeIn valueSharedPrefix,
          [[maybe_unused]] MaybeInts actualSharedPrefixLen, int64_t numHeads, double scale, int64_t preTokens,
          int64_t nextTokens, Text inputLayout, int64_t numKeyValueHeads, int64_t sparseMode,
          [[maybe_unused]] int64_t innerPrecise, int64_t blockSize, [[maybe_unused]] int64_t antiquantMode,
          bool softmaxLseFlag, [[maybe_unused]] int64_t keyAntiquantMode, [[maybe_unused]] int64_t valueAntiquantMode,
          Out out, MaybeOut softmaxLse),
         FUSED_ATTENTION());
OPERATOR(FusedInferAttentionScoreV3,
         (Part query, Parts key, Parts value, MaybeIn pseShift, MaybeIn mask, MaybeInts actualSeqLengths,
          MaybeInts actualSeqLengthsKv, MaybeIn deqScale1, MaybeIn quantScale1, MaybeIn deqScale2, MaybeIn quantScale2,
          MaybeIn quantOffset2, MaybeIn antiquantScale, MaybeIn antiquantOffset, MaybeIn blockTable,
          MaybeIn queryPaddingSize, MaybeIn kvPaddingSize, MaybeIn keyAntiquantScale, MaybeIn keyAntiquantOffset,
          MaybeIn valueAntiquantScale, MaybeIn valueAntiquantOffset, MaybeIn keySharedPrefix, MaybeIn valueSharedPrefix,
          [[maybe_unused]] MaybeInts actualSharedPrefixLen, MaybeIn queryRope, MaybeIn keyRope,
          MaybeIn keyRopeAntiquantScale, int64_t numHeads, double scale, int64_t preTokens, int64_t nextTokens,
          Text inputLayout, int64_t numKeyValueHeads, int64_t sparseMode, [[maybe_unused]] int64_t innerPrecise,
          int64_t blockSize, [[maybe_unused]] int64_t antiquantMode, bool softmaxLseFlag,
          [[maybe_unused]] int64_t keyAntiquantMode, [[maybe_unused]] int64_t valueAntiquantMode, Out out,
          MaybeOut softmaxLse),
         FUSED_ATTENTION(, ABSENT(queryRope), ABSENT(keyRope), ABSENT(keyRopeAntiquantScale)));
OPERATOR(FusedInferAttentionScoreV4,
         (Part query, Parts key, Parts value, MaybeIn pseShift, MaybeIn mask, MaybeInts actualSeqLengths,
          MaybeInts actualSeqLengthsKv, MaybeIn deqScale1, MaybeIn quantScale1, MaybeIn deqScale2, MaybeIn quantScale2,
          MaybeIn quantOffset2, MaybeIn antiquantScale, MaybeIn antiquantOffset, MaybeIn blockTable,
          MaybeIn queryPaddingSize, MaybeIn kvPaddingSize, MaybeIn keyAntiquantScale, MaybeIn keyAntiquantOffset,
          MaybeIn valueAntiquantScale, MaybeIn valueAntiquantOffset, MaybeIn keySharedPrefix, MaybeIn valueSharedPrefix,
          [[maybe_unused]] MaybeInts actualSharedPrefixLen, MaybeIn queryRope, MaybeIn keyRope,
          MaybeIn keyRopeAntiquantScale, MaybeIn dequantScaleQuery, MaybeIn learnableSink, int64_t numHeads,
          double scale, int64_t preTokens, int64_t nextTokens, Text inputLayout, int64_t numKeyValueHeads,
          int64_t sparseMode, [[maybe_unused]] int64_t innerPrecise, int64_t blockSize,
          [[maybe_unused]] int64_t antiquantMode, bool softmaxLseFlag, [[maybe_unused]] int64_t keyAntiquantMode,
          [[maybe_unused]] int64_t valueAntiquantMode, [[maybe_unused]] int64_t queryQuantMode, Out out,
          MaybeOut softmaxLse),
         FUSED_ATTENTION(, ABSENT(queryRope), ABSENT(keyRope), ABSENT(keyRopeAntiquantScale), ABSENT(dequantScaleQuery),
                         ABSENT(learnableSink)));
