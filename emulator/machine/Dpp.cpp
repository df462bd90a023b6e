#include "emulator/machine/Dpp.h"

namespace kiln::emulator {
namespace {

constexpr int Row = 16;

/// The lane that `lane` reads; -1 if it is outside of the row or the wave.
int sourceLane(const Instruction &instruction, int lane, int lanes) {
  const int row = lane / Row * Row, inRow = lane % Row, amount = instruction.dppLanes[0];
  auto within = [](int from, int begin, int end) { return from >= begin && from < end ? from : -1; };
  switch (instruction.dpp) {
  case DppKind::None:
    return lane;
  case DppKind::QuadPermute:
    return lane / 4 * 4 + instruction.dppLanes[lane % 4];
  case DppKind::Dpp8:
    return lane / 8 * 8 + instruction.dppLanes[lane % 8];
  case DppKind::RowShiftLeft:
    return within(lane + amount, row, row + Row);
  case DppKind::RowShiftRight:
    return within(lane - amount, row, row + Row);
  case DppKind::RowRotate:
    return row + (inRow - amount + Row) % Row;
  case DppKind::WaveShiftLeft:
    return within(lane + 1, 0, lanes);
  case DppKind::WaveRotateLeft:
    return (lane + 1) % lanes;
  case DppKind::WaveShiftRight:
    return within(lane - 1, 0, lanes);
  case DppKind::WaveRotateRight:
    return (lane + lanes - 1) % lanes;
  case DppKind::RowMirror:
    return row + Row - 1 - inRow;
  case DppKind::RowHalfMirror:
    return lane / 8 * 8 + 7 - lane % 8;
  case DppKind::RowBroadcast15:
    return row - 1; // the last lane of the row before; none for the first row
  case DppKind::RowBroadcast31:
    return lane < 32 ? -1 : 31;
  case DppKind::RowNewBroadcast:
    return row + amount;
  case DppKind::RowXorMask:
    return row + (inRow ^ amount);
  }
  return -1;
}

} // namespace

DppLanes dppLanes(const Wave &wave, const Instruction &instruction) {
  DppLanes result;
  const u64 exec = wave.exec();
  for (int lane = 0; lane < int(wave.lanes); ++lane) {
    int from = sourceLane(instruction, lane, int(wave.lanes));
    if (from >= 0 && !(exec >> from & 1) && !instruction.fetchInactive)
      from = -1;
    const bool masked = !(instruction.rowMask >> lane / Row & 1) || !(instruction.bankMask >> lane % Row / 4 & 1);
    if ((exec >> lane & 1) && !masked && (from >= 0 || instruction.boundControl))
      result.written |= 1ull << lane;
    result.from[unsigned(lane)] = i8(from);
  }
  return result;
}

} // namespace kiln::emulator
