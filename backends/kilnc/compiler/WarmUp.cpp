#include "backends/kilnc/compiler/WarmUp.h"
#include "backends/kilnc/compiler/Compile.h"
#include "backends/kilnc/compiler/Context.h"
#include "backends/kilnc/compiler/Targets.h"

namespace kiln {

void prepare() {
  compilerContext();
  std::string ignored;
  createTarget("cpu", ignored);
}

void warmUpBuild() {
  CompileInput input;
  input.request.target = "cpu";
  input.oclText = R"(
    func.func @warm(%p: !llvm.ptr<1>, %scratch: !llvm.ptr<3>, %n: i32) attributes {ocl.kernel} {
      %zero = arith.constant 0 : i32
      %g = ocl.query global_id[%zero] : i64
      %l = ocl.query local_id[%zero] : i64
      %i = arith.trunci %g : i64 to i32
      %in = arith.cmpi slt, %i, %n : i32
      cf.cond_br %in, ^do, ^exit
    ^do:
      %a = llvm.getelementptr %p[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %s = llvm.getelementptr %scratch[%l] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
      %v = llvm.load %a : !llvm.ptr<1> -> f32
      llvm.store %v, %s : f32, !llvm.ptr<3>
      ocl.barrier work_group local
      %w = llvm.load %s : !llvm.ptr<3> -> f32
      %x = arith.mulf %w, %v : f32
      llvm.store %x, %a : f32, !llvm.ptr<1>
      cf.br ^exit
    ^exit:
      return
    })";
  (void)compile(input);
}

} // namespace kiln
