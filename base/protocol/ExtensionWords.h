// What a device has that is no extension or feature of OpenCL C, in CompileRequest::extensions.
#pragma once

namespace kiln::protocol {

inline constexpr char ImageSupport[] = "__image_support",
                      InlineAssembly[] = "__inline_assembly"; // images; asm statements

} // namespace kiln::protocol
