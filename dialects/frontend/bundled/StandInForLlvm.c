// The only symbol of the library that stands in for libLLVM: a symbol version needs one.
const int kiln_stands_in_for_llvm = 1;
