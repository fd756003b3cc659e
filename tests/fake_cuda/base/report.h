// The report at process exit.
#pragma once

namespace fake {

// Makes the report know the exit status of the process, and keep a status other than 0.
void remember_exit_status();

}  // namespace fake
