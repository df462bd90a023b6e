// What KILN_CHECK selects.
#pragma once

namespace kiln {

struct Checks {
  bool memory = false;   // each access is in its object
  bool barriers = false; // all work-items of a group reach a barrier, or none
  bool races = false;    // no two work-items access the same bytes without an order, if one of them writes
  bool init = false;     // memory is written before it is read
  bool any() const { return memory || barriers || tracks(); }
  bool tracks() const { return races || init; }
};

/// The words of KILN_CHECK. The first call logs a warning about each word that names no check.
const Checks &checks();

} // namespace kiln
