// What inference engines do between the steps of a model: the next tokens and their places, keys and values in blocks.
#include "ops/support.h"

namespace {

void CheckRows(const char* name, const at::Tensor& tensor, int64_t queries) {
    if (tensor.dim() == 0 || tensor.size(0) < queries)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " has the shape ", tensor.sizes(),
                      "; it must have at least 1 dimension, and a first size of at least ", queries, ", numQueries");
}

// The state of sequences, of which the first `queries` take the tokens that a sampler chose.
struct Sequences {
    at::Tensor &tokens, &positions, &lengths, &slots;
};

void Advance(const Sequences& of, const at::Tensor& sampled, const at::Tensor& blocks, int64_t queries, int64_t size) {
    CheckPositive("blockSize", size);
    CheckPositive("numQueries", queries);
    CheckRows("inputTokens", of.tokens, queries);
    CheckRows("sampledTokenIds", sampled, queries);
    CheckRows("inputPositions", of.positions, queries);
    CheckRows("seqLens", of.lengths, queries);
    CheckRows("slotMapping", of.slots, queries);
    CheckRows("blockTables", blocks, queries);
    if (of.tokens.dim() != 1 || blocks.dim() != 2)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "inputTokens and blockTables have the shapes ", of.tokens.sizes(),
                      " and ", blocks.sizes(), "; they must have 1 and 2 dimensions");
    // The place of the new token is the length before.
    const at::Tensor place = of.lengths.narrow(0, 0, queries).clone();
    of.tokens.narrow(0, 0, queries).copy_(sampled.narrow(0, 0, queries).reshape({queries}));
    of.positions.narrow(0, 0, queries).copy_(place);
    of.lengths.narrow(0, 0, queries).copy_(place + 1);
    const at::Tensor block = at::floor_divide(place, size).unsqueeze(1);
    const at::Tensor base = blocks.narrow(0, 0, queries).gather(1, Long(block)).squeeze(1) * size;
    of.slots.narrow(0, 0, queries).copy_(base + place % size);
}

// Writes the rows of tokens into a cache of blocks. In the first order a block has the numbers of all heads for each
// token, in the second one (PA_NZ) it has groups of numbers, and in these the tokens.
void StoreRows(const char* name, const at::Tensor& rows, const at::Tensor& slots, bool is_grouped,
               const char* cache_name, at::Tensor& cache) {
    if (rows.dim() != 3 || cache.dim() != 4 || slots.dim() != 1 || slots.size(0) != rows.size(0))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, ", ", cache_name, " and slotMapping have the shapes ",
                      rows.sizes(), ", ", cache.sizes(), " and ", slots.sizes(),
                      "; they must have 3, 4 and 1 dimensions, and slotMapping as many elements as the first size of ",
                      name);
    const int64_t width = rows.size(1) * rows.size(2);
    const at::Tensor tokens = is_grouped ? cache.permute({0, 2, 1, 3}) : cache;
    if (tokens.size(2) * tokens.size(3) != width)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, cache_name, " has the shape ", cache.sizes(), "; the product of its ",
                      is_grouped ? "second and last size (cacheMode is PA_NZ)" : "last two sizes", " must be ", width,
                      ", the product of the last two sizes of ", name, ", whose shape is ", rows.sizes());
    const at::Tensor slot = Long(slots), size = at::full_like(slot, tokens.size(1));
    c10::List<Optional<at::Tensor>> places;
    places.push_back(Optional<at::Tensor>(at::floor_divide(slot, size)));
    places.push_back(Optional<at::Tensor>(slot % size));
    at::Tensor(tokens).index_put_(places, rows.reshape({rows.size(0), tokens.size(2), tokens.size(3)}));
}

void CheckAbsent(const char* name, MaybeIn tensor) {
    if (tensor) throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " is not supported; pass null");
}

}  // namespace

OPERATOR(AdvanceStep,
         (Out inputTokens, In sampledTokenIds, Out inputPositions, Out seqLens, Out slotMapping, In blockTables,
          [[maybe_unused]] int64_t numSeqs, int64_t numQueries, int64_t blockSize),
         Advance({inputTokens, inputPositions, seqLens, slotMapping}, sampledTokenIds, blockTables, numQueries,
                 blockSize));
OPERATOR(ScatterPaKvCache,
         (In key, Out keyCache, In slotMapping, In value, Out valueCache, MaybeIn compressLens,
          MaybeIn compressSeqOffset, MaybeIn seqLens, Text cacheMode, [[maybe_unused]] Text scatterMode,
          [[maybe_unused]] MaybeInts strides, [[maybe_unused]] MaybeInts offsets),
         CheckAbsent("compressLens", compressLens);
         CheckAbsent("compressSeqOffset", compressSeqOffset); CheckAbsent("seqLens", seqLens);
         StoreRows("key", key, slotMapping, cacheMode == "PA_NZ", "keyCache", keyCache);
         StoreRows("value", value, slotMapping, cacheMode == "PA_NZ", "valueCache", valueCache));
