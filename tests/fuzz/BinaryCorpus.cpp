// Writes seeds for the fuzzer of program binaries: make-binary-corpus FOLDER. BinaryFuzzer.cpp describes the input.
#include "base/abi/ProgramInfo.h"
#include "base/protocol/BuildOptions.h"
#include "runtime/program/Binary.h"
#include <filesystem>
#include <fstream>
#include <iostream>

using namespace kiln;

namespace {

struct Corpus {
  std::filesystem::path folder;
  int count = 0;

  void add(uint8_t kind, const wire::Bytes &bytes) {
    std::ofstream out(folder / ("seed-" + std::to_string(count++)), std::ios::binary);
    out.put(char(kind));
    out.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
  }
};

KernelInfo kernelWith(std::string name, const std::vector<ArgKind> &kinds) {
  KernelInfo kernel;
  kernel.name = kernel.entry = std::move(name);
  kernel.attributes = "reqd_work_group_size(8,1,1)";
  kernel.plan.maxWorkGroupSize = 64;
  kernel.plan.prefersFixedLocalSize = true;
  for (ArgKind kind : kinds) {
    uint32_t size = kind == ArgKind::Value ? 4 : 8;
    uint32_t offset = uint32_t(kernel.argumentBytes + size - 1) / size * size;
    kernel.args.push_back({.kind = kind, .offset = offset, .size = size, .name = "a", .typeName = "int"});
    kernel.argumentBytes = offset + size;
  }
  return kernel;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return std::cerr << "usage: make-binary-corpus FOLDER\n", 1;
  Corpus corpus{argv[1]};
  std::filesystem::create_directories(corpus.folder);

  constexpr ptrdiff_t Head = 16;
  for (cl_program_binary_type type :
       {CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, CL_PROGRAM_BINARY_TYPE_LIBRARY, CL_PROGRAM_BINARY_TYPE_EXECUTABLE})
    for (const protocol::CodeFlags &flags :
         {protocol::CodeFlags{}, {.madEnable = true}, {.debug = true, .noSignedZeros = true, .relaxedMath = true}}) {
      ProgramModule module;
      module.binaryType = type;
      module.options = optionsOf(flags);
      module.flags = flags;
      module.spirv = {3, 2, 35, 7, 0, 0, 1, 0};
      module.specConstants = {{7, {1, 2, 3, 4}}, {8, {1}}};
      module.code = {1, 2, 3};
      wire::Bytes bytes = packBinary(module);
      corpus.add(0, {bytes.begin() + Head, bytes.end()});
      corpus.add(2, bytes);
    }

  using enum ArgKind;
  ProgramInfo info;
  corpus.add(1, wire::pack(info));
  info.kernels = {kernelWith("none", {})};
  corpus.add(1, wire::pack(info));
  info.kernels = {kernelWith("one", {Global, Value}), kernelWith("two", {Local, Constant, Value, Local}),
                  kernelWith("all", {Value, Global, Constant, Local, Image, Sampler, Pipe, Queue})};
  info.kernels[1].requiredLocalSize = {8, 1, 1};
  corpus.add(1, wire::pack(info));
  info.specConstants = {{1, 4}};
  info.variables = {.size = 64, .alignment = 16, .largest = 32, .image = wire::Bytes(40), .relocations = {{8, 16}}};
  corpus.add(1, wire::pack(info));
  std::cout << corpus.count << " seeds in " << corpus.folder << "\n";
}
