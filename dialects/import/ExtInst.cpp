// OpenCL.std: checks what all its instructions have in common, and hands them to their categories.
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

Outcome BodyImporter::importExtended(const Instruction &ins) {
  if (ins.op != spv::Op::ExtInst)
    return Outcome::NotMine;
  if (module.isDebugSet(ins.args[0]))
    return importDebug(ins), Outcome::Done;
  if (!module.isStandardSet(ins.args[0]))
    return error(ins) << "is of a set of instructions that is not supported", Outcome::Failed;
  const StdRow *row = stdRow(ins.args[1]);
  if (!row)
    return error(ins) << "has number " << ins.args[1] << ", which OpenCL.std does not have", Outcome::Failed;
  auto fn = static_cast<spv::Std>(ins.args[1]);
  if (fn != spv::Std::printf && ins.args.size() - 2 != row->operands)
    return error(ins) << "has " << ins.args.size() - 2 << " operands, OpenCL.std's '" << row->name << "' takes "
                      << row->operands,
           Outcome::Failed;
  using Handler = Outcome (BodyImporter::*)(const Instruction &, spv::Std);
  for (Handler handler : {&BodyImporter::extMath, &BodyImporter::extCommon, &BodyImporter::extInteger,
                          &BodyImporter::extVector, &BodyImporter::extPrintf}) {
    Outcome result = (this->*handler)(ins, fn);
    if (result != Outcome::NotMine)
      return result;
  }
  return error(ins) << "of OpenCL.std's '" << row->name << "' is not supported", Outcome::Failed;
}

} // namespace kiln::import
