#include "doctor/Checks.h"
#include "doctor/Child.h"
#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>

namespace kiln::doctor {
namespace {

/// The first line, without spaces around it.
std::string lineOf(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  constexpr const char *Space = " \t\r\n";
  line.erase(line.find_last_not_of(Space) + 1);
  return line.erase(0, line.find_first_not_of(Space));
}

/// Why the library cannot be loaded; empty if it can.
std::string whyNotLoaded(const std::string &library) {
  const ChildResult result = inChild(
      [&] {
        if (dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL))
          return std::string();
        const char *why = dlerror();
        return std::string(why ? why : "no reason given");
      },
      30);
  return result.failure.empty() ? result.output : "loading it " + result.failure;
}

Finding checkFile(const std::filesystem::path &file) {
  const std::string library = lineOf(file), what = file.string() + " names " + library;
  if (library.empty())
    return problem(file.string() + " is empty or cannot be read", "write the library's path into it, or remove it");
  const std::string why = whyNotLoaded(library);
  if (why.empty())
    return good(what);
  return problem(what + ", which cannot be loaded: " + why,
                 library.starts_with("/") && !std::filesystem::exists(library)
                     ? "install the OpenCL platform again, or remove the file"
                     : "install the libraries that are missing");
}

} // namespace

Findings checkVendors(const std::string &folder, bool isFromEnvironment) {
  Findings all;
  std::error_code failed;
  if (std::filesystem::is_regular_file(folder, failed))
    return {checkFile(folder)}; // OCL_ICD_VENDORS may name one file
  std::vector<std::filesystem::path> files;
  for (auto entry = std::filesystem::directory_iterator(folder, failed);
       !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed))
    if (entry->path().extension() == ".icd")
      files.push_back(entry->path());
  if (failed)
    return {problem(folder + " cannot be read: " + failed.message(),
                    isFromEnvironment ? "OCL_ICD_VENDORS must be the folder of kiln.icd"
                                      : "install Kiln, or set OCL_ICD_VENDORS to the folder of kiln.icd")};
  std::ranges::sort(files);
  for (const auto &file : files)
    all.push_back(checkFile(file));
  const bool hasKiln =
      std::ranges::any_of(files, [](const auto &file) { return lineOf(file).find("libkiln.so") != std::string::npos; });
  if (!hasKiln)
    all.push_back(problem("no file in " + folder + " names libkiln.so",
                          "install Kiln, or set OCL_ICD_VENDORS to the folder of kiln.icd"));
  if (isFromEnvironment && !folder.ends_with("/"))
    all.push_back(note("OCL_ICD_VENDORS is " + folder + ", without a slash at its end",
                       "add the slash: the loader of CUDA's toolkit appends file names without one"));
  return all;
}

} // namespace kiln::doctor
