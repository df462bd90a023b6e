// Lines of modules that SPIRV-Tools links. Its linker gives the modules' ids new numbers, but not in OpLine, so lines
// would name other strings as their files, or none.
#pragma once
#include "base/spirv/Words.h"
#include <string>

namespace kiln {

class LinkedLines {
public:
  /// Keeps the file of each OpLine, by a number in the upper bits of its column.
  void take(std::vector<spirv::Words> &modules);
  /// Gives the lines of the linked module their files and columns.
  void putBack(spirv::Words &linked) const;

private:
  std::vector<std::string> files_;
};

} // namespace kiln
