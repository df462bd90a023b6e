// Samplers. They are immutable; kernels receive one as an integer (base/abi/ImageAbi.h).
#pragma once
#include "runtime/memory/Context.h"

namespace kiln {

class Sampler final : public _cl_sampler, public Object {
public:
  static constexpr ObjectKind Kind = ObjectKind::Sampler;
  struct Modes {
    cl_bool normalized = CL_TRUE;
    cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
    cl_filter_mode filter = CL_FILTER_NEAREST;
  };

  /// clCreateSampler: CL_INVALID_OPERATION, CL_INVALID_VALUE.
  static Result<Ref<Sampler>> create(Context &context, const Modes &modes,
                                     std::vector<cl_sampler_properties> properties = {});
  /// clCreateSamplerWithProperties. `properties` as given, with the terminator, or empty.
  static Result<Ref<Sampler>> create(Context &context, std::vector<cl_sampler_properties> properties);

  Context &context() const { return *context_; }
  const Modes &modes() const { return modes_; }
  const std::vector<cl_sampler_properties> &properties() const { return properties_; }
  /// abi::SamplerMode
  uint32_t abiSampler() const;

private:
  Sampler(Context &context, const Modes &modes, std::vector<cl_sampler_properties> properties)
      : Object(Kind), context_(&context), modes_(modes), properties_(std::move(properties)) {}

  const Ref<Context> context_;
  const Modes modes_;
  const std::vector<cl_sampler_properties> properties_;
};

} // namespace kiln
