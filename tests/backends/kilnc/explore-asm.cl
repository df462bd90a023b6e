// Asm statements may have repetitions and macros, whose instructions are in no line of the assembly: they have no cost, and
// the page is complete.
// RUN: kilnc --explore=%t.html --target=amdgpu:gfx942 %s
// RUN: grep -c "\.rept" %t.html
// RUN: %python -c "import sys; sys.path.insert(0, sys.argv[1]); import explored; v = explored.read(sys.argv[2])['variants'][0]; print(len(v['costs']) > 3, [v['lines'][line] for line, *_ in v['costs'] if v['lines'][line].strip() == 'twice'])" %S/Inputs %t.html | FileCheck %s
// CHECK: True []
kernel void repeated(global int *a) {
  __asm__ volatile(".rept 300\n s_nop 0\n .endr\n .macro twice\n s_nop 0\n s_nop 0\n .endm\n twice\n .purgem twice");
  a[get_global_id(0)] += 1;
}
