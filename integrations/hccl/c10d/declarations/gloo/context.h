#pragma once

namespace gloo {

class Context;

}  // namespace gloo
