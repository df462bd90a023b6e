// What a command does on a stream.
#pragma once
#include "runtime/queue/Command.h"

namespace kiln {

/// Asks the stream, which is one of the device's, for what the command is.
Status issueCommand(Command &command, Stream &stream, const DeviceObject &device);

} // namespace kiln
