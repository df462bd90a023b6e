// Lifts the instructions of a body other than terminators, labels and phis. Each category is a file that adds its rows
// to one table.
#pragma once
#include "dialects/import/HandlerTable.h"

namespace kiln::import {

/// Lifts an instruction. An opcode without a row is an error.
mlir::LogicalResult importInstruction(Body &body, const Instruction &ins);

/// Lifts the operation of an OpSpecConstantOp: instructions without effects on pointers, numbers and composites.
mlir::LogicalResult importExpression(Body &body, const Instruction &ins);

using InstructionTable = HandlerTable<spv::Op>;
void addArithmetic(InstructionTable &table);
void addBits(InstructionTable &table);
void addCalls(InstructionTable &table);
void addComposites(InstructionTable &table);
void addConversions(InstructionTable &table);
void addCopyMemory(InstructionTable &table);
void addEnqueue(InstructionTable &table);
void addExtended(InstructionTable &table);
void addGroups(InstructionTable &table);
void addImages(InstructionTable &table);
void addMatrices(InstructionTable &table);
void addMemory(InstructionTable &table);
void addPipes(InstructionTable &table);
void addPointers(InstructionTable &table);
void addRelations(InstructionTable &table);
void addSync(InstructionTable &table);

} // namespace kiln::import
