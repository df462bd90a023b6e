#include "backends/Registry.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include <iterator>

namespace kiln {

// A new backend needs a folder, a declaration here and a row below.
namespace cpu {
std::vector<std::unique_ptr<Device>> discover();
}
namespace cuda {
std::vector<std::unique_ptr<Device>> discover();
}
namespace hip {
std::vector<std::unique_ptr<Device>> discover();
}
namespace null {
std::vector<std::unique_ptr<Device>> discover();
}

namespace {
constexpr Backend Rows[] = {
    {"cpu", true, cpu::discover},
    {"cuda", true, cuda::discover},
    {"hip", true, hip::discover},
    {"null", false, null::discover},
};
} // namespace

std::span<const Backend> backends() { return Rows; }

std::vector<std::unique_ptr<Device>> discoverDevices() {
  std::vector<std::unique_ptr<Device>> devices;
  auto take = [&](const Backend &backend) {
    auto found = backend.discover();
    KILN_LOG(Info, Device, "backend ", backend.name, " has ", found.size(), " device(s)");
    std::move(found.begin(), found.end(), std::back_inserter(devices));
  };
  std::vector<std::string> words = splitList(options().devices, ',');
  for (const Backend &backend : Rows)
    if (words.empty() && backend.onByDefault)
      take(backend);
  for (const std::string &word : words) {
    const Backend *named = nullptr;
    for (const Backend &backend : Rows)
      if (backend.name == word)
        named = &backend;
    if (named) // another name is reported where the switches are read
      take(*named);
  }
  return devices;
}

} // namespace kiln
