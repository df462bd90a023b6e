#include "runtime/queue/Command.h"
#include <cstring>

namespace kiln {

Pattern::Pattern(const void *bytes, size_t size) : size_(size) { std::memcpy(bytes_.data(), bytes, size); }

namespace {
struct Type {
  cl_command_type operator()(const Marker &c) { return c.barrier ? CL_COMMAND_BARRIER : CL_COMMAND_MARKER; }
  cl_command_type operator()(const UnmapMem &) { return CL_COMMAND_UNMAP_MEM_OBJECT; }
  cl_command_type operator()(const NDRange &c) { return c.task ? CL_COMMAND_TASK : CL_COMMAND_NDRANGE_KERNEL; }
  cl_command_type operator()(const Migrate &) { return CL_COMMAND_MIGRATE_MEM_OBJECTS; }
  cl_command_type operator()(const RareCommand &c) { return std::visit(*this, c.command); }
  cl_command_type operator()(const NativeKernel &) { return CL_COMMAND_NATIVE_KERNEL; }
  cl_command_type operator()(const FreeMemory &) { return CL_COMMAND_SVM_FREE; }
  cl_command_type operator()(const RecordedCommands &) { return CL_COMMAND_COMMAND_BUFFER_KHR; }
  template <typename Other> cl_command_type operator()(const Other &c) { return c.type; }
  cl_command_type operator()(const Transfer &) { return CL_COMMAND_MIGRATE_MEM_OBJECTS; } // never reported
};
} // namespace

cl_command_type commandType(const Command &command) { return std::visit(Type{}, command); }

const char *commandName(cl_command_type type) {
  switch (type) {
  case CL_COMMAND_MARKER:
    return "marker";
  case CL_COMMAND_BARRIER:
    return "barrier";
  case CL_COMMAND_READ_BUFFER:
    return "read buffer";
  case CL_COMMAND_READ_BUFFER_RECT:
    return "read buffer rect";
  case CL_COMMAND_WRITE_BUFFER:
    return "write buffer";
  case CL_COMMAND_WRITE_BUFFER_RECT:
    return "write buffer rect";
  case CL_COMMAND_COPY_BUFFER:
    return "copy buffer";
  case CL_COMMAND_COPY_BUFFER_RECT:
    return "copy buffer rect";
  case CL_COMMAND_FILL_BUFFER:
    return "fill buffer";
  case CL_COMMAND_MAP_BUFFER:
    return "map buffer";
  case CL_COMMAND_READ_IMAGE:
    return "read image";
  case CL_COMMAND_WRITE_IMAGE:
    return "write image";
  case CL_COMMAND_COPY_IMAGE:
    return "copy image";
  case CL_COMMAND_COPY_IMAGE_TO_BUFFER:
    return "copy image to buffer";
  case CL_COMMAND_COPY_BUFFER_TO_IMAGE:
    return "copy buffer to image";
  case CL_COMMAND_FILL_IMAGE:
    return "fill image";
  case CL_COMMAND_MAP_IMAGE:
    return "map image";
  case CL_COMMAND_UNMAP_MEM_OBJECT:
    return "unmap";
  case CL_COMMAND_NDRANGE_KERNEL:
    return "kernel";
  case CL_COMMAND_TASK:
    return "task";
  case CL_COMMAND_MIGRATE_MEM_OBJECTS:
    return "migrate";
  case CL_COMMAND_NATIVE_KERNEL:
    return "native kernel";
  case CL_COMMAND_SVM_FREE:
    return "free memory";
  case CL_COMMAND_SVM_MEMCPY:
  case CL_COMMAND_MEMCPY_INTEL:
    return "copy memory";
  case CL_COMMAND_SVM_MEMFILL:
  case CL_COMMAND_MEMFILL_INTEL:
    return "fill memory";
  case CL_COMMAND_SVM_MAP:
    return "map memory";
  case CL_COMMAND_SVM_UNMAP:
    return "unmap memory";
  case CL_COMMAND_SVM_MIGRATE_MEM:
  case CL_COMMAND_MIGRATEMEM_INTEL:
    return "migrate memory";
  case CL_COMMAND_MEMADVISE_INTEL:
    return "advise memory";
  case CL_COMMAND_COMMAND_BUFFER_KHR:
    return "command buffer";
  case CL_COMMAND_USER:
    return "user event";
  }
  return "command";
}

} // namespace kiln
