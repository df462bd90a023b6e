#include "api/Info.h"
#include "base/support/Profile.h"
#include <algorithm>

namespace kiln::api {

std::string versionText(std::string_view what, cl_version version) {
  // Programs search this text for "1.0" and similar, so the dots of Kiln's version become dashes.
  std::string own = KILN_VERSION;
  std::ranges::replace(own, '.', '-');
  const std::string number = text(CL_VERSION_MAJOR(version), '.', CL_VERSION_MINOR(version));
  return text(what, ' ', profiled(&Profile::version, number), " Kiln ", own);
}

std::string joinNames(const std::vector<NamedVersion> &list) {
  std::string joined;
  for (const NamedVersion &one : list)
    joined += (joined.empty() ? "" : " ") + one.name;
  return joined;
}

std::string ilText(const std::vector<NamedVersion> &list) {
  std::string joined;
  for (const NamedVersion &one : list)
    joined += text(joined.empty() ? "" : " ", one.name, '_', CL_VERSION_MAJOR(one.version), '.',
                   CL_VERSION_MINOR(one.version));
  return joined;
}

std::vector<cl_name_version> nameVersions(const std::vector<NamedVersion> &list) {
  std::vector<cl_name_version> records;
  for (const NamedVersion &one : list) {
    cl_name_version &record = records.emplace_back(cl_name_version{});
    record.version = one.version;
    one.name.copy(record.name, CL_NAME_VERSION_MAX_NAME_SIZE - 1);
  }
  return records;
}

} // namespace kiln::api
