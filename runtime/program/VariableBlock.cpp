#include "runtime/program/VariableBlock.h"
#include "backends/KernelAbi.h"
#include "runtime/support/Futex.h"
#include <bit>
#include <cstring>

namespace kiln {
namespace {

Status check(const ProgramVariables &variables, const DeviceInfo &limits) {
  if (variables.largest > limits.maxGlobalVariableSize)
    return fail(CL_BUILD_PROGRAM_FAILURE, "error: a program variable of ", variables.largest, " bytes; device ",
                limits.name, " has room for ", limits.maxGlobalVariableSize);
  if (variables.size > limits.maxAllocSize || variables.alignment > limits.maxAllocSize)
    return fail(CL_BUILD_PROGRAM_FAILURE, "error: program variables of ", variables.size, " bytes, aligned to ",
                variables.alignment, "; device ", limits.name, " has room for ", limits.maxAllocSize);
  bool fits = std::has_single_bit(variables.alignment) && variables.image.size() <= variables.size;
  for (const Relocation &relocation : variables.relocations)
    fits &= variables.image.size() >= sizeof(uint64_t) &&
            relocation.offset <= variables.image.size() - sizeof(uint64_t);
  return fits ? Status()
              : fail(CL_BUILD_PROGRAM_FAILURE, "error: what is known of the program variables makes no sense");
}

/// The image, with its addresses, and zeros behind it: for memory that the host does not see.
class Initialise final : public Operation {
public:
  Initialise(Memory &memory, size_t offset, wire::Bytes image, size_t size)
      : memory_(memory), offset_(offset), image_(std::move(image)), size_(size) {}

  Status issue(Stream &stream) override {
    if (!image_.empty()) {
      Region from;
      from.host = reinterpret_cast<std::byte *>(image_.data());
      KILN_TRY(stream.copy(flat({.memory = &memory_}, offset_, image_.size()), flat(from, 0, image_.size())));
    }
    constexpr std::byte Zero{};
    if (image_.size() < size_)
      KILN_TRY(stream.fill(flat({.memory = &memory_}, offset_ + image_.size(), size_ - image_.size()), {&Zero, 1}));
    return {};
  }
  // The stream still has this in hands when it wakes the thread that waits.
  void ended(cl_int code, uint64_t, uint64_t) override {
    std::shared_ptr<Initialise> self = std::move(self_);
    code_ = code;
    ended_.store(1, std::memory_order_seq_cst);
    sleepers_.wake(ended_);
  }

  static Status run(Stream &stream, std::shared_ptr<Initialise> operation) {
    operation->self_ = operation;
    stream.submit(*operation);
    stream.flush();
    auto done = [](const void *self) { return static_cast<const Initialise *>(self)->ended_.load() != 0; };
    stream.help({done, operation.get()});
    operation->sleepers_.wait(operation->ended_, [&] { return done(operation.get()); });
    return operation->code_ == CL_SUCCESS
               ? Status()
               : fail(operation->code_, "error: the program variables cannot be initialised on the device");
  }

private:
  static Region flat(Region region, size_t offset, size_t size) {
    region.offset = offset;
    region.rowPitch = region.slicePitch = size;
    region.extent = {size, 1, 1};
    return region;
  }

  Memory &memory_;
  const size_t offset_;
  wire::Bytes image_;
  const size_t size_;
  cl_int code_ = CL_SUCCESS;
  std::atomic<uint32_t> ended_{0};
  Sleepers sleepers_;
  std::shared_ptr<Initialise> self_;
};

} // namespace

Result<VariableBlock> VariableBlock::create(Device &device, const ProgramVariables &variables) {
  VariableBlock block;
  if (!variables.size)
    return block;
  KILN_TRY(check(variables, device.info()));
  // Devices align what they allocate for every type of OpenCL C; more is what a program asks for in so many words.
  const uint64_t alignment = variables.alignment;
  const uint64_t slack = alignment > abi::LocalAlignment ? alignment - abi::LocalAlignment : 0;
  block.memory_ = KILN_TRY(device.allocate(variables.size + slack));
  Memory &memory = *block.memory_;
  block.address_ = (memory.address + alignment - 1) / alignment * alignment;
  const size_t offset = block.address_ - memory.address;

  wire::Bytes image = variables.image;
  for (const Relocation &relocation : variables.relocations) {
    uint64_t target = block.address_ + relocation.target;
    std::memcpy(image.data() + relocation.offset, &target, sizeof target);
  }
  if (auto *host = static_cast<std::byte *>(memory.host)) {
    if (!image.empty())
      std::memcpy(host + offset, image.data(), image.size());
    std::memset(host + offset + image.size(), 0, variables.size - image.size());
    return block;
  }
  std::unique_ptr<Stream> stream = KILN_TRY(device.createStream());
  KILN_TRY(
      Initialise::run(*stream, std::make_shared<Initialise>(memory, offset, std::move(image), variables.size)));
  return block;
}

} // namespace kiln
