#include "runtime/compiler/Compiler.h"
#include "KilnBuildId.h"
#include "base/protocol/BuildLog.h"
#include "base/protocol/Libraries.h"
#include "base/support/Checks.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include "base/support/Profile.h"
#include "base/support/Trace.h"
#include "runtime/cache/Cache.h"
#include "runtime/cache/Files.h"
#include "runtime/cache/UserKey.h"
#include "runtime/compiler/CompilerClient.h"
#include "runtime/compiler/FailedRequest.h"
#include "runtime/compiler/HostCpu.h"
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <mutex>
#include <unistd.h>

namespace kiln {
namespace {

struct SourceEntry {
  std::string log;
  wire::Bytes spirv;
  std::vector<protocol::IncludedFile> included;
  std::vector<std::string> missing;
  std::string libraries;
  auto fields() { return std::tie(log, spirv, included, missing, libraries); }
};

using CodeEntry = cache_entry::Code;

/// Returns true if all files are as they were when the entry was made.
bool current(const SourceEntry &entry) {
  auto unchanged = [](const protocol::IncludedFile &file) {
    return files::hasContent(file.name, file.size, file.digest);
  };
  auto exists = [](const std::string &path) { return access(path.c_str(), F_OK) == 0; };
  return librariesUnchanged(entry.libraries) && std::ranges::all_of(entry.included, unchanged) &&
         std::ranges::none_of(entry.missing, exists);
}

bool cacheable(const protocol::CompileRequest &request, const protocol::CompileReply &reply) {
  auto timeless = [](const protocol::Header &header) { return !protocol::usesTimeMacros(header.text); };
  return !protocol::usesTimeMacros(request.source) && std::ranges::none_of(request.options, protocol::usesTimeMacros) &&
         std::ranges::all_of(request.headers, timeless) &&
         std::ranges::none_of(reply.included, &protocol::IncludedFile::usesTime);
}

/// Returns true if a file that the compiler found or looked for is in the application's working folder.
bool usesWorkingFolder(const protocol::CompileRequest &request, const protocol::CompileReply &reply) {
  const std::string &folder = request.workingFolder;
  auto inside = [&](std::string_view path) { return !folder.empty() && path.starts_with(folder); };
  return std::any_of(reply.included.begin(), reply.included.end(),
                     [&](const protocol::IncludedFile &file) { return inside(file.name); }) ||
         std::any_of(reply.missing.begin(), reply.missing.end(), inside);
}

/// A line of libkiln in a build log.
std::string logLine(std::string_view sentence) { return "error: " + std::string(sentence) + "\n"; }

} // namespace

std::string_view buildId() { return KILN_BUILD_ID; }

Compiler &Compiler::get() {
  // Never destroyed, because threads of the application may build while it exits. The compilers see the end of file on
  // their sockets.
  static Compiler &compiler = *[] {
    const Options &options = kiln::options();
    zygote::Limits limits;
    limits.processorSeconds = std::max<uint64_t>(1, options.buildSeconds);
    limits.wallSeconds = limits.processorSeconds * 5;
    limits.memoryBytes = options.buildMemory;
    auto client = [&](const char *name) { return std::make_unique<CompilerClient>(name, options.compilerDir, limits); };
    return new Compiler(
        client("kiln-clc"), client("kilnc"),
        std::make_unique<Cache>(options.cache ? Cache::defaultFolder() : std::string(), options.cacheSize));
  }();
  return compiler;
}

Compiler::Compiler(std::unique_ptr<CompilerClient> frontEnd, std::unique_ptr<CompilerClient> codeGenerator,
                   std::unique_ptr<Cache> cache)
    : frontEnd_(std::move(frontEnd)), codeGenerator_(std::move(codeGenerator)), cache_(std::move(cache)) {}
Compiler::~Compiler() = default;

void Compiler::startInBackground() {
  frontEnd_->startInBackground();
  codeGenerator_->startInBackground();
}

void Compiler::stop() {
  frontEnd_->stop();
  codeGenerator_->stop();
}

SourceResult Compiler::compile(const protocol::CompileRequest &request) {
  trace::Span span("compile", "source");
  // The working folder is part of the key only where the compiler searched it, so that all other programs have one
  // entry whatever the folder is. An entry without it stays valid in every folder: the compiler finds the same files
  // as before, none of them through the working folder, as long as `current` holds.
  protocol::CompileRequest anywhere = request;
  anywhere.workingFolder.clear();
  const CacheKey anywhereKey = KeyBuilder().add("source").add(KILN_BUILD_ID).add(anywhere).finish();
  const CacheKey hereKey = KeyBuilder().add("source").add(KILN_BUILD_ID).add(request).finish();
  auto cached = [&]() -> std::optional<SourceResult> {
    for (const CacheKey &key : {anywhereKey, hereKey})
      if (auto found = cache_->find(key)) {
        SourceEntry entry;
        if (wire::unpack(found->data, entry) && current(entry)) {
          KILN_LOG(Debug, Cache, "source ", hexadecimal(key), " is cached");
          SourceResult result{true, std::move(entry.log), std::move(entry.spirv)};
          for (protocol::IncludedFile &file : entry.included)
            result.included.push_back(std::move(file.name));
          result.isCached = true;
          return result;
        }
      }
    return std::nullopt;
  };
  if (auto found = cached())
    return *found;
  BuildTurn turn = cache_->takeTurn(anywhereKey);
  if (turn.waited()) {
    if (auto found = cached())
      return *found;
    turn.release(); // the other build failed: those that waited need not fail serially
  }
  startInBackground(); // start both in parallel: the result of one goes to the other
  Result<wire::Bytes> bytes = frontEnd_->request(wire::pack(request));
  if (!bytes.ok())
    return {false,
            logLine(bytes.message()) + (bytes.code() == CL_BUILD_PROGRAM_FAILURE
                                            ? keepFailedRequest(request, bytes.message())
                                            : std::string()),
            {}};
  protocol::CompileReply reply;
  if (!wire::unpack(*bytes, reply))
    return {false, logLine("invalid reply of kiln-clc"), {}};
  reply.log = protocol::bounded(std::move(reply.log));
  if (reply.ok && cacheable(request, reply)) {
    const CacheKey &key = usesWorkingFolder(request, reply) ? hereKey : anywhereKey;
    SourceEntry entry{reply.log, reply.spirv, reply.included, std::move(reply.missing), std::move(reply.libraries)};
    cache_->store(key, wire::pack(entry), {});
  }
  SourceResult result{reply.ok, std::move(reply.log), std::move(reply.spirv)};
  for (protocol::IncludedFile &file : reply.included)
    result.included.push_back(std::move(file.name));
  return result;
}

namespace {

/// While the compilations of a process have taken less, it compiles code that launches have not earned yet. So a
/// process with few programs has fast kernels at once, and one with a hundred programs starts at most a second later.
constexpr uint64_t MaxTimeToPayAhead = 1'000'000'000; // nanoseconds of processors

/// The compilers have another working folder.
std::string absolute(const std::string &path) {
  std::error_code failed;
  std::string full = path.empty() ? path : std::filesystem::absolute(path, failed).string();
  return failed ? path : full;
}

/// The cache key of a build: everything that the result depends on.
CacheKey keyOf(protocol::BuildRequest request) {
  request.dumpFolder.clear();
  request.quickIfLarge = false;                                        // either form is a result of the request
  static const auto &host = *new const std::string(hostCpuIdentity()); // builds may run after static destructors
  KeyBuilder key;
  key.add("code").add(KILN_BUILD_ID).add(request);
  if (request.target == "cpu" || request.target.empty())
    key.add(host);
  for (const std::string &plugin : request.plugins)
    key.add(hexadecimal(files::digestOf(plugin).value_or(Sha256::Digest())));
  return key.finish();
}

struct BuildOutcome {
  bool ok = false;
  CodeEntry entry;
  std::shared_ptr<const CodeFile> code;
  std::string explored{};
  CacheKey key{};
  bool isCached = false;
  std::shared_ptr<const DeferredIr> deferredIr{};
  uint64_t spent = 0; // nanoseconds of processors that a compiler of this process took for it
};

/// Returns true if a build of this task has all that it must have.
bool isWhole(protocol::Task task, const BuildOutcome &outcome) {
  const size_t kernels = outcome.entry.info.kernels.size();
  if (task == protocol::Task::Build)
    return outcome.code || (kernels && outcome.entry.deferred.size() == kernels);
  return bool(outcome.code) == (task == protocol::Task::Generate);
}

BuildOutcome failed(std::string_view sentence) { return {false, {logLine(sentence), {}, {}, {}}, nullptr}; }

/// A build result with an HMAC, for program binaries. The HMAC covers the cache key, which covers the modules, all
/// options and this build of Kiln. So code is never used for anything else than it was built from.
struct AuthenticatedCode {
  CacheKey key{};
  Sha256::Digest mac{};
  wire::Bytes entry, code; // as in the cache
  auto fields() { return std::tie(key, mac, entry, code); }

  Sha256::Digest makeMac(const UserKey &secret) const {
    Hmac hash(secret);
    auto add = [&](const void *data, uint64_t size) {
      hash.update(&size, sizeof size);
      hash.update(data, size);
    };
    constexpr std::string_view purpose = "Kiln's code in a program binary";
    add(purpose.data(), purpose.size());
    add(key.data(), key.size());
    add(entry.data(), entry.size());
    add(code.data(), code.size());
    return hash.finish();
  }
};

/// Returns the code if it has a valid HMAC and belongs to the request with this key, and its entry in `entry`. The
/// entry is parsed only after both checks.
std::optional<AuthenticatedCode> verifyBinaryCode(const wire::Bytes &bytes, const CacheKey &key, CodeEntry &entry) {
  auto reject = [](const char *why) {
    KILN_LOG(Info, Cache, "the code in a program binary is not used: ", why);
    return std::nullopt;
  };
  AuthenticatedCode authenticated;
  if (!wire::unpack(bytes, authenticated) || authenticated.code.empty())
    return reject("it is damaged");
  if (authenticated.key != key)
    return reject("it was built from other inputs, for another machine, or by another build of Kiln");
  if (!userKey() || !equalConstantTime(authenticated.makeMac(*userKey()), authenticated.mac))
    return reject("its HMAC is not valid for this user");
  if (!wire::unpack(authenticated.entry, entry) || !librariesUnchanged(entry.libraries))
    return reject("the compiler's libraries have changed");
  return authenticated;
}

/// The cache key of the LLVM IR of deferred kernels. It is apart from the program's entry because it is large, and only
/// read to generate code.
CacheKey keyOfIr(const CacheKey &program) { return KeyBuilder().add("deferred").add(hexadecimal(program)).finish(); }

/// Returns true if each deferred kernel is a kernel of the program and has its LLVM IR.
bool isConsistent(const protocol::BuildReply &reply) {
  return reply.deferred.size() == reply.deferredIr.size() &&
         std::ranges::all_of(reply.deferred, [&](const protocol::DeferredKernel &deferred) {
           return deferred.effort <= Effort::Full &&
                  std::ranges::find(reply.info.kernels, deferred.name, &KernelInfo::name) != reply.info.kernels.end();
         });
}

/// A dump and the explorer's page need a real compilation.
/// Returns false if KILN_DUMP is empty, or cannot be written; the first call logs that.
bool canDump() {
  static const bool can = [] {
    const std::string &folder = options().dump;
    if (folder.empty())
      return false;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
      KILN_LOG(Error, Compile, "KILN_DUMP is ", folder, ", which cannot be written: ", error.message());
    return !error;
  }();
  return can;
}

bool needsCompilation(const protocol::BuildRequest &request) { return !request.dumpFolder.empty() || request.explore; }

std::optional<BuildOutcome> findBuilt(Cache &cache, const protocol::BuildRequest &request, const CacheKey &key) {
  auto found = cache.find(key);
  BuildOutcome outcome{true, {}, found ? std::move(found->code) : nullptr, {}, key, true};
  if (!found || !wire::unpack(found->data, outcome.entry) || !librariesUnchanged(outcome.entry.libraries) ||
      !isWhole(request.task, outcome))
    return std::nullopt;
  KILN_LOG(Debug, Cache, "code ", hexadecimal(key), " is cached");
  return outcome;
}

/// Sends a request unless the cache, or the code of a program binary, has its result. `addModules`, if not null, adds
/// the modules of a request whose key does not depend on them.
BuildOutcome requestBuild(CompilerClient &client, Cache &cache, protocol::BuildRequest request,
                          const wire::Bytes &binaryCode = {},
                          const std::function<Status(protocol::BuildRequest &)> &addModules = {}) {
  const CacheKey key = keyOf(request);
  const bool isSpirv = request.task != protocol::Task::Build && request.task != protocol::Task::Generate;
  auto cached = [&] { return findBuilt(cache, request, key); };
  if (!needsCompilation(request)) {
    if (auto found = cached())
      return std::move(*found);
    BuildOutcome fromBinary{true, {}, nullptr, {}, key};
    if (auto verified = binaryCode.empty() ? std::nullopt : verifyBinaryCode(binaryCode, key, fromBinary.entry))
      if ((fromBinary.code = cache.store(key, verified->entry, verified->code))) {
        KILN_LOG(Debug, Cache, "code ", hexadecimal(key), " is from a program binary");
        return fromBinary;
      }
  }
  BuildTurn turn = needsCompilation(request) ? BuildTurn() : cache.takeTurn(key);
  if (turn.waited()) {
    if (auto found = cached())
      return std::move(*found);
    turn.release(); // as in Compiler::compile
  }
  // A variant is worth finishing for later processes if this one ends.
  std::optional<CompilerClient::LeftBehind> leftBehind;
  if (options().finishVariants && !request.specialisations.empty() && turn.descriptor() >= 0)
    leftBehind = {turn.descriptor(), wire::pack(cache.place(key))};
  if (addModules)
    if (Status added = addModules(request); !added.ok())
      return failed(added.message());
  Result<wire::Bytes> bytes = client.request(wire::pack(request), leftBehind);
  if (!bytes.ok() && request.explore) {
    // The description of all stages needs memory and time, and must not fail a build that is near its limits.
    KILN_LOG(Warn, Program, "the explorer's page leaves out a variant for ", request.target, ": ", bytes.message());
    protocol::BuildRequest plain = request;
    plain.explore = false;
    return requestBuild(client, cache, plain, binaryCode);
  }
  if (!bytes.ok()) {
    BuildOutcome outcome = failed(bytes.message());
    if (bytes.code() == CL_BUILD_PROGRAM_FAILURE)
      outcome.entry.log += keepFailedRequest(request, bytes.message());
    return outcome;
  }
  protocol::BuildReply reply;
  if (!wire::unpack(*bytes, reply) || !isConsistent(reply))
    return failed("invalid reply of kilnc");
  BuildOutcome outcome{reply.ok,
                       {protocol::bounded(std::move(reply.log)),
                        std::move(reply.info),
                        {},
                        std::move(reply.libraries),
                        std::move(reply.deferred),
                        reply.processorNanoseconds,
                        reply.isQuick},
                       nullptr,
                       std::move(reply.explored),
                       key};
  outcome.spent = reply.processorNanoseconds;
  if (!reply.ok)
    return outcome;
  if (isSpirv)
    outcome.entry.spirv = std::exchange(reply.code, {});
  if (!outcome.entry.deferred.empty()) {
    outcome.deferredIr = std::make_shared<const DeferredIr>(std::move(reply.deferredIr));
    cache.store(keyOfIr(key), wire::pack(*outcome.deferredIr), {});
  }
  outcome.code = cache.store(key, wire::pack(outcome.entry), reply.code);
  if (!isWhole(request.task, outcome))
    return failed("cannot create a file for the code");
  return outcome;
}

} // namespace

CodeResult Compiler::inspect(std::vector<wire::Bytes> modules) {
  trace::Span span("compile", "inspect");
  protocol::BuildRequest request;
  request.task = protocol::Task::Inspect;
  request.modules = std::move(modules);
  request.target = "cpu";
  BuildOutcome outcome = requestBuild(*codeGenerator_, *cache_, request);
  return {outcome.ok, std::move(outcome.entry.log), std::move(outcome.entry.info), nullptr, {}};
}

SourceResult Compiler::link(std::vector<wire::Bytes> modules, bool library) {
  trace::Span span("compile", "link");
  protocol::BuildRequest request;
  request.task = protocol::Task::Link;
  request.modules = std::move(modules);
  request.target = "cpu";
  request.library = library;
  BuildOutcome outcome = requestBuild(*codeGenerator_, *cache_, request);
  return {outcome.ok, std::move(outcome.entry.log), std::move(outcome.entry.spirv)};
}

namespace {
/// The user's pass pipeline for a target; empty: the default.
std::string pipelineFor(const std::string &target) {
  std::string name = "PIPELINE_";
  for (char c : target.substr(0, target.find(':')))
    name += char(std::toupper(static_cast<unsigned char>(c)));
  const std::string *pipeline = options().text(name);
  return pipeline ? *pipeline : "";
}
/// Returns true if no switch replaces, shows or compares code, or needs that of the whole program at once.
bool isPlain(const protocol::BuildRequest &request) {
  return request.pipeline.empty() && request.plugins.empty() && request.dumpFolder.empty() && !request.explore &&
         !request.scalar && !request.strict && request.specialisations.empty() && !request.hashKernels &&
         options().capture.empty();
}
/// The same, and no switch chooses the form.
bool hasFreeForm(const protocol::BuildRequest &request) {
  const std::string &variants = options().variants;
  return isPlain(request) && (variants == "earned" || variants == "mixed") && !request.machineWidth &&
         !request.checkAssumptions && !request.checkMemory && !request.checkBarriers && !request.checkRaces &&
         !request.checkInit;
}
/// Fills in values from the environment.
void complete(protocol::BuildRequest &request) {
  const Options &options = kiln::options();
  request.task = protocol::Task::Build;
  if (request.pipeline.empty() && !request.scalar)
    request.pipeline = pipelineFor(request.target);
  request.hashKernels &= !request.scalar;
  if (request.plugins.empty() && !request.scalar)
    request.plugins = splitList(options.passPlugins, ':');
  if (request.dumpFolder.empty() && canDump())
    request.dumpFolder = options.dump;
  request.strict = options.crossCheck && std::string_view(request.target).starts_with("cpu");
  if (request.scalar)
    request.machineWidth = 1;
  else if (request.machineWidth == 0 && std::string_view(request.target).starts_with("cpu"))
    request.machineWidth = options.cpuMachineWidth;
  request.checkAssumptions |= options.checkAssumptions;
  request.checkMemory |= checks().memory;
  request.checkBarriers |= checks().barriers;
  if (std::string_view(request.target).starts_with("cpu")) {
    request.checkRaces |= checks().races;
    request.checkInit |= checks().init;
  } else if (checks().tracks()) {
    static std::once_flag once;
    std::call_once(once, [&] {
      KILN_LOG(Error, Compile, "KILN_CHECK=races,init does not check kernels on GPUs (", request.target, ")");
    });
  }
  request.explore = !options.explore.empty() && !request.scalar;
  if (const Profile *chosen = profile())
    request.subGroupSize = chosen->subGroupSize;
  for (std::string &plugin : request.plugins)
    plugin = absolute(plugin);
  request.dumpFolder = absolute(request.dumpFolder);
  request.deferKernels &= options.deferKernels && isPlain(request);
  request.quickForm &= options.quickForm && hasFreeForm(request);
}

CodeResult resultOf(BuildOutcome outcome) {
  return {outcome.ok,
          std::move(outcome.entry.log),
          std::move(outcome.entry.info),
          std::move(outcome.code),
          std::move(outcome.entry.libraries),
          std::move(outcome.explored),
          outcome.key,
          outcome.isCached,
          outcome.entry.nanoseconds,
          std::move(outcome.entry.deferred),
          std::move(outcome.deferredIr),
          outcome.entry.isQuick};
}
} // namespace

bool Compiler::choosesForms(protocol::BuildRequest request) {
  complete(request);
  return hasFreeForm(request) && !request.flags.unoptimised;
}

CodeResult Compiler::build(protocol::BuildRequest request, const wire::Bytes &binaryCode) {
  return build(std::move(request), binaryCode, paysAhead());
}

bool Compiler::paysAhead() const { return compiledFor_.load(std::memory_order_relaxed) < MaxTimeToPayAhead; }

CodeResult Compiler::build(protocol::BuildRequest request, const wire::Bytes &binaryCode, bool quickIfLarge) {
  trace::Span span("compile", "build");
  complete(request);
  request.quickIfLarge = request.quickForm && quickIfLarge;
  BuildOutcome outcome = requestBuild(*codeGenerator_, *cache_, request, binaryCode);
  compiledFor_.fetch_add(outcome.spent, std::memory_order_relaxed);
  return resultOf(std::move(outcome));
}

std::optional<CodeResult> Compiler::find(protocol::BuildRequest request) {
  complete(request);
  if (needsCompilation(request))
    return {};
  std::optional<BuildOutcome> found = findBuilt(*cache_, request, keyOf(request));
  return found ? std::optional(resultOf(std::move(*found))) : std::nullopt;
}

CacheKey Compiler::experienceKey(protocol::BuildRequest request) {
  complete(request);
  return KeyBuilder().add("experience").add(hexadecimal(keyOf(request))).finish();
}

void Compiler::remember(const CacheKey &key, Experience experience) { cache_->store(key, wire::pack(experience), {}); }

Experience Compiler::experience(const CacheKey &key) {
  Experience experience;
  const auto found = cache_->find(key);
  if (!found || !wire::unpack(found->data, experience) || experience.verdict > Verdict::Slower)
    return {};
  return experience;
}

Result<wire::Bytes> Compiler::irOf(const protocol::BuildRequest &program, const CodeResult &built,
                                   const protocol::DeferredKernel &kernel) {
  auto in = [&](const CodeResult &result, const DeferredIr &ir) -> std::optional<wire::Bytes> {
    const auto found = std::ranges::find(result.deferred, kernel.name, &protocol::DeferredKernel::name);
    const auto index = size_t(found - result.deferred.begin());
    return index < ir.modules.size() ? std::optional(ir.modules[index]) : std::nullopt;
  };
  if (built.deferredIr)
    if (auto found = in(built, *built.deferredIr))
      return std::move(*found);
  DeferredIr kept;
  if (auto entry = cache_->find(keyOfIr(built.key)); entry && wire::unpack(entry->data, kept))
    if (auto found = in(built, kept); found && Sha256::of(found->data(), found->size()) == kernel.digest)
      return std::move(*found);
  KILN_LOG(Info, Cache, "the LLVM IR of kernel ", kernel.name, " is no longer in the cache");
  drop(built.key);
  CodeResult again = build(program, {}, !built.isQuick);
  if (again.deferredIr)
    if (auto found = in(again, *again.deferredIr))
      return std::move(*found);
  return fail(CL_OUT_OF_RESOURCES, "the program cannot be compiled again: ", again.log);
}

CodeResult Compiler::generate(const protocol::BuildRequest &program, const CodeResult &built,
                              const protocol::DeferredKernel &kernel) {
  trace::Span span("compile", "generate");
  protocol::BuildRequest request;
  request.task = protocol::Task::Generate;
  request.target = program.target;
  request.flags = program.flags;
  request.deferred = kernel;
  BuildOutcome outcome =
      requestBuild(*codeGenerator_, *cache_, request, {}, [&](protocol::BuildRequest &sent) -> Status {
        sent.modules = {KILN_TRY(irOf(program, built, kernel))};
        return {};
      });
  compiledFor_.fetch_add(outcome.spent, std::memory_order_relaxed);
  CodeResult result = resultOf(std::move(outcome));
  for (const KernelInfo &info : built.info.kernels)
    if (info.name == kernel.name)
      result.info.kernels = {info};
  return result;
}

void Compiler::drop(const CacheKey &key) { cache_->drop(key); }

wire::Bytes Compiler::authenticate(protocol::BuildRequest request, const CodeResult &built) {
  if (!userKey())
    return {};
  complete(request);
  AuthenticatedCode authenticated;
  authenticated.key = keyOf(request);
  authenticated.entry =
      wire::pack(CodeEntry{{}, built.info, {}, built.libraries, {}, built.nanoseconds, built.isQuick});
  authenticated.code = built.code->read();
  if (authenticated.code.empty())
    return {};
  authenticated.mac = authenticated.makeMac(*userKey());
  return wire::pack(authenticated);
}

} // namespace kiln
