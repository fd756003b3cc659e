/* Links portacl with another static Rust library that contains its own standard library. */
#include "round_trip.h"

int neighbour_panics_and_recovers(int input);

int main(void) {
    if (neighbour_panics_and_recovers(20) != 21) {
        fprintf(stderr, "the neighbour does not work\n");
        return 1;
    }
    if (round_trip() != 0) {
        return 1;
    }
    return neighbour_panics_and_recovers(41) == 42 ? 0 : 1;
}
