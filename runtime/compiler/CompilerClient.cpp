#include "runtime/compiler/CompilerClient.h"
#include "KilnBuildId.h"
#include "base/protocol/SocketMessages.h"
#include "base/support/Log.h"
#include "base/support/Mutex.h"
#include "base/support/Trace.h"
#include "runtime/compiler/Spawn.h"
#include <climits>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <span>
#include <sys/mman.h>
#include <sys/syscall.h>

namespace kiln {
namespace {

constexpr int64_t GreetingMilliseconds = 30000; // to load the program and receive its build id, on a busy machine
constexpr int64_t GraceMilliseconds = 10000;    // after the limit that the server enforces
constexpr uint64_t MaxReply = 1 << 30;          // bytes: more than code, SPIR-V and an explorer's page have
constexpr size_t MaxReason = 64 << 10;          // bytes of the server's report: its sentence, and 4 KiB of errors

int64_t nowMilliseconds() { return static_cast<int64_t>(nowNanoseconds() / 1000000); }

/// Moves a descriptor above standard error: an application that has closed its standard descriptors may open files
/// there.
Descriptor aboveStandardError(int number) {
  Descriptor low(number);
  return low.get() < 0 || low.get() > STDERR_FILENO ? std::move(low) : Descriptor(fcntl(low.get(), F_DUPFD_CLOEXEC, 3));
}

bool socketPair(int type, Descriptor &ours, Descriptor &theirs) {
  int ends[2];
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0)
    return false;
  ours = aboveStandardError(ends[0]), theirs = aboveStandardError(ends[1]);
  return ours && theirs;
}

bool pipePair(Descriptor &reader, Descriptor &writer) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return false;
  reader = aboveStandardError(ends[0]), writer = aboveStandardError(ends[1]);
  return reader && writer;
}

/// At most zygote::MaxDescriptors.
bool sendDescriptors(int socket, std::span<const int> descriptors) {
  char byte = 'b';
  iovec data{&byte, 1};
  alignas(cmsghdr) char ancillary[CMSG_SPACE(zygote::MaxDescriptors * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data, message.msg_iovlen = 1;
  message.msg_control = ancillary, message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
  ssize_t sent;
  do
    sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == 1;
}

/// Waits until the descriptor is readable or the peer has closed it. Returns false after the deadline.
bool readable(int descriptor, int64_t deadline) {
  while (true) {
    int64_t left = deadline - nowMilliseconds();
    if (left <= 0)
      return false;
    pollfd waiting{descriptor, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(std::min<int64_t>(left, INT_MAX))) > 0)
      return true;
  }
}

/// Reads to the end of file, or MaxReason bytes.
std::string readReason(int descriptor, int64_t deadline) {
  std::string text;
  char part[1024];
  while (text.size() < MaxReason && readable(descriptor, deadline)) {
    ssize_t count = read(descriptor, part, sizeof part);
    if (count > 0)
      text.append(part, static_cast<size_t>(count));
    else if (count == 0 || errno != EINTR)
      break;
  }
  return text;
}

/// What to install if the dynamic linker reports a missing library; empty for other messages.
std::string installHint(std::string_view error) {
  constexpr std::string_view before = "error while loading shared libraries: ";
  const size_t found = error.find(before);
  if (found == std::string_view::npos)
    return {};
  const std::string_view rest = error.substr(found + before.size());
  const std::string_view library = rest.substr(0, rest.find_first_of(": \n"));
  if (rest.find("cannot open shared object file") == std::string_view::npos)
    return text("; ", library,
                " has the wrong version: install the version of its package that this Kiln was built with");
  // Debian's packages of the compilers' libraries; the version is appended.
  constexpr std::pair<std::string_view, std::string_view> packages[] = {{"libLLVMSPIRVLib.so.", "libllvmspirvlib"},
                                                                        {"libclang-cpp.so.", "libclang-cpp"},
                                                                        {"libLLVM-", "libllvm"},
                                                                        {"libLLVM.so.", "libllvm"},
                                                                        {"libMLIR.so.", "libmlir-"}};
  for (auto [start, package] : packages)
    if (library.starts_with(start)) {
      const std::string_view version = library.substr(start.size());
      return text("; install the package that has ", library, ", on Debian ", package,
                  version.substr(0, version.find('.')));
    }
  return text("; install the package that has ", library, ", on Debian what 'apt-file search ", library, "' names");
}

std::string folderOf(const std::string &path) { return path.substr(0, path.rfind('/')); }

/// The folder of the library (or program) that contains this function.
std::string ownFolder() {
  char resolved[PATH_MAX];
  Dl_info about;
  if (dladdr(reinterpret_cast<void *>(&ownFolder), &about) && about.dli_fname && strchr(about.dli_fname, '/') &&
      realpath(about.dli_fname, resolved))
    return folderOf(resolved);
  return realpath("/proc/self/exe", resolved) ? folderOf(resolved) : std::string();
}

} // namespace

/// One running compiler.
struct CompilerClient::Process {
  std::string program;
  Descriptor control;
  pid_t server = 0;  // set by the greeting, before a build; 0 if the system does not say it
  Descriptor handle; // of the server
  Descriptor errors; // in-memory file with its stderr output up to the greeting
  Mutex mutex;
  bool greeted KILN_GUARDED_BY(mutex) = false; // or failed, with `greetingError`
  std::string greetingError KILN_GUARDED_BY(mutex);

  /// Waits for the server's build id, once per process; later calls return the same result.
  Status greet() KILN_EXCLUDES(mutex) {
    Lock lock(mutex);
    if (!greeted) {
      if (Status status = readGreeting(); !status.ok()) {
        greetingError = status.message();
        KILN_LOG(Error, Compile, status.message());
      }
      greeted = true;
    }
    return greetingError.empty() ? Status() : fail(CL_COMPILER_NOT_AVAILABLE, greetingError);
  }

  /// Receives a message of the control socket and the id of the process that has sent it.
  ssize_t receiveFrom(char *text, size_t room, pid_t &sender) const {
    iovec data{text, room};
    alignas(cmsghdr) char ancillary[CMSG_SPACE(sizeof(ucred))];
    msghdr message{};
    message.msg_iov = &data, message.msg_iovlen = 1;
    message.msg_control = ancillary, message.msg_controllen = sizeof ancillary;
    ssize_t size;
    do
      size = recvmsg(control.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (size < 0 && errno == EINTR);
    const cmsghdr *header = size < 0 ? nullptr : CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_CREDENTIALS) {
      ucred credentials;
      memcpy(&credentials, CMSG_DATA(header), sizeof credentials);
      sender = credentials.pid;
    }
    return size;
  }

  /// Returns true if a signal has stopped the server (SIGSTOP); false if a debugger has.
  bool isStopped() const {
    if (server <= 0)
      return false;
    char text[256];
    Descriptor file(open(("/proc/" + std::to_string(server) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
    const ssize_t size = file ? read(file.get(), text, sizeof text) : 0;
    const std::string_view words(text, static_cast<size_t>(std::max<ssize_t>(size, 0)));
    const size_t name = words.rfind(") "); // the state follows the name
    return name != std::string_view::npos && words.substr(name + 2, 1) == "T";
  }
  void end() const {
    if (handle)
      syscall(SYS_pidfd_send_signal, handle.get(), SIGKILL, nullptr, 0);
  }

  Status readGreeting() {
    char hello[64];
    if (!readable(control.get(), nowMilliseconds() + GreetingMilliseconds))
      return fail(CL_COMPILER_NOT_AVAILABLE, program, " did not start within ", GreetingMilliseconds / 1000, " s");
    const ssize_t size = receiveFrom(hello, sizeof hello, server);
    if (server > 0)
      handle = aboveStandardError(static_cast<int>(syscall(SYS_pidfd_open, server, 0)));
    if (size <= 0)
      return fail(CL_COMPILER_NOT_AVAILABLE, program, " ended before it was ready", errorOutput());
    if (std::string_view(hello, static_cast<size_t>(size)) != KILN_BUILD_ID)
      return fail(CL_COMPILER_NOT_AVAILABLE, program, " belongs to another build of Kiln");
    return {};
  }

  std::string errorOutput() const {
    char bytes[1024];
    ssize_t size = errors ? pread(errors.get(), bytes, sizeof bytes, 0) : 0;
    std::string output(bytes, static_cast<size_t>(std::max<ssize_t>(size, 0)));
    output.erase(output.find_last_not_of(" \n") + 1);
    if (output.empty())
      return " and wrote nothing; '" + program + " --help' in a shell may say why";
    return ": " + output + installHint(output);
  }
};

struct CompilerClient::State {
  const pid_t owner = getpid();
  std::atomic<int> control{-1}; // of `process`, for the child of a fork, which must not use the rest
  Mutex mutex;
  std::shared_ptr<Process> process KILN_GUARDED_BY(mutex);
};

CompilerClient::CompilerClient(std::string name, std::string folder, zygote::Limits limits)
    : name_(std::move(name)), folder_(std::move(folder)), limits_(limits), state_(new State) {}

CompilerClient::~CompilerClient() {
  State *state = state_.load();
  if (state->owner == getpid())
    delete state;
}

/// After a fork the old state may be inconsistent, because another thread may have been changing it. Abandons it and
/// closes only its descriptor, so that the parent's compiler sees the end of file when the parent ends.
CompilerClient::State &CompilerClient::state() {
  State *known = state_.load(std::memory_order_acquire);
  if (known->owner == getpid())
    return *known;
  State *fresh = new State;
  if (state_.compare_exchange_strong(known, fresh)) {
    if (int control = known->control.load(); control >= 0)
      close(control);
    return *fresh;
  }
  delete fresh;
  return *state_.load();
}

std::string CompilerClient::findProgram() const {
  std::string own = ownFolder();
  // The last folder is that of the Python wheel, whose libkiln is in pyopencl/.libs.
  for (const std::string &folder :
       folder_.empty()
           ? std::vector<std::string>{own, own + "/../libexec/kiln", own + "/../bin", own + "/../../libexec/kiln",
                                      own + "/../../bin", own + "/../../kiln/bin"}
           : std::vector<std::string>{folder_}) {
    std::string path = folder + "/" + name_;
    if (access(path.c_str(), X_OK) == 0)
      return path;
  }
  return {};
}

Result<std::shared_ptr<CompilerClient::Process>> CompilerClient::spawn() const {
  trace::Span span("compile", "start " + name_);
  auto process = std::make_shared<Process>();
  process->program = findProgram();
  if (process->program.empty())
    return fail(CL_COMPILER_NOT_AVAILABLE, name_, " is not in ",
                folder_.empty() ? ownFolder() + " or the installation folders" : folder_);
  Descriptor theirs;
  if (!socketPair(SOCK_SEQPACKET, process->control, theirs))
    return fail(CL_COMPILER_NOT_AVAILABLE, "no socket for ", name_, ": ", strerror(errno));
  const int on = 1;
  setsockopt(process->control.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on); // for the server's process id
  process->errors = aboveStandardError(memfd_create("kiln-stderr", MFD_CLOEXEC));
  std::string argument = zygote::argument({SpawnedSocket, limits_});
  if (int failure = spawnDetached(process->program, argument, theirs.get(), process->errors.get()))
    return fail(CL_COMPILER_NOT_AVAILABLE, process->program, " cannot be started: ", strerror(failure));
  KILN_LOG(Info, Compile, "started ", process->program);
  return process;
}

Result<std::shared_ptr<CompilerClient::Process>> CompilerClient::running() {
  State &state = this->state();
  Lock lock(state.mutex);
  if (!state.process) {
    state.process = KILN_TRY(spawn());
    state.control = state.process->control.get();
  }
  return state.process;
}

void CompilerClient::dropProcess(const std::shared_ptr<Process> &dead) {
  State &state = this->state();
  std::shared_ptr<Process> last; // destroyed without the lock
  Lock lock(state.mutex);
  if (state.process == dead) {
    state.control = -1;
    last = std::move(state.process);
  }
  lock.unlock();
}

void CompilerClient::startInBackground() {
  auto process = running();
  if (!process.ok())
    KILN_LOG(Info, Compile, process.message());
}

void CompilerClient::stop() {
  State &state = this->state();
  std::shared_ptr<Process> last;
  Lock lock(state.mutex);
  state.control = -1;
  last = std::move(state.process);
  lock.unlock();
}

Result<wire::Bytes> CompilerClient::request(const wire::Bytes &request, const std::optional<LeftBehind> &leftBehind) {
  trace::Span span("compile", name_);
  int64_t deadline = nowMilliseconds() + static_cast<int64_t>(limits_.wallSeconds) * 1000 + GraceMilliseconds;
  // The server may have ended since its last use, or may end during the request. Retry with a new one.
  for (int attempt = 0; attempt < 3; ++attempt) {
    std::shared_ptr<Process> process = KILN_TRY(running());
    Descriptor stream, theirStream, status, theirStatus;
    if (!socketPair(SOCK_STREAM, stream, theirStream) || !pipePair(status, theirStatus))
      return fail(CL_COMPILER_NOT_AVAILABLE, "no socket for a build: ", strerror(errno));
    const int descriptors[] = {theirStream.get(), theirStatus.get(), leftBehind ? leftBehind->turn : -1};
    bool sent = sendDescriptors(process->control.get(), std::span(descriptors).first(leftBehind ? 3 : 2));
    theirStream.reset(), theirStatus.reset();
    Status greeting = process->greet();
    if (!greeting.ok() || !sent)
      dropProcess(process);
    if (!greeting.ok())
      return greeting;
    if (!sent)
      continue;
    wire::Bytes reply;
    // A stopped server would not reply before the deadline. It serves nothing else, so it is ended.
    int64_t stoppedSince = -1;
    bool stopped = false;
    const auto now = [&] {
      const int64_t time = nowMilliseconds();
      stoppedSince = !process->isStopped() ? -1 : stoppedSince < 0 ? time : stoppedSince;
      stopped = stoppedSince >= 0 && time - stoppedSince >= zygote::StoppedMilliseconds;
      return stopped ? deadline : time;
    };
    stream::IoStatus io = stream::IoStatus::Done;
    if (leftBehind)
      io = stream::send(stream.get(), leftBehind->place, deadline, now);
    if (io == stream::IoStatus::Done)
      io = stream::send(stream.get(), request, deadline, now);
    if (io == stream::IoStatus::Done)
      io = stream::receive(stream.get(), reply, deadline, now, MaxReply);
    if (io == stream::IoStatus::Done)
      return reply;
    if (io == stream::IoStatus::TooLarge)
      return fail(CL_BUILD_PROGRAM_FAILURE, "the reply of ", name_, " has more than ", MaxReply >> 20, " MiB");
    if (io == stream::IoStatus::Ended)
      if (std::string reason = readReason(status.get(), deadline); !reason.empty())
        return fail(CL_BUILD_PROGRAM_FAILURE, reason);
    if (stopped)
      process->end();
    dropProcess(process);
    if (io == stream::IoStatus::TimedOut && !stopped)
      return fail(CL_BUILD_PROGRAM_FAILURE, name_, " exceeded its time limit");
    KILN_LOG(Warn, Compile, name_, stopped ? " was stopped" : " has ended", "; starting it again");
  }
  return fail(CL_COMPILER_NOT_AVAILABLE, name_, " ended repeatedly");
}

} // namespace kiln
