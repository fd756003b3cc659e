// Runs one program. usage: check_programs NAME faulty|fixed [KERNELS]; without arguments it lists the names.
#include <cstring>
#include <string>

#include "check/programs/program.h"

int main(int count, char** arguments) {
    if (count == 2 && std::strcmp(arguments[1], "export") == 0) {
        ExportUntilEndOfInput();
        return 0;
    }
    for (const auto* programs : {&kCopies, &kOrder, &kWaits, &kBehindWaits, &kMemory, &kInit, &kSync, &kEarly,
                                 &kAdopted, &kKernels, &kPlaces, &kTasks}) {
        for (const Program& program : *programs) {
            if (count < 3) {
                std::printf("%s %s %d %s|%s\n", program.name, program.kind, program.needs, program.report,
                            program.detail);
                continue;
            }
            if (std::strcmp(program.name, arguments[1]) != 0) continue;
            World world;
            if (count > 3) world.kernels = arguments[3];
            program.run(world, std::strcmp(arguments[2], "fixed") == 0);
            world.End();
            return 0;
        }
    }
    return count < 3 ? 0 : 4;
}
