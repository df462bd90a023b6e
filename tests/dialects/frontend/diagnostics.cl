// The log has file, line, column and caret, for warnings too, and says nothing when there is nothing to say.

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

// Standard input has a name as well.
// RUN: not kiln-clc -DWRONG - -o %t.spv < %s 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: {{^}}<stdin>:{{.*}}: error: use of undeclared

// A program that is no program fails, and leaves no file behind.
// RUN: rm -f %t.none && not kiln-clc -DWRONG %s -o %t.none && not test -e %t.none
