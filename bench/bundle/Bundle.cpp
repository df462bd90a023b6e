#include "bench/bundle/Bundle.h"
#include "bench/bundle/Json.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace bench {
namespace {

std::string bytesOf(const std::string &hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned char byte = 0;
    if (std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16).ptr != hex.data() + i + 2)
      throw std::runtime_error("'" + hex + "' is not hexadecimal");
    bytes += char(byte);
  }
  return bytes;
}

std::array<size_t, 3> sizesOf(const Json &value) {
  std::array<size_t, 3> sizes{};
  if (value.list().size() != sizes.size())
    throw std::runtime_error("a size must have three numbers");
  for (size_t d = 0; d < 3; ++d)
    sizes[d] = value.list()[d].number();
  return sizes;
}

Bundle::Argument argumentOf(const Json &value) {
  using Kind = Bundle::Argument::Kind;
  static constexpr std::pair<const char *, Kind> kinds[] = {
      {"buffer", Kind::Buffer},   {"pointer", Kind::Pointer}, {"image", Kind::Image},
      {"sampler", Kind::Sampler}, {"local", Kind::Local},     {"value", Kind::Value},
      {"null", Kind::Null},       {"pipe", Kind::Pipe},       {"queue", Kind::Queue}};
  const std::string &name = value["kind"].string();
  auto kind = std::ranges::find(kinds, name, &std::pair<const char *, Kind>::first);
  if (kind == std::end(kinds))
    throw std::runtime_error("an argument is a " + name + ", which no bundle has");
  Bundle::Argument argument{kind->second};
  switch (argument.kind) {
  case Kind::Buffer:
    argument.address = value["root"].number();
    argument.rootSize = value["rootSize"].number();
    argument.offset = value["offset"].number();
    argument.size = value["size"].number();
    break;
  case Kind::Pointer:
    argument.address = value["address"].number();
    break;
  case Kind::Image:
    argument.address = value["address"].number();
    argument.size = value["size"].number();
    argument.type = uint32_t(value["type"].number());
    argument.order = uint32_t(value["order"].number());
    argument.channel = uint32_t(value["channel"].number());
    argument.width = value["width"].number();
    argument.height = value["height"].number();
    argument.depth = value["depth"].number();
    argument.arraySize = value["arraySize"].number();
    argument.rowPitch = value["rowPitch"].number();
    argument.slicePitch = value["slicePitch"].number();
    break;
  case Kind::Sampler:
    argument.normalized = value["normalized"].boolean();
    argument.linear = value["linear"].boolean();
    argument.addressing = uint32_t(value["addressing"].number());
    break;
  case Kind::Local:
    argument.size = value["size"].number();
    break;
  case Kind::Value:
    argument.value = bytesOf(value["bytes"].string());
    break;
  default:
    break;
  }
  return argument;
}

Bundle::Range rangeOf(const std::filesystem::path &folder, const Json &value) {
  Bundle::Range range{value["address"].number(), value["size"].number(), value["written"].boolean(), {}, {}};
  for (const char *name : {"file", "after"}) {
    if (!value.has(name) && name != std::string("file"))
      continue;
    // A name, not a path: a bundle reads no file outside of its folder.
    const std::filesystem::path file = std::filesystem::path(value[name].string()).filename();
    std::string &bytes = name == std::string("file") ? range.before : range.after;
    std::error_code failed;
    if (const uint64_t size = std::filesystem::file_size(folder / file, failed); !failed && size != range.size)
      throw std::runtime_error(file.string() + " has " + std::to_string(size) + " bytes, must have " +
                               std::to_string(range.size));
    bytes = Bundle::contentOf(folder / file);
    if (bytes.size() != range.size)
      throw std::runtime_error(file.string() + " changes while it is read");
  }
  return range;
}

} // namespace

std::string Bundle::contentOf(const std::filesystem::path &path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  struct stat about{};
  bool whole = file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode);
  std::string content(whole ? size_t(about.st_size) : 0, '\0');
  for (size_t done = 0; whole && done < content.size();) {
    const ssize_t count = ::read(file, content.data() + done, content.size() - done);
    whole = count > 0 || (count < 0 && errno == EINTR);
    done += size_t(std::max<ssize_t>(count, 0));
  }
  if (file >= 0)
    close(file);
  if (!whole)
    throw std::runtime_error(path.string() + " cannot be read, or is not a regular file");
  return content;
}

Bundle Bundle::read(const std::filesystem::path &folder) {
  const Json all = Json::parse(contentOf(folder / "bundle.json"), folder / "bundle.json");
  if (all["version"].number() != 2)
    throw std::runtime_error("the bundle has version " + std::to_string(all["version"].number()) + ", must be 2");
  Bundle made;
  for (auto [member, name] : {std::pair{&made.writer, "writer"},
                              {&made.kernel, "kernel"},
                              {&made.variant, all.has("variant") ? "variant" : "form"},
                              {&made.options, "options"},
                              {&made.codeOptions, all.has("codeOptions") ? "codeOptions" : "mathOptions"},
                              {&made.spirvDigest, "spirv"},
                              {&made.codeDigest, "code"},
                              {&made.build, "build"},
                              {&made.device, "device"},
                              {&made.pipeline, "pipeline"},
                              {&made.target, "target"},
                              {&made.plugins, "plugins"},
                              {&made.unknown, "unknown"},
                              {&made.freedom, "freedom"},
                              {&made.variables, "variables"}})
    *member = all[name].string();
  made.number = all["number"].number();
  made.machineWidth = all[all.has("machineWidth") ? "machineWidth" : "width"].number();
  made.workDim = uint32_t(all["workDim"].number());
  if (made.workDim < 1 || made.workDim > 3)
    throw std::runtime_error("workDim is " + std::to_string(made.workDim) + ", must be 1, 2 or 3");
  made.globalOffset = sizesOf(all["globalOffset"]);
  made.globalSize = sizesOf(all["globalSize"]);
  made.localSize = sizesOf(all["localSize"]);
  made.followsPointers = all["followsPointers"].boolean();
  made.spirv = contentOf(folder / "program.spv");
  if (all["source"].boolean())
    made.source = contentOf(folder / "program.cl");
  for (const Json &constant : all["specConstants"].list())
    made.specConstants.push_back({uint32_t(constant["id"].number()), bytesOf(constant["value"].string())});
  for (const Json &argument : all["arguments"].list())
    made.arguments.push_back(argumentOf(argument));
  for (const Json &range : all["memory"].list())
    made.memory.push_back(rangeOf(folder, range));
  std::ranges::sort(made.memory, {}, &Range::address);
  for (size_t i = 0; i < made.memory.size(); ++i)
    if (made.memory[i].address + made.memory[i].size < made.memory[i].address ||
        (i && made.memory[i - 1].address + made.memory[i - 1].size > made.memory[i].address))
      throw std::runtime_error("memory ranges of the bundle overlap");
  return made;
}

const Bundle::Range *Bundle::find(uint64_t address, uint64_t size) const {
  for (const Range &range : memory)
    if (address >= range.address && address - range.address < range.size &&
        size <= range.size - (address - range.address))
      return &range;
  return nullptr;
}

} // namespace bench
