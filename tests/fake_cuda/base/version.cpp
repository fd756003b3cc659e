#include "base/config.h"

namespace fake {

#ifdef FAKE_CUDA_OLD
const Version kVersion{11040, false, false};
#else
const Version kVersion{13000, true, true};
#endif

}  // namespace fake
