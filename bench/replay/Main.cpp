// kiln-replay: repeats a launch from its bundle and compares the bits.
//
// A child process does the work, because switches must be set before OpenCL is used, a wrong kernel may crash, and the
// cross-check writes its report when its process ends. The parent starts the whole program again if the addresses of
// the bundle's memory are taken, because the system places libraries elsewhere in a new process.
#include "bench/bundle/BundleLaunch.h"
#include "bench/bundle/Json.h"
#include "bench/opencl/TemporaryFolder.h"
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace bench {
namespace {

constexpr const char *Usage = R"(usage: kiln-replay [OPTIONS] BUNDLE

Repeats the launch in the folder BUNDLE, which KILN_CAPTURE or the cross-check (KILN_CROSSCHECK) has written.

  --platform=NAME   an OpenCL platform whose name contains NAME (Kiln)
  --device=N        its N-th device, from 0 (0)
  --launches=N      number of launches, each on the contents from before the launch; the last counts. Default: 1, or 60
                    if a variant of the kernel ran, which Kiln compiles after the second launch
  --crosscheck      on Kiln, compare with the scalar form instead; default for bundles of the cross-check
  --passes          build with the pass pipeline and the plug-ins that the bundle names. They are code that runs with
                    your rights. Without it, a bundle with a pipeline is refused

A BUNDLE whose name begins with crash- is the input of a compiler that has crashed: the compiler runs on it again.

  --compilers=FOLDER  the folder of kilnc and kiln-clc (that of kiln-replay)

A bundle is a program: its kernel runs with your rights, and on a CPU it may access all memory of kiln-replay. The input
of a compiler is compiled, but no code of it runs, unless --passes is given.

Exit status: 0 if all bits are as in the bundle, 1 if not, 2 if the launch cannot be repeated. With the cross-check: 0 if
the difference appears, 1 if it does not. With a crash: 0 if the compiler crashes again, 1 if it does not.
)";
/// Starts of this program until the addresses of the bundle are free. The last one replaces pointers.
constexpr unsigned MaxAttempts = 20;
constexpr int Different = 1, Impossible = 2, AddressesTaken = 3;

struct Request {
  std::string folder, platform = "Kiln", compilers;
  size_t device = 0;
  unsigned launches = 0, attempt = 1;
  bool crossCheck = false, passes = false;
};

unsigned numberOf(const std::string &option, const std::string &text) {
  unsigned number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::runtime_error(option + " is '" + text + "', must be a number");
  return number;
}

Request parse(int count, char **arguments) {
  Request request;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    const size_t mark = word.find('=');
    const std::string name = word.substr(0, mark), value = mark == std::string::npos ? "" : word.substr(mark + 1);
    if (name == "--platform")
      request.platform = value;
    else if (name == "--device")
      request.device = numberOf(name, value);
    else if (name == "--compilers")
      request.compilers = value;
    else if (name == "--launches")
      request.launches = numberOf(name, value);
    else if (name == "--attempt") // set by this program
      request.attempt = numberOf(name, value);
    else if (word == "--crosscheck")
      request.crossCheck = true;
    else if (word == "--passes")
      request.passes = true;
    else if (word.starts_with("-"))
      throw std::runtime_error("there is no option " + word + "; see kiln-replay --help");
    else if (!std::exchange(request.folder, word).empty())
      throw std::runtime_error("more than one bundle is named");
  }
  if (request.folder.empty())
    throw std::runtime_error("no bundle is named; see kiln-replay --help");
  return request;
}

std::string contentOf(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The switch with the passes of a kind of targets. A bundle comes from elsewhere, so it names no switch itself.
const char *pipelineSwitch(const std::string &target) {
  for (auto [kind, name] :
       {std::pair{"cpu", "KILN_PIPELINE_CPU"}, {"nvptx", "KILN_PIPELINE_NVPTX"}, {"amdgpu", "KILN_PIPELINE_AMDGPU"}})
    if (target == kind)
      return name;
  throw std::runtime_error("the bundle's target is '" + target + "', must be cpu, nvptx or amdgpu");
}

/// The bundle's passes are code: a plug-in is a library to load, and a pipeline may name passes of MLIR that write
/// files and run programs. So they are used only if the user says so.
void setPasses(const Bundle &bundle, const Request &request) {
  const char *pipeline = pipelineSwitch(bundle.target);
  if (request.passes) {
    setenv(pipeline, bundle.pipeline.c_str(), /*overwrite=*/0);
    setenv("KILN_PASS_PLUGINS", bundle.plugins.c_str(), /*overwrite=*/0);
  } else if (!bundle.pipeline.empty() && !getenv(pipeline) && request.platform == "Kiln") {
    throw std::runtime_error("the bundle names passes, which are code: " + bundle.pipeline +
                             (bundle.plugins.empty() ? "" : ", with the plug-ins " + bundle.plugins) +
                             "; --passes uses them, and " + pipeline + "= in the environment uses Kiln's own instead");
  }
}

/// The switches of the captured process, unless the user has set others, and those that make Kiln report on this run.
void setSwitches(const Bundle &bundle, const Request &request, const std::filesystem::path &folder) {
  setPasses(bundle, request);
  setenv("KILN_CPU_MACHINE_WIDTH", std::to_string(bundle.machineWidth).c_str(), /*overwrite=*/0);
  setenv("KILN_VARIANTS", "always", /*overwrite=*/0); // a bundle may be of a variant
  unsetenv("KILN_DUMP");
  unsetenv("KILN_CAPTURE");
  unsetenv("KILN_CROSSCHECK");
  if (request.crossCheck) {
    setenv("KILN_CROSSCHECK", "1", 1);
    setenv("KILN_CROSSCHECK_REPORT", (folder / "report").c_str(), 1);
    setenv("TMPDIR", folder.c_str(), 1);
    return;
  }
  // A capture of the replay names the code that ran.
  setenv("KILN_LOG", "off", /*overwrite=*/0);
  setenv("KILN_CAPTURE", (bundle.kernel + "#" + std::to_string(request.launches)).c_str(), 1);
  setenv("KILN_CAPTURE_DIR", folder.c_str(), 1);
}

void printCode(const Bundle &bundle, const std::filesystem::path &folder) {
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    const Json here = Json::parse(contentOf(entry.path() / "bundle.json"), entry.path() / "bundle.json");
    const bool spirv = here["spirv"].string() == bundle.spirvDigest, code = here["code"].string() == bundle.codeDigest;
    printf("kiln-replay: the SPIR-V is %s, the machine code is %s\n", spirv ? "the same" : "different",
           code ? "the same" : "different");
    if (!code)
      printf("kiln-replay: the bundle is from build %s of Kiln on %s, this is build %s on %s\n", bundle.build.c_str(),
             bundle.device.c_str(), here["build"].string().c_str(), here["device"].string().c_str());
    if (here["variant"].string() != bundle.variant)
      printf("kiln-replay: the variant is %s, that of the bundle %s\n", here["variant"].string().c_str(),
             bundle.variant.c_str());
    return;
  }
}

/// Runs in the child.
int replay(const Bundle &bundle, const Request &request, const std::filesystem::path &folder) {
  setSwitches(bundle, request, folder);
  const PlacedMemory memory(bundle);
  const std::vector<cl_device_id> devices = devicesOf(findPlatform(request.platform));
  if (request.device >= devices.size())
    throw std::runtime_error("--device is " + std::to_string(request.device) + ", the platform has " +
                             std::to_string(devices.size()) + " devices");
  const cl_device_id device = devices[request.device];
  if (BundleLaunch::prefersBundleAddresses(bundle, device) && !memory.atAddresses() && request.attempt < MaxAttempts)
    return AddressesTaken;
  BundleLaunch launch(bundle, memory, device,
                      request.platform == "Kiln" ? BundleLaunch::Input::Spirv : BundleLaunch::Input::SourceIfAny);
  for (unsigned i = 0; i < request.launches; ++i) {
    if (i > 2)
      std::this_thread::sleep_for(std::chrono::milliseconds(50)); // a variant is being compiled
    launch.restore();
    launch.enqueue();
    launch.finish();
  }
  if (request.crossCheck)
    return 0;
  printf("kiln-replay: kernel %s, launch %llu, on %s\n", bundle.kernel.c_str(), (unsigned long long)bundle.number,
         text(clGetDeviceInfo, device, CL_DEVICE_NAME).c_str());
  printCode(bundle, folder);
  if (launch.replacedWords())
    printf("kiln-replay: memory is at other addresses than in the bundle; %zu words are replaced as pointers\n",
           launch.replacedWords());
  const BundleLaunch::Comparison found = launch.compare();
  if (!found.different) {
    printf("kiln-replay: all %llu bytes of memory are the same\n", (unsigned long long)found.bytes);
    return 0;
  }
  printf("kiln-replay: %s; %llu of %llu bytes differ%s%s\n", found.first.c_str(), (unsigned long long)found.different,
         (unsigned long long)found.bytes, bundle.freedom.empty() ? "" : ", as they may: ", bundle.freedom.c_str());
  return Different;
}

/// The cross-check's result, from its report.
int judge(const std::filesystem::path &file) {
  const std::string lines = contentOf(file);
  const Json found = Json::parse(lines.substr(0, lines.find('\n')), file);
  if (const auto &all = found["found"].list(); !all.empty()) {
    const Json &one = all.front();
    const std::string &usual = one["usual"].string();
    printf("kiln-replay: variant %s: %s%s; %llu bytes differ\n", one["variant"].string().c_str(),
           one["where"].string().c_str(),
           usual.empty() ? "" : (" is " + usual + ", must be " + one["scalar"].string()).c_str(),
           (unsigned long long)one["bytes"].number());
  }
  if (const uint64_t skipped = found["skipped"].number())
    printf("kiln-replay: %llu launches were not compared\n", (unsigned long long)skipped);
  const bool appears = !found["found"].list().empty();
  printf("kiln-replay: the difference %s (%llu of %llu launches)\n", appears ? "appears" : "does not appear",
         (unsigned long long)found["differences"].number(), (unsigned long long)found["compared"].number());
  return appears ? 0 : Different;
}

/// Runs the child and returns its exit status.
int inChild(const Bundle &bundle, const Request &request, const std::filesystem::path &folder) {
  fflush(stdout);
  const pid_t child = fork();
  if (child < 0)
    throw std::runtime_error(std::string("cannot fork: ") + strerror(errno));
  if (!child) {
    int status = Impossible;
    try {
      status = replay(bundle, request, folder);
    } catch (const std::exception &error) {
      fprintf(stderr, "kiln-replay: %s\n", error.what());
    }
    exit(status); // not _exit: the cross-check reports at exit
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      throw std::runtime_error("cannot wait for the child process");
  if (WIFSIGNALED(status))
    throw std::runtime_error("the launch ended with signal " + std::to_string(WTERMSIG(status)));
  return WEXITSTATUS(status);
}

/// The exit status of a compiler that does not repeat a request (protocol::NotRepeated), and of a shell that finds
/// none.
bool isRefusal(int status) { return status == 125 || status == 127; }

/// Runs the compiler on an input that has crashed it.
int replayCrash(const Json &about, const Request &request) {
  const std::string &compiler = about["compiler"].string();
  if (compiler != "kilnc" && compiler != "kiln-clc") // no other program: the bundle comes from elsewhere
    throw std::runtime_error("the bundle's compiler is '" + compiler + "', must be kilnc or kiln-clc");
  (void)Bundle::contentOf(std::filesystem::path(request.folder) / "request.bin"); // a regular file
  std::error_code failed;
  const std::filesystem::path folder = request.compilers.empty()
                                           ? std::filesystem::read_symlink("/proc/self/exe", failed).parent_path()
                                           : std::filesystem::path(request.compilers);
  const std::string program = (folder / compiler).string();
  const std::string option = "--request=" + (std::filesystem::path(request.folder) / "request.bin").string();
  printf("kiln-replay: %s; %s runs again\n", about["why"].string().c_str(), program.c_str());
  fflush(stdout);
  const pid_t child = fork();
  if (!child) {
    const bool passes = request.passes && compiler == "kilnc";
    execl(program.c_str(), program.c_str(), option.c_str(), passes ? "--request-passes" : nullptr, nullptr);
    fprintf(stderr, "kiln-replay: %s cannot be started: %s\n", program.c_str(), strerror(errno));
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0 || (WIFEXITED(status) && isRefusal(WEXITSTATUS(status))))
    return Impossible;
  // The compilers report an error in the program with status 1; all else is a crash.
  const bool crashes = WIFSIGNALED(status) || WEXITSTATUS(status) > 1;
  printf("kiln-replay: the compiler %s\n", crashes ? "crashes again" : "does not crash");
  return crashes ? 0 : Different;
}

int run(int count, char **arguments) {
  Request request = parse(count, arguments);
  const std::filesystem::path description = std::filesystem::path(request.folder) / "bundle.json";
  if (std::filesystem::exists(description))
    if (const Json about = Json::parse(Bundle::contentOf(description), description);
        about.has("writer") && about.has("compiler"))
      return replayCrash(about, request);
  const Bundle bundle = Bundle::read(request.folder);
  request.crossCheck |= bundle.isCrossCheck() && request.platform == "Kiln";
  if (!request.launches)
    request.launches = bundle.variant.starts_with("generic") || request.platform != "Kiln" ? 1 : 60;
  if (request.attempt == 1 && bundle.variables == "changed")
    printf("kiln-replay: earlier launches changed program variables; the replay starts with their initial values\n");
  int status = 0;
  {
    const TemporaryFolder folder("kiln-replay");
    status = inChild(bundle, request, folder.path());
    if (request.crossCheck && !status)
      return judge(std::filesystem::path(folder.path()) / "report");
  }
  if (status != AddressesTaken)
    return status;
  std::vector<char *> words(arguments, arguments + count);
  std::string attempt = "--attempt=" + std::to_string(request.attempt + 1);
  words.push_back(attempt.data());
  words.push_back(nullptr);
  execv("/proc/self/exe", words.data());
  throw std::runtime_error(std::string("cannot start again: ") + strerror(errno));
}

} // namespace
} // namespace bench

int main(int count, char **arguments) {
  if (count == 2 && std::strcmp(arguments[1], "--help") == 0) {
    fputs(bench::Usage, stdout);
    return 0;
  }
  try {
    return bench::run(count, arguments);
  } catch (const std::exception &error) {
    fprintf(stderr, "kiln-replay: %s\n", error.what());
    return bench::Impossible;
  }
}
