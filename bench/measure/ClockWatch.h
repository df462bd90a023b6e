// Says whether a device's clock was lowered while a sample was taken.
#pragma once

namespace bench {

class ClockWatch {
public:
  virtual ~ClockWatch() = default;
  /// Called before a sample.
  virtual void begin() = 0;
  /// Called after the sample. Returns true if the clock was lowered meanwhile.
  virtual bool throttled() = 0;
};

} // namespace bench
