// A build-time program: reduces libclc's bitcode to the functions of `ocl.math` and renames them. 5 MB become a few
// hundred KB, which the compiler embeds and loads lazily.
//
//   kiln-trim-clc nvptx64--.bc out.bc
#include "backends/llvm/StripTarget.h"
#include "passes/gpu/GpuMathNames.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/StripDeadPrototypes.h"

using namespace kiln;

namespace {
// Returns the Itanium mangled name of an OpenCL C built-in on scalars.
std::string clcName(ocl::MathFn fn, bool isDouble) {
  llvm::StringRef name = ocl::stringifyMathFn(fn);
  std::string number = isDouble ? "d" : "f", operands = number;
  if (gpu::mathOperands(fn) == gpu::MathOperands::Two)
    operands += isDouble ? "d" : "f";
  else if (gpu::mathOperands(fn) == gpu::MathOperands::NumberAndInt)
    operands += "i";
  return "_Z" + std::to_string(name.size()) + name.str() + operands;
}
} // namespace

int main(int argc, char **argv) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = argc == 3 ? llvm::parseIRFile(argv[1], diagnostic, context) : nullptr;
  if (!module) {
    llvm::errs() << "kiln-trim-clc: " << (argc == 3 ? diagnostic.getMessage() : "usage: kiln-trim-clc INPUT OUTPUT")
                 << "\n";
    return 1;
  }
  llvm::DenseSet<llvm::GlobalValue *> kept;
  for (uint32_t number = 0; number <= ocl::getMaxEnumValForMathFn(); ++number)
    for (bool isDouble : {false, true}) {
      auto fn = ocl::symbolizeMathFn(number);
      if (!fn || *fn == ocl::MathFn::sqrt || *fn == ocl::MathFn::rsqrt) // instructions everywhere
        continue;
      llvm::Function *function = module->getFunction(clcName(*fn, isDouble));
      if (!function || function->isDeclaration()) {
        llvm::errs() << "kiln-trim-clc: " << argv[1] << " has no " << clcName(*fn, isDouble) << "\n";
        return 1;
      }
      function->setName(gpu::mathSymbol(*fn, isDouble));
      kept.insert(function);
    }
  for (llvm::GlobalValue &value : module->global_values())
    if (!value.isDeclaration() && !kept.contains(&value)) {
      value.setVisibility(llvm::GlobalValue::DefaultVisibility);
      value.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::StripDeadPrototypesPass());
  passes.run(*module, modules);
  stripTarget(*module);
  std::error_code error;
  llvm::raw_fd_ostream stream(argv[2], error);
  if (error) {
    llvm::errs() << "kiln-trim-clc: " << argv[2] << ": " << error.message() << "\n";
    return 1;
  }
  llvm::WriteBitcodeToFile(*module, stream);
  return 0;
}
