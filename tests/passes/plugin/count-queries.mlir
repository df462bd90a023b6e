// RUN: kiln-opt %s --load-pass-plugin=%kiln_lib/libCountQueries.so --pass-pipeline="builtin.module(count-queries)" 2>&1 | FileCheck %s
// RUN: kilnc %s --load-pass-plugin=%kiln_lib/libCountQueries.so -o %t.so \
// RUN:   --pipeline="builtin.module(count-queries,kiln-common,kiln-group,kiln-cpu)" 2>&1 | FileCheck %s

// CHECK: remark: twice has 2 queries
func.func @twice(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %g = ocl.query global_id[%zero] : i64
  %l = ocl.query local_id[%zero] : i64
  %e = llvm.getelementptr %p[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
  llvm.store %l, %e : i64, !llvm.ptr<1>
  return
}

// The explorer's page names the plug-in's pass as the author of its remark.
// RUN: kilnc %s --load-pass-plugin=%kiln_lib/libCountQueries.so --target=cpu --explore=%t.html \
// RUN:   --pipeline="builtin.module(count-queries,kiln-common,kiln-group,kiln-cpu)"
// RUN: grep -q '"author":"count-queries","kind":"remark"' %t.html
