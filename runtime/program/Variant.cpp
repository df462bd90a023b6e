#include "runtime/program/Variant.h"
#include "base/abi/ImageAbi.h"
#include "base/abi/KernelAbi.h"
#include "base/abi/TextureUse.h"
#include "base/support/Log.h"
#include "runtime/explore/ProgramPage.h"
#include "runtime/program/DeviceProgram.h"
#include <algorithm>

namespace kiln {
namespace {

/// The value of a known argument: a sampler, or an image's format and how kernels read and filter it.
std::string describe(uint32_t value) {
  const uint32_t format = value & ~abi::FormatTextured;
  if (abi::imageOrder(format))
    return text("image of format 0x", std::hex, format, value == format ? "" : textureUse(format));
  static constexpr const char *Addressing[] = {"none", "clamp to edge", "clamp", "repeat", "mirrored repeat"};
  const uint32_t mode = value & abi::SamplerModeMask;
  return text("sampler ", mode < std::size(Addressing) ? Addressing[mode] : "?",
              value & abi::SamplerLinear ? ", linear" : ", nearest",
              value & abi::SamplerNormalized ? ", normalised" : "");
}

} // namespace

std::string VariantKind::description() const {
  std::string what;
  if (fixed.localSize[0])
    what = text("local size ", fixed.localSize[0], "x", fixed.localSize[1], "x", fixed.localSize[2]);
  for (const protocol::KnownArgument &known : fixed.known)
    what += text(what.empty() ? "" : ", ", "argument ", known.index, " = ", describe(known.value));
  if (what.empty())
    what = "any values";
  switch (lanes) {
  case Lanes::Machine:
    return what;
  case Lanes::Half:
    return what + ", half width";
  case Lanes::Scalar:
    return what + ", scalar";
  }
  return what;
}

std::optional<LoadedVariant> DeviceProgram::loadVariant(const KernelInfo &generic, const VariantKind &kind,
                                                        CodeResult built) const {
  const std::string what = kind.description();
  if (page_)
    page_->addVariant(request_.target + ' ' + what, std::move(built.explored));
  const auto found = std::ranges::find(built.info.kernels, generic.name, &KernelInfo::name);
  if (!built.ok || !built.code || found == built.info.kernels.end()) {
    KILN_LOG(Warn, Program, "no variant of ", generic.name, " for ", what, ": ", built.log);
    return {};
  }
  // A variant that needs more than the plan allows is not used, because launches are sized by the plan.
  const KernelPlan &plan = found->plan, &allowed = generic.plan;
  if (plan.itemBytes > allowed.itemBytes || plan.threadBytes > allowed.threadBytes ||
      plan.staticLocalBytes != allowed.staticLocalBytes || found->argumentBytes != generic.argumentBytes ||
      plan.prints != allowed.prints || plan.enqueues != allowed.enqueues || built.info.variables != info().variables ||
      built.info.printf != info().printf) {
    KILN_LOG(Warn, Program, "the variant of ", generic.name, " for ", what, " does not match the plan");
    return {};
  }
  std::string log; // the build log has the driver's messages for the generic variant
  Result<LoadedCode> code = Compiler::get().load(device_->device(), built, log);
  KernelInfo fixed = *found;
  if (kind.fixed.localSize[0])
    fixed.requiredLocalSize = kind.fixed.localSize; // other launches run the generic variant
  Result<Function *> function = nullptr;
  if (code.ok())
    function = code->code->function(fixed);
  if (!code.ok() || !function.ok()) {
    KILN_LOG(Warn, Program, "the variant of ", generic.name, " for ", what,
             " cannot be loaded: ", code.ok() ? function.message() : code.message());
    return {};
  }
  KILN_LOG(Info, Program, "the variant of ", generic.name, " for ", what, " is ready");
  if (page_)
    page_->addMachineCode(generic.name, device_->info().name, what, code->code->numbersOf(fixed));
  return LoadedVariant{*function, std::make_shared<LoadedCode>(std::move(*code)), plan.prefersFixedLocalSize};
}

} // namespace kiln
