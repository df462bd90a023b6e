// `assert` of programs that do not define it, and of those that include <assert.h>. A trap is a call of kiln.trap.

// RUN: kiln-clc %s -o - | spirv-dis | FileCheck %s
// RUN: kiln-clc %s -DINCLUDE -o - | spirv-dis | FileCheck %s
// RUN: kiln-clc %s -cl-std=CL3.0 -o - | spirv-dis | FileCheck %s
// RUN: kiln-clc %s -cl-std=CLC++2021 -o - | spirv-dis | FileCheck %s
// CHECK: OpDecorate %[[TRAP:.*]] LinkageAttributes "kiln.trap" Import
// CHECK: OpExtInst {{.*}} printf
// CHECK: OpFunctionCall %void %[[TRAP]]

// RUN: kiln-clc %s -DNDEBUG -o - | spirv-dis | FileCheck %s --check-prefix=NONE
// RUN: kiln-clc %s -DNDEBUG -DINCLUDE -o - | spirv-dis | FileCheck %s --check-prefix=NONE
// NONE-NOT: kiln.trap
// NONE-NOT: printf

// A program's own is not changed.
// RUN: kiln-clc %s "-Dassert(x)=((void)(x))" -Werror -o - | spirv-dis | FileCheck %s --check-prefix=NONE
// RUN: kiln-clc %s -DOWN -Werror -o - | spirv-dis | FileCheck %s --check-prefix=NONE

// Other errors of a program with assertions are those of its own source.
// RUN: not kiln-clc %s -DWRONG 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: assert.cl:[[@LINE+11]]:{{.*}}undeclared identifier 'missing'
#ifdef INCLUDE
#include <assert.h>
#endif
#ifdef OWN
void assert(bool holds) {}
#endif
kernel void k(global int *p) {
  const size_t i = get_global_id(0);
  assert(p[i] > 0);
#ifdef WRONG
  p[i] = missing;
#endif
  p[i]++;
}
