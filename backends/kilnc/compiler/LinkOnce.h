// Definitions of linkage LinkOnceODR, of which several modules may have equal ones: inline functions and templates of
// C++ for OpenCL.
#pragma once
#include "base/spirv/Words.h"
#include <set>
#include <string>

namespace kiln {

/// Leaves one exported definition of each name that modules define with LinkOnceODR, and returns those names.
/// SPIRV-Tools 2023.1 links no imports with such a definition, and keeps its decoration without the capability that it
/// requires.
///
///   OpDecorate %f LinkageAttributes "f" LinkOnceODR   ==>   Export in one module, in which it may be Export before
///                                                           no decoration in others: equal functions may be copies
///   the same of a variable                            ==>   Export in one module, Import without an initial value in
///                                                           others: all use one variable
std::set<std::string> exportOneDefinition(std::vector<spirv::Words> &modules);

/// Gives exported definitions of these names the linkage LinkOnceODR, for a library that is linked again.
void setLinkOnce(spirv::Words &module, const std::set<std::string> &names);

} // namespace kiln
