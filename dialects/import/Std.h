// The instructions of OpenCL.std. Each category is a file that adds its rows to one table.
#pragma once
#include "dialects/import/HandlerTable.h"
#include "dialects/import/Supported.h"

namespace kiln::import {

using StdTable = HandlerTable<spv::Std>;
void addStdCommon(StdTable &table);
void addStdInteger(StdTable &table);
void addStdMath(StdTable &table);
void addStdPrintf(StdTable &table);
void addStdVector(StdTable &table);

/// Returns the function that an OpExtInst of OpenCL.std names.
inline spv::Std stdFunction(const Instruction &ins) { return static_cast<spv::Std>(ins.args[1]); }

} // namespace kiln::import
