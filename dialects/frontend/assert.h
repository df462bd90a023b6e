// assert for OpenCL C, as C's <assert.h>: each #include reads NDEBUG anew. A failed assertion prints the expression,
// its place and the work-item, and ends the launch by a trap (README.md).
#undef assert
#if defined(NDEBUG)
#define assert(expression) ((void)0)
#elif __OPENCL_C_VERSION__ < 120 && !defined(__OPENCL_CPP_VERSION__) // without printf
#define assert(expression) ((expression) ? (void)0 : __builtin_trap())
#else
#define assert(expression)                                                                                             \
  ((expression)                                                                                                        \
       ? (void)0                                                                                                       \
       : (printf("%s:%d: assertion failed: %s; work-item with global id (%lu, %lu, %lu)\n", __FILE__, __LINE__,        \
                 #expression, (ulong)get_global_id(0), (ulong)get_global_id(1), (ulong)get_global_id(2)),              \
          __builtin_trap()))
#endif
