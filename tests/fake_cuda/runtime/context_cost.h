#pragma once

namespace fake {

// Takes the time of FAKE_CUDA_CONTEXT_MS, which the creation of a context and its end cost together. A driver creates
// one context at a time on a machine (docs/gpu, 2026-11-27), so processes take turns.
void pay_for_context();

}  // namespace fake
