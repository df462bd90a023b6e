// kiln-lift-library: lifts the SPIR-V modules of dialects/library to the `ocl` module that kilnc contains. Runs when
// Kiln is built.
//
//   kiln-lift-library OUTPUT a.spv b.spv ...
//
// The modules are lifted, linked and simplified once here. Otherwise each build of a program would simplify the code of
// each inlined operation.
#include "dialects/import/Import.h"
#include "dialects/import/Link.h"
#include "dialects/ocl/CallIntrinsic.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "passes/Pipelines.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

// The library that this program creates is empty in the program itself.
extern "C" const char kiln_library_begin[1] = {}, kiln_library_end[1] = {};

namespace {

int error(const llvm::Twine &text) {
  llvm::errs() << "kiln-lift-library: " << text << "\n";
  return 1;
}

// Replaces calls of functions that the library only declares by LLVM's intrinsics for texture fetches:
//
//   %v = func.call @nvvm_tex_2d_float(%t, %x, %y)
//   ==>
//   %s = llvm.call_intrinsic "llvm.nvvm.tex.unified.2d.v4f32.s32"(%t, %x, %y) : (i64, i32, i32) -> !llvm.struct<(...)>
//   %v = the four members of %s as a vector
void formIntrinsics(ModuleOp module) {
  for (auto [name, intrinsic] : {std::pair("nvvm_tex_2d_float", "llvm.nvvm.tex.unified.2d.v4f32.s32"),
                                 std::pair("nvvm_tex_2d_int", "llvm.nvvm.tex.unified.2d.v4s32.s32"),
                                 std::pair("nvvm_tex_2d_filtered", "llvm.nvvm.tex.unified.2d.v4f32.f32"),
                                 std::pair("nvvm_tex_2d_gathered", "llvm.nvvm.tld4.unified.r.2d.v4f32.f32")}) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function)
      continue;
    SmallVector<func::CallOp> calls;
    module.walk([&](func::CallOp call) {
      if (call.getCallee() == function.getSymName())
        calls.push_back(call);
    });
    for (func::CallOp call : calls) {
      OpBuilder b(call);
      Location loc = call.getLoc();
      auto vector = cast<VectorType>(call.getResult(0).getType());
      SmallVector<Type> members(size_t(vector.getNumElements()), vector.getElementType());
      Type channelsType = LLVM::LLVMStructType::getLiteral(b.getContext(), members);
      Value channels = kiln::callIntrinsic(b, loc, intrinsic, channelsType, call.getOperands());
      Value pixel = arith::ConstantOp::create(b, loc, b.getZeroAttr(vector));
      for (int64_t i = 0; i < vector.getNumElements(); ++i)
        pixel = vector::InsertOp::create(b, loc, LLVM::ExtractValueOp::create(b, loc, channels, i), pixel,
                                         ArrayRef<int64_t>{i});
      call.getResult(0).replaceAllUsesWith(pixel);
      call->erase();
    }
    function->erase();
  }
}

LogicalResult simplify(ModuleOp module) {
  Builder b(module.getContext());
  for (auto function : module.getOps<func::FuncOp>()) {
    // Exported functions are marked as kernels, so that passes keep them.
    if (function->removeAttr(kiln::import::ExportAttr) && !function->removeAttr(kiln::import::LinkOnceAttr))
      function->setAttr(kiln::ocl::KernelAttr, b.getUnitAttr());
    if (function->removeAttr(kiln::ocl::DontInlineAttr)) {
      function->setAttr(kiln::ocl::InlineIfConstantAttr, b.getUnitAttr());
      function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
    }
  }
  PassManager passes(module.getContext());
  kiln::addLibraryPasses(passes);
  if (failed(passes.run(module)))
    return failure();
  for (auto function : module.getOps<func::FuncOp>())
    function->removeAttr(kiln::ocl::KernelAttr);
  return success();
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3)
    return error("usage: kiln-lift-library OUTPUT MODULES");
  DialectRegistry registry;
  kiln::registerInterfaces(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  kiln::import::loadDialects(context);
  llvm::SmallVector<OwningOpRef<ModuleOp>> parts;
  for (const char *path : llvm::ArrayRef(argv, argc).drop_front(2)) {
    auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!file)
      return error(llvm::Twine(path) + ": " + file.getError().message());
    ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t *>((*file)->getBufferStart()), (*file)->getBufferSize());
    parts.push_back(kiln::import::importSpirv(bytes, context));
    if (!parts.back())
      return error(llvm::Twine(path) + " cannot be lifted");
    formIntrinsics(*parts.back());
  }
  OwningOpRef<ModuleOp> library = kiln::import::linkModules(parts);
  if (!library || failed(simplify(*library)))
    return error("the modules cannot be linked or simplified");
  std::error_code code;
  llvm::ToolOutputFile output(argv[1], code, llvm::sys::fs::OF_None);
  // The reader adds the default flags again. LLVM 21's writer confuses #llvm.fastmath<none> with #arith.fastmath<none>.
  library->walk([](LLVM::CallIntrinsicOp call) {
    if (call.getFastmathFlags() == LLVM::FastmathFlags::none)
      call.getProperties().fastmathFlags = nullptr;
  });
  if (code || failed(writeBytecodeToFile(*library, output.os())))
    return error(llvm::Twine(argv[1]) + " cannot be written");
  output.keep();
  return 0;
}
