// Violations of the language's rules are errors with a location.
// FEATURES: LANG-1.5a, LANG-1.5.2a, LANG-1.5.3a, LANG-1.5.6a, LANG-1.8
// RUN: not kiln-clc -cl-std=CL2.0 -DTYPES %s -o - 2>&1 | FileCheck %s --check-prefix=TYPES
// RUN: not kiln-clc -cl-std=CL2.0 -DSPACES %s -o - 2>&1 | FileCheck %s --check-prefix=SPACES
// RUN: not kiln-clc -cl-std=CL1.2 --extensions=cl_khr_fp64 -DPLACES %s -o - 2>&1 | FileCheck %s --check-prefix=PLACES
// RUN: not kiln-clc -DELEMENTS %s -o - 2>&1 | FileCheck %s --check-prefix=ELEMENTS
#ifdef TYPES
kernel void types(global float4 *f, global int4 *i) {
  // TYPES: :[[@LINE+1]]:{{[0-9]+}}: error: too few elements in vector initialization
  f[0] = (float4)(1, 2, 3);
  // TYPES: :[[@LINE+1]]:{{[0-9]+}}: error: too many elements in vector initialization
  f[1] = (float4)((float2)(1, 2), (float3)(1, 2, 3));
  int2 two = i[0].xy;
  // TYPES: :[[@LINE+1]]:{{[0-9]+}}: error: vector component access exceeds type
  i[0].x = two.z;
  // TYPES: :[[@LINE+1]]:{{[0-9]+}}: error: vector is not assignable (contains duplicate components)
  i[0].xx = two;
  // TYPES: :[[@LINE+1]]:{{[0-9]+}}: error: assigning to '__global int3'
  i[0].xyz = two;
  // TYPES: :[[@LINE+1]]:{{[0-9]+}}: error: illegal vector component name 's'
  i[0].xs1 = two;
  // TYPES: :[[@LINE+1]]:{{[0-9]+}}: error: address of vector element requested
  int *at = &two.x;
  // TYPES: :[[@LINE+1]]:{{[0-9]+}}: error: initializing '__private float4'
  float4 other = i[0];
  // TYPES: :[[@LINE+1]]:{{[0-9]+}}: error: invalid conversion between ext-vector type 'float4'
  other = (float4)i[0];
  // TYPES: :[[@LINE+1]]:{{[0-9]+}}: error: implicit conversions between vector types
  i[0] = i[0] + (uint4)(1);
  // TYPES: :[[@LINE+1]]:{{[0-9]+}}: error: invalid reinterpretation: sizes of 'int' and 'short' must match
  int same = as_int((short)1);
  // TYPES: :[[@LINE+1]]:{{[0-9]+}}: error: scalar operand type has greater rank
  i[0] = i[0] + 1L;
  // TYPES: :[[@LINE+1]]:{{[0-9]+}}: error: requested shift is a vector
  i[0].xy = (1 << (int2)(1));
}
#endif

#ifdef SPACES
// SPACES: :[[@LINE+1]]:{{[0-9]+}}: error: pointer arguments to kernel functions must reside in
kernel void noSpace(int *o) { o[0] = 1; }
// SPACES: :[[@LINE+1]]:{{[0-9]+}}: error: field may not be qualified with an address space
struct holds { local int x; };
// SPACES: :[[@LINE+1]]:{{[0-9]+}}: error: non-kernel function variable cannot be declared in local address space
void noLocal(void) { local int x; x = 1; }
kernel void inner(global int *o) {
  if (o[0]) {
    // SPACES: :[[@LINE+1]]:{{[0-9]+}}: error: variables in the local address space can only be declared in the outermost scope
    local int x;
  }
  // SPACES: :[[@LINE+1]]:{{[0-9]+}}: error: '__local' variable cannot have an initializer
  local int y = 3;
}
// SPACES: :[[@LINE+1]]:{{[0-9]+}}: error: variable in constant address space must be initialized
constant int uninitialised;
kernel void writes(global int *o) {
  constant int c = 3;
  // SPACES: :[[@LINE+1]]:{{[0-9]+}}: error: read-only variable is not assignable
  c = o[0];
}
kernel void spaces(global int *g, local int *l, constant int *c, int which) {
  // SPACES: :[[@LINE+1]]:{{[0-9]+}}: error: comparison between {{.*}} which are pointers to non-overlapping address spaces
  bool same = g == l;
  // SPACES: :[[@LINE+1]]:{{[0-9]+}}: error: assigning '__local int *__private' to '__global int *__private' changes address space
  g = l;
  // SPACES: :[[@LINE+1]]:{{[0-9]+}}: error: conditional operator with the second and third operands
  global int *picked = which ? g : l;
  // SPACES: :[[@LINE+1]]:{{[0-9]+}}: error: multiple address spaces specified for type
  global local int *two;
  int *p = g;
  // SPACES: :[[@LINE+1]]:{{[0-9]+}}: error: assigning '__generic int *__private' to '__global int *__private' changes
  g = p;
  // SPACES: :[[@LINE+1]]:{{[0-9]+}}: error: assigning '__constant int *__private' to '__generic int *__private' changes
  p = c;
}
#endif

#ifdef PLACES
// PLACES: :[[@LINE+1]]:{{[0-9]+}}: error: kernel must have void return type
kernel int result(void) { return 1; }
// PLACES: :[[@LINE+1]]:{{[0-9]+}}: error: kernel cannot be called 'main'
kernel void main(void) {}
// PLACES: :[[@LINE+1]]:{{[0-9]+}}: error: '__private bool' cannot be used as the type of a kernel parameter
kernel void b(bool x) {}
// PLACES: :[[@LINE+1]]:{{[0-9]+}}: error: '__private size_t' {{.*}} cannot be used as the type of a kernel parameter
kernel void s(size_t x) {}
// PLACES: :[[@LINE+1]]:{{[0-9]+}}: error: '__private ptrdiff_t' {{.*}} cannot be used as the type of a kernel parameter
kernel void pd(ptrdiff_t x) {}
// PLACES: :[[@LINE+1]]:{{[0-9]+}}: error: '__private event_t' cannot be used as the type of a kernel parameter
kernel void e(event_t x) {}
struct hasSize { size_t x; };
// PLACES: :[[@LINE+1]]:{{[0-9]+}}: error: '__private struct hasSize' cannot be used as the type of a kernel parameter
kernel void hs(struct hasSize x) {}
// PLACES: :[[@LINE+1]]:{{[0-9]+}}: error: OpenCL C version 1.2 does not support the 'auto' storage class specifier
void automatic(void) { auto int x = 1; }
// PLACES: :[[@LINE+1]]:{{[0-9]+}}: error: OpenCL C version 1.2 does not support the 'register' storage class specifier
void registered(void) { register int x = 1; }
// PLACES: :[[@LINE+1]]:{{[0-9]+}}: error: pointers to functions are not allowed
int (*pointer)(int);
// PLACES: :[[@LINE+1]]:{{[0-9]+}}: error: variable length arrays are not supported in OpenCL
void variable(int n) { int a[n]; a[0] = 1; }
// PLACES: :[[@LINE+1]]:{{[0-9]+}}: error: invalid prototype, variadic arguments are not allowed in OpenCL
void many(int n, ...) {}
// PLACES: :[[@LINE+1]]:{{[0-9]+}}: error: use of undeclared identifier 'nowhere'
void implicit(void) { nowhere(1); }
// PLACES: :[[@LINE+1]]:{{[0-9]+}}: error: declaring function return value of type 'half' is not allowed
half product(global half *a) { return vload_half(0, a); }
// PLACES: :[[@LINE+1]]:{{[0-9]+}}: error: loading directly from pointer to type '__global half' requires cl_khr_fp16
kernel void reads(global half *p, global float *o) { o[0] = *p; }
#endif

#ifdef ELEMENTS
// ELEMENTS: 'struct.Flexible' has an array without elements, which OpenCL C does not support
struct Flexible { int n; int rest[][2]; };
kernel void reads(global struct Flexible *f, global int *o) { o[0] = f->rest[1][1]; }
#endif
