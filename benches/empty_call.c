/* In a library of its own, so that the call goes the way a call of portacl goes. */
int bench_empty_call(void* argument);

int bench_empty_call(void* argument) {
    (void)argument;
    return 0;
}
