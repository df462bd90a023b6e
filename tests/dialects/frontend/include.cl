// Headers are searched in the folders of -I and, by the command, in the source's folder.

// RUN: kiln-clc -I %S/Inputs %s -o %t.spv
// RUN: cd %S && kiln-clc -I Inputs %s -o %t.spv
// RUN: mkdir -p "%t dir" && cp -r %S/Inputs/* "%t dir" && kiln-clc "-I%t dir" %s -o %t.spv
// RUN: cp %s "%t dir/copy.cl" && kiln-clc "%t dir/copy.cl" -o %t.spv
// RUN: not kiln-clc %s 2>&1 | FileCheck %s
// CHECK: include.cl:[[@LINE+1]]:10: {{.*}}error: 'beside.h' file not found
#include "beside.h"
#include "dir/nested.h"
kernel void k(global int *p) { p[0] = BESIDE + NESTED; }

// No C headers, and no system folders.
// RUN: not kiln-clc -I %S/Inputs -DSYSTEM %s 2>&1 | FileCheck %s --check-prefix=SYSTEM
// SYSTEM: error: 'stdio.h' file not found
#ifdef SYSTEM
#include <stdio.h>
#endif

// A device is rejected as a header, and the compiler does not hang.
// RUN: not kiln-clc -I %S/Inputs -DDEVICE %s 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: include.cl:[[@LINE+2]]:{{.*}}error:
#ifdef DEVICE
#include "/dev/zero"
#endif
