// A compiler for tests: the request decides how it ends. As kiln-clc and kilnc it implements their protocol, with the
// source (or the pipeline) as the command. KILN_FAKE_LIBRARY names a shared object to load.
#include "base/protocol/Protocol.h"
#include "base/protocol/Zygote.h"
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <new>
#include <stdexcept>
#include <string_view>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/// The signals are the same with a sanitizer.
extern "C" const char *__asan_default_options() {
  return "handle_segv=0:handle_abort=0:handle_sigbus=0:abort_on_error=1:detect_leaks=0";
}
extern "C" const char *__tsan_default_options() {
  return "handle_segv=0:handle_abort=0:handle_sigbus=0:abort_on_error=1";
}

namespace {
using namespace kiln;

wire::Bytes bytesOf(const std::string &text) { return {text.begin(), text.end()}; }

volatile int sink;

void overflowStack(int depth) {
  volatile char block[4096];
  block[0] = static_cast<char>(depth);
  if (depth + 1 > sink) // always
    overflowStack(depth + 1);
  sink = block[0];
}

void *volatile kept; // prevents removal of allocations

std::string openDescriptors() {
  std::string list;
  DIR *folder = opendir("/proc/self/fd");
  while (dirent *item = readdir(folder))
    if (item->d_name[0] != '.' && atoi(item->d_name) != dirfd(folder))
      list += std::string(item->d_name) + " ";
  closedir(folder);
  return list;
}

/// Creates the file and returns true unless it exists.
bool mark(const std::string &path) {
  const int file = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (file >= 0)
    dprintf(file, "%d", getpid()), close(file);
  return file >= 0;
}

void stopServerOnce(const std::string &path) {
  if (mark(path))
    kill(getppid(), SIGSTOP), sleep(1000);
}

/// Sleeps for the milliseconds in "PATH MILLISECONDS" after it has created the file. Returns its priority then.
std::string nap(const std::string &words) {
  const size_t space = words.rfind(' ');
  mark(words.substr(0, space));
  usleep(useconds_t(std::stoul(words.substr(space + 1)) * 1000));
  return "priority " + std::to_string(getpriority(PRIO_PROCESS, 0));
}

/// The place is a file.
void keep(const wire::Bytes &place, wire::Bytes reply) {
  if (FILE *file = fopen(std::string(place.begin(), place.end()).c_str(), "w")) {
    fwrite(reply.data(), 1, reply.size(), file);
    fclose(file);
  }
}

std::string obey(const std::string &command) {
  if (command == "crash")
    raise(SIGSEGV);
  else if (command == "abort")
    abort();
  else if (command == "overflow")
    overflowStack(0);
  else if (command == "exit")
    fputs("something fatal\n", stderr), exit(3);
  else if (command == "leave")
    _exit(0);
  else if (command == "throw")
    throw std::runtime_error("thrown in the compiler");
  else if (command == "sleep")
    sleep(1000);
  else if (command == "spin")
    for (;;)
      sink = sink + 1;
  else if (command == "hog")
    for (;;)
      kept = memset(new char[16 << 20], 1, 16 << 20);
  else if (command == "kill server")
    kill(getppid(), SIGKILL), sleep(1000);
  else if (command == "stop")
    raise(SIGSTOP);
  else if (command.starts_with("stop server "))
    stopServerOnce(command.substr(12));
  else if (command.starts_with("nap "))
    return nap(command.substr(4));
  else if (command == "server")
    return std::to_string(getppid());
  else if (command == "descriptors")
    return openDescriptors();
  else if (command == "preload")
    return getenv("LD_PRELOAD") ? "set" : "unset";
  else if (command == "folder")
    return std::string(getcwd(nullptr, 0));
  else if (command == "signals") {
    sigset_t blocked;
    sigprocmask(SIG_SETMASK, nullptr, &blocked);
    struct sigaction child, hangup;
    sigaction(SIGCHLD, nullptr, &child);
    sigaction(SIGHUP, nullptr, &hangup);
    return std::string(sigismember(&blocked, SIGUSR1) ? "blocked" : "open") +
           (child.sa_handler == SIG_DFL && hangup.sa_handler == SIG_DFL ? " usual" : " changed");
  }
  return command;
}

wire::Bytes plain(wire::Bytes request) { return bytesOf(obey({request.begin(), request.end()})); }

wire::Bytes source(wire::Bytes bytes) {
  protocol::CompileRequest request;
  protocol::CompileReply reply;
  if (!wire::unpack(bytes, request))
    return {};
  if (request.source == "garbage")
    return bytesOf("no reply at all");
  std::string done = obey(request.source);
  reply.ok = done != "wrong";
  reply.log = reply.ok ? "a warning\n" : "an error\n";
  if (request.source == "chatty")
    reply.log.assign(5 << 20, 'x');
  reply.spirv = bytesOf("spirv of " + done);
  reply.libraries = zygote::libraries();
  std::vector<std::string> words = request.options;
  if (!request.workingFolder.empty() && done.starts_with("here"))
    words.push_back(request.workingFolder + "/here.h");
  for (const std::string &option : words) // "-I", a file: included if it exists
    if (option != "-I") {
      if (FILE *file = fopen(option.c_str(), "r")) {
        char text[256] = {};
        size_t size = fread(text, 1, sizeof text, file);
        reply.included.push_back(protocol::describeInclude(option, {text, size}));
        reply.spirv = bytesOf("spirv with " + std::string(text, size));
        fclose(file);
      } else {
        reply.missing.push_back(option);
      }
    }
  return wire::pack(reply);
}

/// Machine code is the code after "machine " or "large machine ". The assembler's library is a file that receives a
/// line for each call.
wire::Bytes assemble(const protocol::BuildRequest &request) {
  protocol::BuildReply reply;
  const std::string code(request.modules[0].begin(), request.modules[0].end());
  FILE *calls = fopen(request.assembler.path.c_str(), "r+");
  reply.hasAssembler = calls;
  reply.log = "no such library\n";
  if (!calls)
    return wire::pack(reply);
  fseek(calls, 0, SEEK_END);
  fprintf(calls, "%s %u.%u\n", request.target.c_str(), request.assembler.major, request.assembler.minor);
  fclose(calls);
  if (constexpr std::string_view Command = "code of assembler "; code.starts_with(Command))
    obey(code.substr(Command.size()));
  reply.ok = code != "code of wrong";
  reply.log = reply.ok ? "assembled\n" : "an error of the assembler\n";
  reply.code = bytesOf((request.forLargestGroups ? "large machine " : "machine ") + code);
  return wire::pack(reply);
}

/// The linked SPIR-V names the modules.
wire::Bytes link(const protocol::BuildRequest &request) {
  protocol::BuildReply reply;
  reply.ok = true;
  reply.code = bytesOf(request.library ? "library of" : "program of");
  for (const wire::Bytes &module : request.modules) {
    reply.code.push_back(' ');
    reply.code.insert(reply.code.end(), module.begin(), module.end());
  }
  reply.libraries = zygote::libraries();
  return wire::pack(reply);
}

wire::Bytes code(wire::Bytes bytes) {
  protocol::BuildRequest request;
  protocol::BuildReply reply;
  if (!wire::unpack(bytes, request))
    return {};
  if (request.task == protocol::Task::Assemble)
    return assemble(request);
  if (request.task == protocol::Task::Link)
    return link(request);
  std::string done = obey(request.pipeline);
  reply.ok = true;
  if (request.pipeline == "chatty")
    reply.log.assign(5 << 20, 'x');
  reply.info.kernels.resize(1);
  reply.info.kernels[0].name = done;
  reply.code = bytesOf("code of " + done);
  reply.libraries = zygote::libraries();
  return wire::pack(reply);
}

} // namespace

int main(int argc, char **argv) {
  const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
  auto serving = zygote::invocation(argc, argv);
  if (!serving)
    return 1;
  if (!strcmp(name, "stranger")) { // reports another build
    send(serving->socket, "0123456789abcdef", 16, 0);
    sleep(1000);
  }
  if (!strcmp(name, "broken"))
    return fputs("a library is missing\n", stderr), 127;
  const char *loader = "error while loading shared libraries: "; // as the dynamic linker reports
  const char *noFile = "cannot open shared object file: No such file or directory";
  if (!strcmp(name, "unlinked"))
    return fprintf(stderr, "unlinked: %slibLLVM.so.22.1: %s\n", loader, noFile), 127;
  if (!strcmp(name, "foreign"))
    return fprintf(stderr, "foreign: %slibother.so.3: %s\n", loader, noFile), 127;
  if (!strcmp(name, "silent"))
    return 127;
  if (const char *library = getenv("KILN_FAKE_LIBRARY"))
    dlopen(library, RTLD_NOW);
  return zygote::serve(*serving, !strcmp(name, "kiln-clc") ? source : !strcmp(name, "kilnc") ? code : plain, {}, keep);
}
