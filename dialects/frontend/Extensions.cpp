#include "dialects/frontend/Extensions.h"
#include "base/protocol/ExtensionWords.h"
#include <algorithm>
#include <utility>

namespace kiln::frontend {
namespace {

struct Row {
  std::string_view name;
  unsigned since;
};
constexpr Row Rows[] = {
#define KILN_EXTENSION(name, version, since, needs) {name, since},
#define KILN_FEATURE(name, since, needs) {name, since},
#include "base/abi/Extensions.def"
};

constexpr std::pair<std::string_view, std::string_view> Equivalents[] = {
    {"cl_khr_fp64", "__opencl_c_fp64"}, {"cl_khr_3d_image_writes", "__opencl_c_3d_image_writes"}};

bool contains(const std::vector<std::string> &list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

} // namespace

std::vector<std::string> allExtensions() {
  std::vector<std::string> names = {
      protocol::ImageSupport,
      protocol::InlineAssembly,
#define OPENCL_GENERIC_EXTENSION(extension, ...) #extension,
#include "clang/Basic/OpenCLExtensions.def"
  };
  for (const Row &row : Rows)
    if (!contains(names, row.name))
      names.emplace_back(row.name);
  return names;
}

std::vector<std::string> completed(std::vector<std::string> extensions) {
  for (auto [extension, feature] : Equivalents)
    if (contains(extensions, extension) != contains(extensions, feature))
      extensions.emplace_back(contains(extensions, extension) ? feature : extension);
  return extensions;
}

unsigned macroSince(std::string_view name) {
  const Row *row = std::ranges::find(Rows, name, &Row::name);
  return row == std::end(Rows) ? 100 : row->since;
}

} // namespace kiln::frontend
