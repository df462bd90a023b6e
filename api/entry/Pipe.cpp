// Chapter 5.4: pipes.
#include "api/entry/Entry.h"

using namespace kiln;
using namespace kiln::api;

cl_mem CL_API_CALL clCreatePipe(cl_context handle, cl_mem_flags flags, cl_uint packetSize, cl_uint maxPackets,
                                const cl_pipe_properties *properties, cl_int *errcode) {
  return create("clCreatePipe", errcode, [&]() -> Result<cl_mem> {
    Context *context = KILN_TRY(check::live<Context>(handle));
    if (properties)
      return fail(CL_INVALID_VALUE, "properties must be null");
    return KILN_TRY(Pipe::create(*context, flags, packetSize, maxPackets)).handle();
  });
}

cl_int CL_API_CALL clGetPipeInfo(cl_mem handle, cl_pipe_info param, size_t size, void *value, size_t *sizeRet) {
  return enter("clGetPipeInfo", [&]() -> Status {
    Pipe *pipe = KILN_TRY(check::object<Pipe>(handle));
    InfoWriter writer(size, value, sizeRet);
    switch (param) {
#define KILN_PIPE_QUERY(...) KILN_QUERY_CASE(__VA_ARGS__)
#include "api/spec/Queries.def"
    }
    return writer.unknownParam(param);
  });
}
