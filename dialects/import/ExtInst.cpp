// OpenCL.std: checks set, number and operand count, and finds the handler.
#include "dialects/import/Instructions.h"
#include "dialects/import/Std.h"

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

LogicalResult extended(Body &body, const Instruction &ins) {
  if (body.module.isDebugSet(ins.args[0]))
    return body.debug.import(ins), success();
  if (!body.module.isStandardSet(ins.args[0]))
    return body.error(ins) << "uses an extended instruction set that is not supported";
  const StdRow *row = stdRow(ins.args[1]);
  if (!row)
    return body.error(ins) << "has number " << ins.args[1] << ", which OpenCL.std does not have";
  const spv::Std fn = stdFunction(ins);
  if (fn != spv::Std::printf && ins.args.size() - 2 != row->operands)
    return body.error(ins) << "has " << ins.args.size() - 2 << " operands, OpenCL.std's '" << row->name << "' has "
                           << row->operands;
  static const StdTable table{addStdMath, addStdCommon, addStdInteger, addStdVector, addStdPrintf};
  if (Handler handler = table.find(fn))
    return handler(body, ins);
  return body.error(ins) << "uses OpenCL.std's '" << row->name << "', which is not supported";
}
} // namespace

void addExtended(InstructionTable &table) { table.add(spv::Op::ExtInst, extended); }

} // namespace kiln::import
