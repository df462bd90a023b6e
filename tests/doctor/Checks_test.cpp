// Each check finds what the test has broken, names it, and says what to do.
#include "doctor/Checks.h"
#include "doctor/Child.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace kiln::doctor {
namespace {

using Level = Finding::Level;

struct Doctor : testing::Test {
  void SetUp() override {
    std::string pattern = std::filesystem::temp_directory_path() / "kiln-doctor-test-XXXXXX";
    ASSERT_TRUE(mkdtemp(pattern.data()));
    folder = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  void write(const std::string &name, const std::string &text) const { std::ofstream(folder + "/" + name) << text; }

  /// Expects a finding of this level whose text contains the words, with an advice if it is not good.
  static void expect(const Findings &all, Level level, const std::string &words) {
    std::string found;
    for (const Finding &finding : all) {
      found += std::to_string(int(finding.level)) + " " + finding.what + " -> " + finding.advice + "\n";
      if (finding.level == level && finding.what.find(words) != std::string::npos) {
        EXPECT_EQ(finding.advice.empty(), level == Level::Good) << finding.what;
        return;
      }
    }
    ADD_FAILURE() << "no finding of level " << int(level) << " with '" << words << "' among:\n" << found;
  }
  static void expectGood(const Findings &all) {
    EXPECT_FALSE(all.empty());
    for (const Finding &finding : all)
      EXPECT_EQ(finding.level, Level::Good) << finding.what;
  }
  std::string folder;
};

TEST_F(Doctor, Loader) {
  expectGood(checkLoader("libOpenCL.so.1"));
  expect(checkLoader("libNoSuchLoader.so.7"), Level::Problem, "there is no OpenCL loader: libNoSuchLoader.so.7");
  expect(checkLoader("libm.so.6"), Level::Problem, "is not an OpenCL loader: it has no clGetPlatformIDs");
}

TEST_F(Doctor, VendorsThatAreRight) {
  write("kiln.icd", KILN_LIBRARY "\n");
  expectGood(checkVendors(folder + "/", true));
  expectGood(checkVendors(folder, false));
  expectGood(checkVendors(folder + "/kiln.icd", true));
}

TEST_F(Doctor, VendorsThatAreWrong) {
  expect(checkVendors(folder + "/none", true), Level::Problem, "/none cannot be read: No such file or directory");
  expect(checkVendors(folder, false), Level::Problem, "no file in " + folder + " names libkiln.so");
  write("kiln.icd", "/nowhere/libkiln.so\n");
  expect(checkVendors(folder, false), Level::Problem, "names /nowhere/libkiln.so, which cannot be loaded: ");
  write("kiln.icd", "");
  expect(checkVendors(folder, false), Level::Problem, "kiln.icd is empty or cannot be read");
  write("kiln.icd", KILN_LIBRARY "\n");
  expect(checkVendors(folder, true), Level::Note, "without a slash at its end");
  write("other.icd", folder + "/other.icd\n");
  expect(checkVendors(folder + "/", true), Level::Problem, "other.icd names " + folder + "/other.icd, which cannot");
}

TEST_F(Doctor, Compilers) {
  expectGood(checkCompiler("kilnc", KILN_PROGRAMS));
  expectGood(checkCompiler("kiln-clc", KILN_PROGRAMS));
  expect(checkCompiler("kilnc", folder), Level::Problem, "kilnc");
  std::filesystem::create_symlink(KILN_FAKE_COMPILER, folder + "/stranger"); // it is of another build under this name
  expect(checkCompiler("stranger", folder), Level::Problem, "belongs to another build of Kiln");
  EXPECT_EQ(checkCompiler("stranger", folder)[0].advice, "install libkiln, kilnc and kiln-clc from one build");
  // A program that is not a compiler, and one whose library is missing.
  write("kilnc", "#!/bin/sh\necho 'kilnc: error while loading shared libraries: libLLVM.so.22.1: cannot open shared "
                 "object file' >&2\nexit 127\n");
  chmod((folder + "/kilnc").c_str(), 0755);
  expect(checkCompiler("kilnc", folder), Level::Problem, "libLLVM.so.22.1: cannot open shared object file");
  EXPECT_EQ(checkCompiler("kilnc", folder)[0].advice,
            "install the package that has libLLVM.so.22.1, on Debian libllvm22");
  chmod((folder + "/kilnc").c_str(), 0644);
  expect(checkCompiler("kilnc", folder), Level::Problem, "kilnc");
}

TEST_F(Doctor, Cache) {
  expectGood(checkCache(folder, true, 1));
  expectGood(checkCache(folder + "/a/b", true, 1));
  EXPECT_FALSE(std::filesystem::exists(folder + "/a")) << "a check must not create folders";
  EXPECT_TRUE(std::filesystem::is_empty(folder)) << "a check must not leave files";
  expect(checkCache(folder, false, 1), Level::Note, "KILN_CACHE is off");
  expect(checkCache("", true, 1), Level::Note, "there is no folder for the cache");
  expect(checkCache(folder, true, UINT64_MAX), Level::Note, " MiB left, the cache may take ");
  chmod(folder.c_str(), 0777);
  expect(checkCache(folder, true, 1), Level::Note, "is not used: the folder ");
  chmod(folder.c_str(), 0700);
  write("file", "");
  expect(checkCache(folder + "/file", true, 1), Level::Note, "file is not a folder");
  expect(checkCache("/proc/kiln", true, 1), Level::Note, "cannot be written: ");
}

TEST_F(Doctor, TemporaryFolderAndKey) {
  expectGood(checkTemporaryFolder(folder));
  expect(checkTemporaryFolder(folder + "/none"), Level::Note, "/none: No such file or directory");
  expectGood(checkUserKey(folder));
  expect(checkUserKey(""), Level::Note, "there is no folder for settings");
  write("key", std::string(32, 'x'));
  chmod((folder + "/key").c_str(), 0600);
  expectGood(checkUserKey(folder));
  chmod((folder + "/key").c_str(), 0640);
  expect(checkUserKey(folder), Level::Note, "key is not private");
  chmod((folder + "/key").c_str(), 0600);
  write("key", "short");
  expect(checkUserKey(folder), Level::Note, "has 5 bytes, must have 32");
}

TEST_F(Doctor, Drivers) {
  expectGood(checkDriver({.name = "X", .libraries = {"libNone.so", "libm.so.6"}, .files = {}, .advice = "install it"}));
  expectGood(checkDriver({.name = "X", .libraries = {"libNone.so"}, .files = {"/dev/none"}, .advice = "install it"}));
  write("device", "");
  expect(checkDriver({.name = "X", .libraries = {"libNone.so"}, .files = {folder + "/device"}, .advice = "install it"}),
         Level::Problem, "X: there is a device, but no driver library: libNone.so");
}

TEST_F(Doctor, DeviceFilesWithoutPermission) {
  if (geteuid() == 0)
    GTEST_SKIP() << "root may open every file";
  write("device", "");
  chmod((folder + "/device").c_str(), 0);
  expect(checkDriver({.name = "X", .libraries = {"libm.so.6"}, .files = {folder + "/device"}, .advice = "install it"}),
         Level::Problem, "device cannot be opened: Permission denied");
}

TEST_F(Doctor, Limits) {
  Limits usual;
  usual.processors = 4;
  usual.memory = uint64_t(8) << 30;
  expectGood(checkLimits(usual));
  auto with = [&](auto member, uint64_t value) {
    Limits limits = usual;
    limits.*member = value;
    return checkLimits(limits);
  };
  expect(with(&Limits::addressSpace, 512 << 20), Level::Problem, "the address space is limited to 512 MiB");
  expect(with(&Limits::memory, 100 << 20), Level::Problem, "has 100 MiB of memory");
  expect(with(&Limits::files, 10), Level::Problem, "the process may open 10 files");
  expect(with(&Limits::processes, 12), Level::Problem, "this user may have 12 processes");
  expect(with(&Limits::fileSize, 1 << 20), Level::Note, "files are limited to 1 MiB");
  expect(with(&Limits::stack, 64 << 10), Level::Note, "stacks are limited to 0 MiB");
  expect(with(&Limits::buildMemory, 1 << 20), Level::Note, "KILN_BUILD_MEMORY is 1 MiB");
  EXPECT_GE(currentLimits().processors, 1u);
  EXPECT_GT(currentLimits().memory, 0u);
}

TEST_F(Doctor, Switches) {
  expectGood(checkSwitches({"HOME=/home/me", "KILN_CPU_THREADS=3"}));
  expect(checkSwitches({"KILN_CPU_THREDS=3"}), Level::Note, "KILN_CPU_THREDS is not a switch of Kiln");
  EXPECT_EQ(checkSwitches({"KILN_CPU_THREDS=3"})[0].advice, "the nearest is KILN_CPU_THREADS");
  expect(checkSwitches({"KILN_CPU_THREADS=many"}), Level::Note, "KILN_CPU_THREADS=many is invalid and ignored");
  expect(checkSwitches({"KILN_LOG=warning"}), Level::Note, "KILN_LOG=warning is invalid: 'warning' is none of off,");
  expectGood(checkSwitches({"KILN_LOG=info,event,memory"}));
  expect(checkSwitches({"KILN_HIP_LIBRARY=/nowhere/libamdhip64.so"}), Level::Note,
         "KILN_HIP_LIBRARY names /nowhere/libamdhip64.so, which does not exist");
}

TEST_F(Doctor, OutputsOfSwitches) {
  expectGood(checkSwitches(
      {"KILN_CHECK_REPORT=" + folder + "/report.json", "KILN_CAPTURE_DIR=" + folder + "/new", "KILN_HOT_LINES=-"}));
  expect(checkSwitches({"KILN_CHECK_REPORT=" + folder + "/none/report.json"}), Level::Note,
         "report.json, which cannot be written: No such file or directory");
  write("file", "");
  for (const char *name : {"CAPTURE_DIR", "EXPLORE", "DUMP"})
    expect(checkSwitches({"KILN_" + std::string(name) + "=" + folder + "/file"}), Level::Note,
           "file, which cannot be written: Not a directory");
  for (const char *name : {"TRACE", "HOT_LINES", "CROSSCHECK_REPORT", "EMULATOR_COUNTS"})
    expect(checkSwitches({"KILN_" + std::string(name) + "=" + folder}), Level::Note,
           ", which cannot be written: Is a directory");
}

TEST_F(Doctor, Platforms) {
  write("kiln.icd", KILN_LIBRARY "\n");
  setenv("OCL_ICD_VENDORS", (folder + "/").c_str(), 1);
  setenv("KILN_CACHE", "off", 1);
  setenv("KILN_DEVICES", "cpu", 1);
  expect(checkPlatforms("libOpenCL.so.1"), Level::Good, " runs a kernel");
  setenv("KILN_COMPILER_DIR", folder.c_str(), 1);
  expect(checkPlatforms("libOpenCL.so.1"), Level::Problem, "clBuildProgram returned ");
  unsetenv("KILN_COMPILER_DIR");
  setenv("KILN_DEVICES", "hip", 1);
  setenv("KILN_HIP_LIBRARY", "/none", 1);
  expect(checkPlatforms("libOpenCL.so.1"), Level::Problem, "Kiln");
  std::filesystem::remove(folder + "/kiln.icd");
  expect(checkPlatforms("libOpenCL.so.1"), Level::Problem, "the loader finds no OpenCL platform");
}

TEST(Child, CrashesAndHangsAreFailures) {
  EXPECT_EQ(inChild([] { return std::string("words"); }, 10).output, "words");
  EXPECT_EQ(inChild([]() -> std::string { abort(); }, 10).failure, "ended with signal 6");
  EXPECT_EQ(inChild([]() -> std::string { _exit(3); }, 10).failure, "ended with status 3");
  EXPECT_EQ(inChild([]() -> std::string { return sleep(60), ""; }, 1).failure, "did not end in 1 seconds");
}

TEST_F(Doctor, Program) {
  write("kiln.icd", KILN_LIBRARY "\n");
  auto run = [&](const std::string &settings) {
    const std::string command = "KILN_DEVICES=cpu OCL_ICD_VENDORS=" + folder + "/ " + settings + " " KILN_DOCTOR " > " +
                                folder + "/printed 2>&1";
    return inChild([&] { return execl("/bin/sh", "sh", "-c", command.c_str(), nullptr), ""; }, 120).failure;
  };
  auto printed = [&] {
    std::ifstream file(folder + "/printed");
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  EXPECT_EQ(run(""), "") << printed();
  EXPECT_NE(printed().find("\n0 problems\n"), std::string::npos) << printed();
  EXPECT_EQ(run("KILN_COMPILER_DIR=/none"), "ended with status 1") << printed();
  EXPECT_NE(printed().find("-> KILN_COMPILER_DIR is /none, must be the folder of kilnc"), std::string::npos)
      << printed();
}

} // namespace
} // namespace kiln::doctor
