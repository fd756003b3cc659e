// A library that programs link and of which they use nothing.
typedef int companions_none;
