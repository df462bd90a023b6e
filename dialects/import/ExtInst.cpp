// OpenCL.std: checks set, number and operand count, and dispatches to the categories.
#include "dialects/import/BodyImporter.h"

using namespace mlir;

namespace kiln::import {
namespace {
struct StdRow {
  const char *name;
  size_t operands;
};

const StdRow *stdRow(uint32_t number) {
  switch (number) {
#define KILN_OPENCL_STD(name, number, operands)                                                                        \
  case number: {                                                                                                       \
    static constexpr StdRow row{#name, operands};                                                                      \
    return &row;                                                                                                       \
  }
    KILN_OPENCL_STDS
#undef KILN_OPENCL_STD
  default:
    return nullptr;
  }
}
} // namespace

ImportResult BodyImporter::importExtended(const Instruction &ins) {
  if (ins.op != spv::Op::ExtInst)
    return ImportResult::NotHandled;
  if (module.isDebugSet(ins.args[0]))
    return importDebug(ins), ImportResult::Success;
  if (!module.isStandardSet(ins.args[0]))
    return error(ins) << "uses an extended instruction set that is not supported", ImportResult::Failure;
  const StdRow *row = stdRow(ins.args[1]);
  if (!row)
    return error(ins) << "has number " << ins.args[1] << ", which OpenCL.std does not have", ImportResult::Failure;
  auto fn = static_cast<spv::Std>(ins.args[1]);
  if (fn != spv::Std::printf && ins.args.size() - 2 != row->operands)
    return error(ins) << "has " << ins.args.size() - 2 << " operands, OpenCL.std's '" << row->name << "' has "
                      << row->operands,
           ImportResult::Failure;
  using Handler = ImportResult (BodyImporter::*)(const Instruction &, spv::Std);
  for (Handler handler : {&BodyImporter::extMath, &BodyImporter::extCommon, &BodyImporter::extInteger,
                          &BodyImporter::extVector, &BodyImporter::extPrintf}) {
    ImportResult result = (this->*handler)(ins, fn);
    if (result != ImportResult::NotHandled)
      return result;
  }
  return error(ins) << "uses OpenCL.std's '" << row->name << "', which is not supported", ImportResult::Failure;
}

} // namespace kiln::import
