// What KILN_CHECK selects.
#pragma once

namespace kiln {

struct Checks {
  bool memory = false;   // each access is in its object
  bool barriers = false; // all work-items of a group reach a barrier, or none
  bool any() const { return memory || barriers; }
};

/// The words of KILN_CHECK. The first call logs a warning about each word that names no check.
const Checks &checks();

} // namespace kiln
