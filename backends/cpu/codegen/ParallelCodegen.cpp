#include "backends/cpu/codegen/ParallelCodegen.h"
#include "backends/cpu/codegen/MemoryShare.h"
#include "backends/llvm/SeparateKernels.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <csignal>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kiln {
namespace {

// For fewer instructions a fork costs more than it saves.
constexpr unsigned MinInstructionsPerFork = 200;
constexpr size_t MaxParts = 16;

struct Kernel {
  llvm::Function *entry;
  unsigned instructions; // of all functions that the entry reaches
  Effort effort;
};

struct Part {
  std::vector<llvm::Function *> entries;
  Effort effort;
  unsigned instructions = 0;
  std::optional<uint64_t> memory = std::nullopt; // by which the process that compiles it may grow
};

size_t processors() {
  cpu_set_t mine;
  return sched_getaffinity(0, sizeof mine, &mine) == 0 ? size_t(CPU_COUNT(&mine)) : 1;
}

/// Assigns kernels, largest first, to the part with the fewest instructions. All kernels of a part have one effort.
std::vector<Part> divide(std::vector<Kernel> kernels) {
  llvm::sort(kernels, [](const Kernel &a, const Kernel &b) {
    return a.instructions != b.instructions ? a.instructions > b.instructions : a.entry->getName() < b.entry->getName();
  });
  unsigned whole = 0;
  for (const Kernel &kernel : kernels)
    whole += kernel.instructions;
  size_t most = std::clamp<size_t>(whole / MinInstructionsPerFork, 1, std::min(processors(), MaxParts));
  std::vector<Part> parts;
  for (const Kernel &kernel : kernels) {
    Part *least = nullptr;
    for (Part &part : parts)
      if (part.effort == kernel.effort && (!least || part.instructions < least->instructions))
        least = &part;
    if (!least || parts.size() < most)
      least = &parts.emplace_back(Part{{}, kernel.effort});
    least->entries.push_back(kernel.entry);
    least->instructions += kernel.instructions;
  }
  return parts;
}

/// Gives each part its share of the memory that is left for the build.
void shareMemory(std::vector<Part> &parts) {
  std::optional<uint64_t> left = memoryLeft();
  if (!left || parts.size() == 1)
    return;
  uint64_t instructions = 0;
  for (const Part &part : parts)
    instructions += part.instructions;
  for (Part &part : parts)
    part.memory = memoryShare(*left, unsigned(parts.size()), part.instructions, instructions);
}

/// Removes everything that the part's kernels do not reach. If several parts need a function, the linker keeps one
/// copy. (Functions are not made internal: LLVM would inline those with one call regardless of cost and lose their
/// argument attributes.)
void keepOnly(llvm::Module &module, const Part &part) {
  llvm::DenseSet<const llvm::GlobalValue *> needed;
  for (llvm::Function *entry : part.entries)
    for (const llvm::GlobalValue *global : reachedFrom(*entry))
      needed.insert(global);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (!needed.contains(&function))
      function.deleteBody();
    else if (!llvm::is_contained(part.entries, &function)) {
      function.setLinkage(llvm::GlobalValue::LinkOnceODRLinkage);
      function.setVisibility(llvm::GlobalValue::HiddenVisibility);
    }
  }
  for (llvm::GlobalVariable &variable : module.globals())
    if (!variable.isDeclaration())
      variable.setLinkage(llvm::GlobalValue::InternalLinkage);
}

Object compile(llvm::Module &module, const Target &target, const Part &part) {
  std::optional<GrowthLimit> limit;
  if (part.memory)
    limit.emplace(*part.memory);
  keepOnly(module, part);
  target.optimise(module, part.effort, {});
  return emit(module, target, llvm::CodeGenFileType::ObjectFile, part.effort);
}

/// A part that a forked process compiles.
struct Fork {
  const Part *part;
  pid_t process = -1;
  int file = -1; // memory file that receives the object
};

bool writeAll(int file, llvm::ArrayRef<char> bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(file, bytes.data(), bytes.size());
    if (written <= 0)
      return false;
    bytes = bytes.drop_front(size_t(written));
  }
  return true;
}

Object readAll(int file) {
  Object bytes;
  bytes.resize_for_overwrite(size_t(std::max<off_t>(0, lseek(file, 0, SEEK_END))));
  for (size_t done = 0; done < bytes.size();) {
    ssize_t got = pread(file, bytes.data() + done, bytes.size() - done, off_t(done));
    if (got <= 0)
      llvm::report_fatal_error("cannot read an object from a memory file");
    done += size_t(got);
  }
  return bytes;
}

Fork start(llvm::Module &module, const Target &target, const Part &part) {
  Fork fork{&part};
  fork.file = memfd_create("kiln-object", MFD_CLOEXEC);
  if (fork.file < 0)
    return fork;
  pid_t parent = getpid();
  fork.process = ::fork();
  if (fork.process != 0)
    return fork;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
  if (writeAll(fork.file, compile(module, target, part)))
    _exit(0);
  llvm::errs() << "cannot write an object to a memory file: " << strerror(errno) << "\n";
  _exit(1);
}

Object finish(const Fork &fork) {
  int status = 0;
  while (waitpid(fork.process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
  }
  if (status)
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  return readAll(fork.file);
}

} // namespace

std::vector<Object> compileInParallel(llvm::Module &module, const Target &target, llvm::ArrayRef<EntryCode> entries) {
  std::vector<Kernel> kernels;
  for (const auto &[name, effort] : entries) {
    llvm::Function *entry = module.getFunction(name);
    kernels.push_back({entry, instructionsOf(reachedFrom(*entry)), effort});
  }
  if (kernels.empty())
    return {};
  std::vector<Part> parts = divide(std::move(kernels));
  shareMemory(parts);
  std::vector<Fork> forks;
  for (const Part &part : llvm::drop_begin(parts))
    forks.push_back(start(module, target, part));
  // If a fork failed, its part is compiled here, before the first part modifies the module.
  std::vector<Object> objects;
  for (Fork &fork : forks)
    if (fork.process < 0) {
      auto copy = llvm::CloneModule(module);
      Part part{{}, fork.part->effort, fork.part->instructions, fork.part->memory};
      for (llvm::Function *entry : fork.part->entries)
        part.entries.push_back(copy->getFunction(entry->getName()));
      objects.push_back(compile(*copy, target, part));
    }
  objects.push_back(compile(module, target, parts.front()));
  for (Fork &fork : forks) {
    if (fork.process > 0)
      objects.push_back(finish(fork));
    if (fork.file >= 0)
      close(fork.file);
  }
  return objects;
}

} // namespace kiln
