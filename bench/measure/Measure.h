// kiln-bench for kernels of the user and for bundles: Google Benchmarks on every device of every platform.
#pragma once
#include "bench/measure/Request.h"

namespace bench {

/// Measures in child processes, and prints. Returns the program's exit status: 0, or 1 if no device ran a variant, a
/// result is wrong or a platform ended its process. Throws with the reason if the request cannot be carried out.
int measureRequest(const Request &request, const char *program);

extern const char *const RequestUsage;

} // namespace bench
