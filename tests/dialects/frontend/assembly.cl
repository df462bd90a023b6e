// An asm statement becomes a call of an imported function that has the statement as its name. Constraints of all
// processors are accepted, and braces are not alternatives.
// RUN: kiln-clc -cl-std=CL3.0 -DSTATEMENTS %s -o %t.spv && spirv-val --target-env opencl2.2 %t.spv
// RUN: spirv-dis %t.spv | FileCheck %s

// CHECK-DAG: LinkageAttributes "kiln.asm||=r,r,i|lop3.b32 $0, $1, $2, 0, 150;" Import
// CHECK-DAG: LinkageAttributes "kiln.asm|volatile|=f,l,f,~{memory}|atom.global.add.f32 $0, [$1], $2;" Import
// CHECK-DAG: LinkageAttributes "kiln.asm||=r,=r,r|{ .reg .u32 t; mov.u32 t, $2; mov.u32 $0, t; mov.u32 $1, t; }" Import
// CHECK-DAG: LinkageAttributes "kiln.asm|volatile||s_nop 0" Import
// The same text with operands of other types:
// CHECK-DAG: LinkageAttributes "kiln.asm||=v,0|;" Import
// CHECK-DAG: LinkageAttributes "kiln.asm||=v,0|; " Import
// CHECK: OpFunctionCall %float %kiln_asm_volatile__f
#ifdef STATEMENTS
kernel void k(global uint *o, volatile global float *f) {
  uint i = get_global_id(0), r, s;
  asm("lop3.b32 %0, %1, %2, 0, 150;" : "=r"(r) : "r"(i), "i"(5));
  o[i] = r;
  float old;
  __asm__ volatile("atom.global.add.f32 %0, [%1], %2;" : "=f"(old) : "l"(f), "f"(1.0f) : "memory");
  o[i] += old;
  asm("{ .reg .u32 t; mov.u32 t, %2; mov.u32 %0, t; mov.u32 %1, t; }" : "=r"(r), "=r"(s) : "r"(i));
  o[i] += r + s;
  __asm__ __volatile__("s_nop 0");
  asm(";" : "+v"(i));
  asm(";" : "+v"(old));
  o[0] = i + old;
}
#endif

// A device without assembly does not have the keyword `asm` either.
// RUN: kiln-clc --extensions= -DNAMED %s -o %t.spv
#ifdef NAMED
kernel void k(global uint *o) {
  uint asm = 5;
  o[0] = asm;
}
#endif
// RUN: not kiln-clc --extensions= -DREFUSED %s -o %t.spv 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: asm statement in 'k': the device does not support assembly
#ifdef REFUSED
kernel void k(global uint *o) { __asm__("nop"); }
#endif
// RUN: not kiln-clc -DLABELS %s -o %t.spv 2>&1 | FileCheck %s --check-prefix=LABELS
// LABELS: error:
#ifdef LABELS
kernel void k(global uint *o) {
  asm goto("bra %l0;" : : : : end);
  o[0] = 1;
end:
  o[1] = 1;
}
#endif
// RUN: not kiln-clc -DFILE_SCOPE %s -o %t.spv 2>&1 | FileCheck %s --check-prefix=SCOPE
// SCOPE: asm at file scope
#ifdef FILE_SCOPE
__asm__(".global x");
kernel void k(global uint *o) { o[0] = 1; }
#endif
// RUN: not kiln-clc -DLONG %s -o %t.spv 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: asm statement in 'k' has more than 65536 characters
#ifdef LONG
#define TIMES16(text) text text text text text text text text text text text text text text text text
kernel void k(global uint *o) { __asm__(TIMES16(TIMES16(TIMES16(TIMES16(";")))) ";"); }
#endif
