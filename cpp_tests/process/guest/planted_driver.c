/* A library with the name of a driver, which says that it was loaded. */
#include <unistd.h>

__attribute__((constructor)) static void begin(void) {
    static const char text[] = "the planted driver runs\n";
    (void)!write(1, text, sizeof text - 1);
}
