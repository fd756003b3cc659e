#include "round_trip.h"

int main() {
    return round_trip();
}
