#include "tests/process/ProcessTest.h"
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kiln::test {
namespace {
bool atOnce = false;
constexpr unsigned MaxSeconds = 540; // SIGALRM ends a hanging situation
} // namespace

// Shares only a header with the API's tests, because their program sets switches that a situation must not have.
cl_platform_id platform() {
  cl_platform_id all[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, all, &count) == CL_SUCCESS)
    for (cl_uint i = 0; i < count && i < 16; ++i)
      if (queryText(clGetPlatformInfo, all[i], CL_PLATFORM_NAME) == "Kiln")
        return all[i];
  return nullptr;
}

App::App(cl_device_type type) {
  cl_platform_id kiln = platform();
  EXPECT_NE(kiln, nullptr)
      << "the loader does not find Kiln: is OCL_ICD_VENDORS set to the build's api folder with a slash at its end?";
  cl_int code = clGetDeviceIDs(kiln, type, 1, &device, nullptr);
  EXPECT_EQ(code, CL_SUCCESS);
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  queue = clCreateCommandQueueWithProperties(context, device, nullptr, &code);
  EXPECT_EQ(code, CL_SUCCESS);
}

Program App::source(const std::string &text) const {
  const char *pointer = text.c_str();
  cl_int code = 1;
  Program made = clCreateProgramWithSource(context, 1, &pointer, nullptr, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  return made;
}

cl_int App::build(cl_program program, const char *options) const {
  return clBuildProgram(program, 0, nullptr, options, nullptr, nullptr);
}

std::string App::log(cl_program program) const {
  return queryText(clGetProgramBuildInfo, program, device, CL_PROGRAM_BUILD_LOG);
}

std::vector<int> App::run(cl_program program, size_t items, const char *name) const {
  cl_int code = 1;
  Kernel kernel = clCreateKernel(program, name, &code);
  EXPECT_EQ(code, CL_SUCCESS) << "clCreateKernel";
  if (!kernel)
    return {};
  std::vector<int> data(items, -1);
  Mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, items * sizeof(int), data.data(), &code);
  EXPECT_EQ(code, CL_SUCCESS) << "clCreateBuffer";
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer.address()), CL_SUCCESS);
  code = clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr);
  EXPECT_EQ(code, CL_SUCCESS) << "clEnqueueNDRangeKernel";
  code = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, items * sizeof(int), data.data(), 0, nullptr, nullptr);
  EXPECT_EQ(code, CL_SUCCESS) << "clEnqueueReadBuffer";
  return data;
}

bool App::works(int number) const {
  Program program = source(sourceOf(number));
  cl_int code = build(program);
  EXPECT_EQ(code, CL_SUCCESS) << log(program);
  if (code != CL_SUCCESS)
    return false;
  bool right = run(program) == resultsOf(number);
  EXPECT_TRUE(right) << "wrong results";
  return right;
}

std::string sourceOf(int number) {
  return "kernel void k(global int *p) { int i = get_global_id(0); p[i] = 3 * i + " + std::to_string(number) + "; }\n";
}

std::vector<int> resultsOf(int number, size_t items) {
  std::vector<int> results(items);
  for (size_t i = 0; i < items; ++i)
    results[i] = 3 * int(i) + number;
  return results;
}

void refuse(Refusal refusal) {
#if defined(__x86_64__)
  constexpr uint32_t Machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
  constexpr uint32_t Machine = AUDIT_ARCH_AARCH64;
#endif
  bool kills = refusal == Refusal::ExecKills || refusal == Refusal::AllKills;
  bool all = refusal == Refusal::Processes || refusal == Refusal::AllKills;
  uint32_t verdict = kills ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM;
  std::vector<sock_filter> filter;
  auto load = [&](uint32_t offset) { filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)); };
  auto answer = [&](uint32_t number, uint32_t with) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, with));
  };
  load(offsetof(seccomp_data, arch));
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, Machine, 1, 0));
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  load(offsetof(seccomp_data, nr));
  if (refusal != Refusal::Threads) {
    answer(SYS_execve, verdict);
    answer(SYS_execveat, verdict);
  }
  if (all) {
#ifdef SYS_fork
    answer(SYS_fork, verdict);
    answer(SYS_vfork, verdict);
#endif
    // clone3 has its flags in memory, where no filter can read them; the C library then uses clone().
    answer(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3));
    load(offsetof(seccomp_data, args[0]));
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, verdict));
  }
  if (refusal == Refusal::Threads) {
    answer(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3));
    load(offsetof(seccomp_data, args[0]));
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program), 0);
}

void ProcessTest::SetUp() {
  char name[] = "/tmp/kiln-process-XXXXXX";
  ASSERT_NE(mkdtemp(name), nullptr);
  folder = name;
}

void ProcessTest::TearDown() {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

void ProcessTest::leaveAtOnce() { atOnce = true; }

void ProcessTest::inNewProcess(const std::function<void()> &situation, const Environment &environment) {
  fflush(stdout);
  fflush(stderr);
  pid_t process = fork();
  ASSERT_GE(process, 0);
  if (process == 0) {
    alarm(MaxSeconds);
    setenv("KILN_CACHE_DIR", (folder + "/cache").c_str(), 1);
    setenv("KILN_CAPTURE_DIR", (folder + "/kept").c_str(), 1); // of inputs that crash a compiler
    for (const auto &[name, value] : environment)
      setenv(name.c_str(), value.c_str(), 1);
    try {
      situation();
    } catch (const std::exception &exception) { // otherwise the child would continue with the other tests
      ADD_FAILURE() << "an exception: " << exception.what();
    }
    int status = HasFailure() ? 1 : 0;
    fflush(stdout);
    atOnce ? _exit(status) : exit(status);
  }
  int status = 0;
  ASSERT_EQ(waitpid(process, &status, 0), process);
  if (WIFSIGNALED(status))
    ADD_FAILURE() << "the process was ended by signal " << WTERMSIG(status);
  else
    EXPECT_EQ(WEXITSTATUS(status), 0) << "the process says above what failed";
}

void ProcessTest::inNewProcessWithErrors(const std::function<void()> &situation, const Environment &environment) {
  const std::string path = folder + "/errors";
  inNewProcess(
      [&] {
        const int file = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600);
        dup2(file, STDERR_FILENO);
        close(file);
        situation();
      },
      environment);
  errors = contentOf(path);
}

int ProcessTest::shell(const std::string &command) const {
  const pid_t child = fork();
  if (!child) {
    execl("/bin/sh", "sh", "-c", (command + " > " + folder + "/printed 2>&1").c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WEXITSTATUS(status);
}

std::string ProcessTest::printed() const {
  std::ifstream file(folder + "/printed");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string contentOf(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> linesOf(const std::string &path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  return lines;
}

size_t openDescriptors() {
  size_t count = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count - 1; // minus the descriptor of the listing itself
}

size_t residentKilobytes() {
  for (const std::string &line : linesOf("/proc/self/status"))
    if (line.starts_with("VmRSS:"))
      return std::stoul(line.substr(6));
  return 0;
}

} // namespace kiln::test
