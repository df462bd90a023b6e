// cl_khr_command_buffer_mutable_dispatch, version 0.9.5: runtime/queue/MutableCommand.h.
#include "api/entry/Commands.h"
#include "api/entry/Entry.h"
#include "api/spec/CommandBufferEntries.h"
#include <algorithm>

using namespace kiln;
using namespace kiln::api;

namespace {

using Update = CommandBuffer::Update;
using Config = khr::cl_mutable_dispatch_config_khr;

/// A list of `count` elements is null if and only if there are none.
Status checkList(const char *name, cl_uint count, const void *list) {
  if ((count == 0) != (list == nullptr))
    return fail(CL_INVALID_VALUE, name, " is ", list ? "not null" : "null", " and its number of elements ", count);
  return {};
}

/// CL_INVALID_OPERATION if the update changes a field that the command was not recorded with.
Status checkFields(const MutableCommand &command, const Config &config) {
  cl_mutable_dispatch_fields_khr changed = 0;
  if (config.global_work_offset)
    changed |= CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR;
  if (config.global_work_size)
    changed |= CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR;
  if (config.local_work_size)
    changed |= CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR;
  if (config.num_args || config.num_svm_args)
    changed |= CL_MUTABLE_DISPATCH_ARGUMENTS_KHR;
  if (config.num_exec_infos)
    changed |= CL_MUTABLE_DISPATCH_EXEC_INFO_KHR;
  if (changed & ~command.fields)
    return fail(CL_INVALID_OPERATION, "the update changes fields 0x", std::hex, changed,
                ", CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR of the command is 0x", command.fields);
  if (config.work_dim && config.work_dim != command.dispatch.workDim)
    return fail(CL_INVALID_OPERATION, "work_dim is ", config.work_dim, ", must be 0 or ", command.dispatch.workDim,
                " as recorded");
  return {};
}

/// Applies the update to `dispatch`, whose kernel is a copy.
Status apply(const Config &config, Dispatch &dispatch) {
  KILN_TRY(checkList("arg_list", config.num_args, config.arg_list));
  KILN_TRY(checkList("arg_svm_list", config.num_svm_args, config.arg_svm_list));
  KILN_TRY(checkList("exec_info_list", config.num_exec_infos, config.exec_info_list));
  for (cl_uint i = 0; i < config.num_args; ++i)
    KILN_TRY(setKernelArg(*dispatch.kernel, config.arg_list[i].arg_index, config.arg_list[i].arg_size,
                          config.arg_list[i].arg_value));
  for (cl_uint i = 0; i < config.num_svm_args; ++i)
    KILN_TRY(setKernelArgSvm(*dispatch.kernel, config.arg_svm_list[i].arg_index, config.arg_svm_list[i].arg_value));
  for (cl_uint i = 0; i < config.num_exec_infos; ++i) {
    const cl_mutable_dispatch_exec_info_khr &info = config.exec_info_list[i];
    KILN_TRY(dispatch.kernel->setExecInfo(info.param_name, info.param_value_size, info.param_value));
  }
  const bool wasNonUniform = dispatch.isNonUniform(), hadLocalSize = dispatch.localSize.has_value();
  if (config.global_work_offset)
    std::copy_n(config.global_work_offset, dispatch.workDim, dispatch.globalOffset.begin());
  if (config.global_work_size)
    std::copy_n(config.global_work_size, dispatch.workDim, dispatch.globalSize.begin());
  if (config.local_work_size)
    std::copy_n(config.local_work_size, dispatch.workDim, dispatch.localSize.emplace().begin());
  if (hadLocalSize && dispatch.isNonUniform() != wasNonUniform)
    return fail(CL_INVALID_OPERATION, "the update makes work-groups ", wasNonUniform ? "uniform" : "non-uniform");
  return {};
}

/// Returns the update of the command in the list. The first time, it is a copy of the command's state.
Update &updateOf(std::vector<Update> &updates, MutableCommand &command) {
  auto found = std::ranges::find(updates, &command, &Update::command);
  if (found != updates.end())
    return *found;
  updates.push_back({&command, command.dispatch, {}});
  updates.back().dispatch.kernel = command.dispatch.kernel->clone();
  return updates.back();
}

} // namespace

extern "C" {

cl_int CL_API_CALL clUpdateMutableCommandsKHR(cl_command_buffer_khr handle, cl_uint numConfigs,
                                              const khr::cl_command_buffer_update_type_khr *types,
                                              const void **configs) {
  return enter("clUpdateMutableCommandsKHR", [&]() -> Status {
    CommandBuffer *buffer = KILN_TRY(check::object<CommandBuffer>(handle));
    if (buffer->checkRecording().ok())
      return fail(CL_INVALID_OPERATION, "the command buffer is not finalized");
    if (!buffer->isMutable())
      return fail(CL_INVALID_OPERATION, "the command buffer was created without CL_COMMAND_BUFFER_MUTABLE_KHR");
    KILN_TRY(checkList("config_types", numConfigs, types));
    KILN_TRY(checkList("configs", numConfigs, configs));
    std::vector<Update> updates;
    for (cl_uint i = 0; i < numConfigs; ++i) {
      if (types[i] != khr::MutableDispatchConfig)
        return fail(CL_INVALID_VALUE, "config_types[", i, "] is ", types[i], ", must be ", khr::MutableDispatchConfig);
      if (!configs[i])
        return fail(CL_INVALID_VALUE, "configs[", i, "] is null");
      const auto &config = *static_cast<const Config *>(configs[i]);
      MutableCommand *command = KILN_TRY(check::object<MutableCommand>(config.command));
      if (&command->buffer != buffer)
        return fail(CL_INVALID_MUTABLE_COMMAND_KHR, "configs[", i, "]: the command is of another command buffer");
      KILN_TRY(checkFields(*command, config));
      KILN_TRY(apply(config, updateOf(updates, *command).dispatch));
    }
    for (Update &update : updates) {
      Result<HostLaunch> launch = prepareLaunch(buffer->queue(), *update.dispatch.kernel, update.dispatch.sizes());
      if (launch.ok())
        update.launch = std::move(*launch);
      else if (launch.code() != CL_INVALID_KERNEL_ARGS)
        return std::move(launch).status();
    }
    return buffer->update(std::move(updates));
  });
}

cl_int CL_API_CALL clGetMutableCommandInfoKHR(cl_mutable_command_khr handle, cl_mutable_command_info_khr param,
                                              size_t size, void *value, size_t *sizeRet) {
  return enter("clGetMutableCommandInfoKHR", [&]() -> Status {
    MutableCommand *command = KILN_TRY(check::object<MutableCommand>(handle));
    const Dispatch &dispatch = command->dispatch;
    const std::array<size_t, 3> none{};
    auto dimensions = [&](const std::array<size_t, 3> &sizes) {
      return std::vector<size_t>(sizes.begin(), sizes.begin() + dispatch.workDim);
    };
    InfoWriter writer(size, value, sizeRet);
    switch (param) {
#define KILN_MUTABLE_COMMAND_QUERY(...) KILN_QUERY_CASE(__VA_ARGS__)
#include "api/spec/Queries.def"
    }
    return writer.unknownParam(param);
  });
}

} // extern "C"
