// The log has file, line, column and caret, also for warnings, and is empty without diagnostics.

// RUN: kiln-clc %s -o %t.spv 2>&1 | FileCheck %s --check-prefix=WARN
// WARN: diagnostics.cl:[[@LINE+2]]:{{[0-9]+}}: warning: incompatible pointer to integer
// WARN: {{^ *\^}}
kernel void warned(global int *p) { int address = p; p[0] = address; }

// RUN: not kiln-clc -DWRONG %s -o %t.spv 2>&1 | FileCheck %s --check-prefix=ERROR
#ifdef WRONG
// ERROR: diagnostics.cl:[[@LINE+3]]:44: error: use of undeclared identifier 'nothing'
// ERROR-NEXT: {{^}} kernel void wrong(global int *p) { p[0] = nothing; }
// ERROR-NEXT: {{^ *\^}}
 kernel void wrong(global int *p) { p[0] = nothing; }
#endif

// RUN: kiln-clc -w %s -o %t.spv 2>&1 | count 0
// RUN: not kiln-clc -Werror %s -o %t.spv 2>&1 | FileCheck %s --check-prefix=STRICT
// STRICT: error: incompatible pointer to integer

// The name of standard input.
// RUN: not kiln-clc -DWRONG - -o %t.spv < %s 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: {{^}}<stdin>:{{.*}}: error: use of undeclared

// An invalid program fails and writes no file.
// RUN: rm -f %t.none && not kiln-clc -DWRONG %s -o %t.none && not test -e %t.none

// A name that is nearly a built-in function's, and one that is near none.
// RUN: not kiln-clc -DNAME=get_globl_id %s -o %t.spv 2>&1 | FileCheck %s --check-prefix=NEAR
// NEAR: error: use of undeclared identifier 'get_globl_id'
// NEAR: note: did you mean 'get_global_id'?
// RUN: not kiln-clc -DNAME=entirely_different %s -o %t.spv 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: error: use of undeclared identifier 'entirely_different'
// FAR-NOT: did you mean
#ifdef NAME
kernel void unknown(global size_t *x) { x[0] = NAME(0); }
#endif
