#pragma once

namespace kiln::protocol {

/// The front end's virtual folder of embedded headers, and its working folder. In line information, files that are not
/// on the disk are in it.
inline constexpr char EmbeddedFolder[] = "/kiln/embedded";

} // namespace kiln::protocol
