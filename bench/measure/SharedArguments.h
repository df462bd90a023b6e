// The memory, samplers and queues of kernel arguments on one device. All variants share them, so that no variant has
// addresses that suit it better.
#pragma once
#include "bench/measure/Elements.h"
#include "bench/measure/ImageFormats.h"
#include "bench/opencl/Opencl.h"
#include <optional>

namespace bench {

struct ArgumentMemory {
  std::string words;              // "argument 0 (float* y)"
  Mem memory, storage;            // storage: the buffer of an image1d_buffer_t
  std::optional<Element> element; // of a buffer; empty: bytes
  std::optional<ImageShape> image;
  std::string content; // at first
};

struct SharedArguments {
  std::vector<ArgumentMemory> memory; // by the argument's index; the handle is null for other arguments
  std::vector<Sampler> samplers;
  std::vector<Mem> pipes;
  Queue deviceQueue;
};

/// Creates the object and gives it its content.
void createBuffer(const Session &session, ArgumentMemory &memory);
void createImage(const Session &session, ArgumentMemory &memory);
Sampler createSampler(const Session &session, const SamplerSpec &spec);

/// Writes the contents at first, and waits.
void restore(const Session &session, const SharedArguments &shared);
/// The contents of all buffers and images, by the argument's index; empty for others.
std::vector<std::string> contents(const Session &session, const SharedArguments &shared);

} // namespace bench
