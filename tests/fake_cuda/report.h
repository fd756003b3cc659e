// What is said when the process ends.
#pragma once

namespace fake {

// From here on the report knows with what status the process ends, and keeps one that is not 0.
void remember_exit_status();

}  // namespace fake
