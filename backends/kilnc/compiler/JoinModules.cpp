#include "backends/kilnc/compiler/JoinModules.h"
#include <cstring>
#include <spirv-tools/linker.hpp>

namespace kiln {

wire::Bytes joinModules(const std::vector<wire::Bytes> &modules, bool library, std::string &log) {
  std::vector<std::vector<uint32_t>> words;
  for (const wire::Bytes &module : modules) {
    words.emplace_back(module.size() / 4);
    std::memcpy(words.back().data(), module.data(), words.back().size() * 4);
  }
  spvtools::Context context(SPV_ENV_UNIVERSAL_1_6);
  context.SetMessageConsumer([&](spv_message_level_t, const char *, const spv_position_t &, const char *message) {
    log += std::string("error: ") + message + "\n";
  });
  spvtools::LinkerOptions options;
  options.SetCreateLibrary(library);
  options.SetAllowPartialLinkage(library);
  std::vector<uint32_t> linked;
  if (spvtools::Link(context, words, &linked, options) != SPV_SUCCESS) {
    if (log.empty())
      log = "error: the modules could not be linked\n";
    return {};
  }
  wire::Bytes bytes(linked.size() * 4);
  std::memcpy(bytes.data(), linked.data(), bytes.size());
  return bytes;
}

} // namespace kiln
