// Keeps the input of a compiler that crashed or exceeded a limit, so that `kiln-replay FOLDER` repeats the crash.
//
//   crash-4711-0/bundle.json   the compiler, the build of Kiln, the reason
//                request.bin   the request, for `kilnc --request=` and `kiln-clc --request=`
//                program.cl    or module-<n>.spv or .s: the same program, for people
#pragma once
#include "base/protocol/Protocol.h"

namespace kiln {

/// Writes a folder below KILN_CAPTURE_DIR, or below the folder for temporary files, in a folder of this user. Returns a
/// line for the build log that names it; empty if it cannot be written or the folder has MaxFailedRequests already.
std::string keepFailedRequest(const protocol::CompileRequest &request, std::string_view why);
std::string keepFailedRequest(protocol::BuildRequest request, std::string_view why);

/// A program that crashes the compiler in each run must not fill the disk.
inline constexpr unsigned MaxFailedRequests = 8;

} // namespace kiln
