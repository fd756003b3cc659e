// A library without functions.
typedef int companions_none;
