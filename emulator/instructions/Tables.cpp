#include "emulator/instructions/Tables.h"
#include "emulator/instructions/AllTables.h"
#include <unordered_map>

namespace kiln::emulator {

const Semantics *findSemantics(std::string_view mnemonic) {
  // Streams' threads use it until the exit gate closes. An exit handler of this table would run before the gate's,
  // because it would be registered later.
  static const auto &leaked = *[] {
    auto *found = new std::unordered_map<std::string_view, const Semantics *>;
    for (Table table :
         {scalarArithmetic,     scalarFloat,      scalarHalf,    scalarControl, scalarMemory, vectorInteger,
          vectorHalfInteger,    vectorBits,       vectorFloat,   vectorHalf,    vectorDouble, vectorDivision,
          vectorTranscendental, vectorConversion, vectorCompare, vectorMove,    vectorPacked, vectorDot,
          vectorMemory,         localMemory,      localAtomics,  globalAtomics})
      for (const Row &row : table)
        for (std::string_view names = row.names; !names.empty();) {
          const size_t end = std::min(names.find(' '), names.size());
          found->emplace(names.substr(0, end), &row.semantics);
          names.remove_prefix(std::min(end + 1, names.size()));
        }
    return found;
  }();
  auto found = leaked.find(mnemonic);
  return found == leaked.end() ? nullptr : found->second;
}

} // namespace kiln::emulator
