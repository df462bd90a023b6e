// The tables of instructions. Each is in the file of its name.
#pragma once
#include "emulator/instructions/Tables.h"

namespace kiln::emulator {

extern const Table scalarArithmetic, scalarFloat, scalarHalf, scalarControl, scalarMemory;
extern const Table vectorInteger, vectorHalfInteger, vectorBits, vectorFloat, vectorHalf, vectorDouble;
extern const Table vectorDivision, vectorTranscendental, vectorConversion, vectorCompare, vectorMove, vectorPacked,
    vectorDot;
extern const Table vectorMemory, localMemory, localAtomics, globalAtomics;

} // namespace kiln::emulator
