// The report at process exit.
#pragma once

namespace fake {

// From here on the report knows the exit status of the process, and keeps a status other than 0.
void remember_exit_status();

}  // namespace fake
