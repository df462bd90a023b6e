// Held by one command at a time on devices with host addresses while the cross-check or KILN_CAPTURE is on: no other
// command changes memory while a launch's memory is copied.
#pragma once

namespace kiln::capture {

/// Under the turn only locks of compilers, logs, findings and captures are taken.
class Turn {
public:
  Turn();
  ~Turn();
  Turn(const Turn &) = delete;
};

} // namespace kiln::capture
