// Chapter 5.8: programs.
#include "api/entry/Entry.h"

using namespace kiln;
using namespace kiln::api;

namespace {

std::string optionText(const char *options) { return options ? options : ""; }

std::vector<size_t> binarySizes(const Program &program) {
  std::vector<size_t> sizes;
  for (const DeviceObject *device : program.devices())
    sizes.push_back(program.binary(*device).size());
  return sizes;
}

Result<size_t> kernelCount(const Program &program) { return KILN_TRY(program.kernelNames()).size(); }

Result<std::string> kernelNames(const Program &program) {
  std::string joined;
  for (const std::string &name : KILN_TRY(program.kernelNames()))
    joined += (joined.empty() ? "" : ";") + name;
  return joined;
}

/// CL_PROGRAM_BINARIES: the value is an array of pointers to the caller's memory, one per device; null pointers are
/// skipped.
Status writeBinaries(const Program &program, size_t size, void *value, size_t *sizeRet) {
  size_t count = program.devices().size();
  auto targets = static_cast<unsigned char **>(value);
  if (value && size < count * sizeof *targets)
    return fail(CL_INVALID_VALUE, "param_value_size is ", size, ", must be at least ", count * sizeof *targets);
  for (size_t i = 0; value && i < count; ++i)
    if (targets[i]) {
      wire::Bytes binary = program.binary(*program.devices()[i]);
      std::copy(binary.begin(), binary.end(), targets[i]);
    }
  if (sizeRet)
    *sizeRet = count * sizeof *targets;
  return {};
}

} // namespace

cl_program CL_API_CALL clCreateProgramWithSource(cl_context handle, cl_uint count, const char **strings,
                                                 const size_t *lengths, cl_int *errcode) {
  return create("clCreateProgramWithSource", errcode, [&]() -> Result<cl_program> {
    Context *context = KILN_TRY(check::live<Context>(handle));
    if (!count || !strings)
      return fail(CL_INVALID_VALUE, "count is 0 or strings is null");
    std::string source;
    for (cl_uint i = 0; i < count; ++i) {
      if (!strings[i])
        return fail(CL_INVALID_VALUE, "strings[", i, "] is null");
      if (lengths && lengths[i])
        source.append(strings[i], lengths[i]);
      else
        source.append(strings[i]);
    }
    return Program::createWithSource(*context, std::move(source)).handle();
  });
}

cl_program CL_API_CALL clCreateProgramWithIL(cl_context handle, const void *il, size_t length, cl_int *errcode) {
  return create("clCreateProgramWithIL", errcode, [&]() -> Result<cl_program> {
    Context *context = KILN_TRY(check::live<Context>(handle));
    if (!il || !length)
      return fail(CL_INVALID_VALUE, "il is null or length is 0");
    auto *bytes = static_cast<const uint8_t *>(il);
    return KILN_TRY(Program::createWithIL(*context, wire::Bytes(bytes, bytes + length))).handle();
  });
}

cl_program CL_API_CALL clCreateProgramWithBinary(cl_context handle, cl_uint numDevices, const cl_device_id *deviceList,
                                                 const size_t *lengths, const unsigned char **binaries,
                                                 cl_int *binaryStatus, cl_int *errcode) {
  return create("clCreateProgramWithBinary", errcode, [&]() -> Result<cl_program> {
    Context *context = KILN_TRY(check::live<Context>(handle));
    if (!numDevices || !deviceList || !lengths || !binaries)
      return fail(CL_INVALID_VALUE, "num_devices is 0, or device_list, lengths or binaries is null");
    std::vector<DeviceObject *> devices;
    KILN_TRY(check::devices(context->devices(), numDevices, deviceList, devices));
    std::vector<std::span<const uint8_t>> contents;
    for (cl_uint i = 0; i < numDevices; ++i)
      contents.emplace_back(binaries[i], binaries[i] ? lengths[i] : 0);
    std::vector<cl_int> statuses;
    Result<Ref<Program>> made = Program::createWithBinary(*context, devices, contents, statuses);
    if (binaryStatus)
      std::copy_n(statuses.begin(), std::min<size_t>(statuses.size(), numDevices), binaryStatus);
    return KILN_TRY(std::move(made)).handle();
  });
}

cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context handle, cl_uint numDevices,
                                                         const cl_device_id *deviceList, const char *names,
                                                         cl_int *errcode) {
  return create("clCreateProgramWithBuiltInKernels", errcode, [&]() -> Result<cl_program> {
    Context *context = KILN_TRY(check::live<Context>(handle));
    if (!numDevices || !deviceList || !names)
      return fail(CL_INVALID_VALUE, "num_devices is 0, or device_list or kernel_names is null");
    std::vector<DeviceObject *> devices;
    KILN_TRY(check::devices(context->devices(), numDevices, deviceList, devices));
    return fail(CL_INVALID_VALUE, "no device has the built-in kernels ", names);
  });
}

cl_int CL_API_CALL clRetainProgram(cl_program program) {
  return enter("clRetainProgram", [&] { return check::retain<Program>(program); });
}

cl_int CL_API_CALL clReleaseProgram(cl_program program) {
  return enter("clReleaseProgram", [&] { return check::release<Program>(program); });
}

cl_int CL_API_CALL clSetProgramReleaseCallback(cl_program handle, Program::Callback callback, void *userData) {
  return enter("clSetProgramReleaseCallback", [&]() -> Status {
    Program *program = KILN_TRY(check::object<Program>(handle));
    if (!callback)
      return fail(CL_INVALID_VALUE, "the callback is null");
    return program->addReleaseCallback(callback, userData);
  });
}

cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program handle, cl_uint id, size_t size, const void *value) {
  return enter("clSetProgramSpecializationConstant", [&]() -> Status {
    Program *program = KILN_TRY(check::object<Program>(handle));
    if (!value)
      return fail(CL_INVALID_VALUE, "spec_value is null");
    return program->setSpecConstant(id, size, value);
  });
}

cl_int CL_API_CALL clBuildProgram(cl_program handle, cl_uint numDevices, const cl_device_id *deviceList,
                                  const char *options, Program::Callback notify, void *userData) {
  return enter("clBuildProgram", [&]() -> Status {
    std::vector<DeviceObject *> devices;
    Program *program = KILN_TRY(check::object<Program>(handle));
    KILN_TRY(check::devices(program->devices(), numDevices, deviceList, devices));
    KILN_TRY(check::callback(notify, userData));
    return program->build(devices, optionText(options), notify, userData);
  });
}

cl_int CL_API_CALL clCompileProgram(cl_program handle, cl_uint numDevices, const cl_device_id *deviceList,
                                    const char *options, cl_uint numHeaders, const cl_program *headers,
                                    const char **headerNames, Program::Callback notify, void *userData) {
  return enter("clCompileProgram", [&]() -> Status {
    std::vector<DeviceObject *> devices;
    Program *program = KILN_TRY(check::object<Program>(handle));
    KILN_TRY(check::devices(program->devices(), numDevices, deviceList, devices));
    KILN_TRY(check::callback(notify, userData));
    if (numHeaders ? !headers || !headerNames : headers || headerNames)
      return fail(CL_INVALID_VALUE, "num_input_headers is ", numHeaders,
                  ", input_headers and header_include_names must ", numHeaders ? "not " : "", "be null");
    std::vector<std::pair<std::string, Program *>> named;
    for (cl_uint i = 0; i < numHeaders; ++i) {
      if (!headerNames[i])
        return fail(CL_INVALID_VALUE, "header_include_names[", i, "] is null");
      Program *header = KILN_TRY(check::object<Program>(headers[i]));
      named.emplace_back(headerNames[i], header);
    }
    return program->compile(devices, optionText(options), named, notify, userData);
  });
}

cl_program CL_API_CALL clLinkProgram(cl_context handle, cl_uint numDevices, const cl_device_id *deviceList,
                                     const char *options, cl_uint numInputs, const cl_program *inputList,
                                     Program::Callback notify, void *userData, cl_int *errcode) {
  // A failed link also returns a program, which has the log.
  cl_program made = nullptr;
  cl_int code = enter("clLinkProgram", [&]() -> Status {
    std::vector<DeviceObject *> devices;
    Context *context = KILN_TRY(check::live<Context>(handle));
    KILN_TRY(check::devices(context->devices(), numDevices, deviceList, devices));
    KILN_TRY(check::callback(notify, userData));
    if (!numInputs || !inputList)
      return fail(CL_INVALID_VALUE, "num_input_programs is 0 or input_programs is null");
    std::vector<Program *> inputs(numInputs);
    for (cl_uint i = 0; i < numInputs; ++i)
      inputs[i] = KILN_TRY(check::object<Program>(inputList[i]));
    Ref<Program> linked;
    Status status = Program::link(*context, devices, optionText(options), inputs, notify, userData, linked);
    if (linked)
      made = linked.handle();
    return status;
  });
  if (errcode)
    *errcode = code;
  return made;
}

cl_int CL_API_CALL clGetProgramInfo(cl_program handle, cl_program_info param, size_t size, void *value,
                                    size_t *sizeRet) {
  return enter("clGetProgramInfo", [&]() -> Status {
    Program *program = KILN_TRY(check::object<Program>(handle));
    InfoWriter writer(size, value, sizeRet);
    switch (param) {
    case CL_PROGRAM_BINARIES:
      return writeBinaries(*program, size, value, sizeRet);
#define KILN_PROGRAM_QUERY(...) KILN_QUERY_CASE(__VA_ARGS__)
#include "api/spec/Queries.def"
    }
    return writer.unknownParam(param);
  });
}

cl_int CL_API_CALL clGetProgramBuildInfo(cl_program programHandle, cl_device_id deviceHandle,
                                         cl_program_build_info param, size_t size, void *value, size_t *sizeRet) {
  return enter("clGetProgramBuildInfo", [&]() -> Status {
    Program *program = KILN_TRY(check::object<Program>(programHandle));
    DeviceObject *device = KILN_TRY(check::object<DeviceObject>(deviceHandle));
    BuildState state = KILN_TRY(program->buildState(*device));
    InfoWriter writer(size, value, sizeRet);
    switch (param) {
#define KILN_BUILD_QUERY(...) KILN_QUERY_CASE(__VA_ARGS__)
#include "api/spec/Queries.def"
    }
    return writer.unknownParam(param);
  });
}
