// The arguments of a launch as JSON, for bundles.
#pragma once
#include "runtime/capture/Reached.h"

namespace kiln::capture {

/// One object for each argument:
///   {"kind":"buffer","root":ADDRESS,"rootSize":BYTES,"offset":BYTES,"size":BYTES}    a buffer; offset and size of a
///                                                                                    sub-buffer in its root
///   {"kind":"pointer","address":ADDRESS}      SVM, USM, a device address
///   {"kind":"image","address":ADDRESS,"size":BYTES,"type":...,"order":...,"channel":...,"width":...,"height":...,
///    "depth":...,"arraySize":...,"rowPitch":BYTES,"slicePitch":BYTES}                OpenCL's constants
///   {"kind":"sampler","normalized":BOOL,"linear":BOOL,"addressing":OPENCL'S CONSTANT}
///   {"kind":"local","size":BYTES}  {"kind":"value","bytes":HEX}  {"kind":"null"}  {"kind":"pipe"}  {"kind":"queue"}
std::string describeArguments(const HostLaunch &launch, const DeviceObject &device);

} // namespace kiln::capture
