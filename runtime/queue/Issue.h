// Issues a command's work to a stream.
#pragma once
#include "runtime/queue/Command.h"

namespace kiln {

/// Calls the functions of the stream, which is one of the device's, that carry out the command.
Status issueCommand(Command &command, Issuer &issuer, const DeviceObject &device);

} // namespace kiln
