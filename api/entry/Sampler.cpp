// Chapter 5.7: samplers.
#include "api/entry/Entry.h"

using namespace kiln;
using namespace kiln::api;

cl_sampler CL_API_CALL clCreateSampler(cl_context handle, cl_bool normalized, cl_addressing_mode addressing,
                                       cl_filter_mode filter, cl_int *errcode) {
  return create("clCreateSampler", errcode, [&]() -> Result<cl_sampler> {
    Context *context = KILN_TRY(check::live<Context>(handle));
    return KILN_TRY(Sampler::create(*context, Sampler::Modes{normalized, addressing, filter})).handle();
  });
}

cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context handle, const cl_sampler_properties *properties,
                                                     cl_int *errcode) {
  return create("clCreateSamplerWithProperties", errcode, [&]() -> Result<cl_sampler> {
    Context *context = KILN_TRY(check::live<Context>(handle));
    return KILN_TRY(Sampler::create(*context, check::propertyList(properties))).handle();
  });
}

cl_int CL_API_CALL clRetainSampler(cl_sampler sampler) {
  return enter("clRetainSampler", [&] { return check::retain<Sampler>(sampler); });
}

cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler) {
  return enter("clReleaseSampler", [&] { return check::release<Sampler>(sampler); });
}

cl_int CL_API_CALL clGetSamplerInfo(cl_sampler handle, cl_sampler_info param, size_t size, void *value,
                                    size_t *sizeRet) {
  return enter("clGetSamplerInfo", [&]() -> Status {
    Sampler *sampler = KILN_TRY(check::object<Sampler>(handle));
    InfoWriter writer(size, value, sizeRet);
    switch (param) {
#define KILN_SAMPLER_QUERY(...) KILN_QUERY_CASE(__VA_ARGS__)
#include "api/spec/Queries.def"
    }
    return writer.unknownParam(param);
  });
}
