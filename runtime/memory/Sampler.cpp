#include "runtime/memory/Sampler.h"
#include "base/abi/ImageAbi.h"
#include <algorithm>

namespace kiln {

Result<Ref<Sampler>> Sampler::create(Context &context, const Modes &modes,
                                     std::vector<cl_sampler_properties> properties) {
  if (std::ranges::none_of(context.devices(), [](const DeviceObject *device) { return device->info().images; }))
    return fail(CL_INVALID_OPERATION, "no device of the context has images (CL_DEVICE_IMAGE_SUPPORT)");
  if (modes.normalized != CL_TRUE && modes.normalized != CL_FALSE)
    return fail(CL_INVALID_VALUE, "normalized_coords is ", modes.normalized, ", must be CL_TRUE or CL_FALSE");
  if (modes.addressing < CL_ADDRESS_NONE || modes.addressing > CL_ADDRESS_MIRRORED_REPEAT)
    return fail(CL_INVALID_VALUE, "unknown addressing mode ", modes.addressing);
  if (modes.filter != CL_FILTER_NEAREST && modes.filter != CL_FILTER_LINEAR)
    return fail(CL_INVALID_VALUE, "unknown filter mode ", modes.filter);
  return Ref<Sampler>(new Sampler(context, modes, std::move(properties)));
}

Result<Ref<Sampler>> Sampler::create(Context &context, std::vector<cl_sampler_properties> properties) {
  Modes modes;
  bool normalizedGiven = false, addressingGiven = false, filterGiven = false;
  for (size_t i = 0; i + 1 < properties.size(); i += 2) {
    const cl_sampler_properties value = properties[i + 1];
    auto take = [&](auto &mode, bool &given) -> Status {
      if (std::exchange(given, true))
        return fail(CL_INVALID_VALUE, "sampler property ", properties[i], " is given twice");
      if (value > UINT32_MAX)
        return fail(CL_INVALID_VALUE, "sampler property ", properties[i], " cannot be ", value);
      mode = cl_uint(value);
      return {};
    };
    switch (properties[i]) {
    case CL_SAMPLER_NORMALIZED_COORDS:
      KILN_TRY(take(modes.normalized, normalizedGiven));
      break;
    case CL_SAMPLER_ADDRESSING_MODE:
      KILN_TRY(take(modes.addressing, addressingGiven));
      break;
    case CL_SAMPLER_FILTER_MODE:
      KILN_TRY(take(modes.filter, filterGiven));
      break;
    default:
      return fail(CL_INVALID_VALUE, "unknown sampler property ", properties[i]);
    }
  }
  return create(context, modes, std::move(properties));
}

uint32_t Sampler::abiSampler() const {
  static_assert(CL_ADDRESS_MIRRORED_REPEAT - CL_ADDRESS_NONE == abi::AddressMirroredRepeat);
  static_assert(CL_ADDRESS_CLAMP - CL_ADDRESS_NONE == abi::AddressClamp);
  return (modes_.addressing - CL_ADDRESS_NONE) | (modes_.normalized ? abi::SamplerNormalized : 0) |
         (modes_.filter == CL_FILTER_LINEAR ? abi::SamplerLinear : 0);
}

} // namespace kiln
