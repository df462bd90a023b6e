# Helpers for the CMakeLists.txt of every folder.

# Compiler flags of all of Kiln's code.
add_library(kiln_flags INTERFACE)
target_include_directories(kiln_flags INTERFACE "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
target_compile_options(kiln_flags INTERFACE -Wall -Wextra -Wno-unused-parameter $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wthread-safety>
                                            $<$<BOOL:${KILN_WARNINGS_AS_ERRORS}>:-Werror>)

# Flags of the compiler half, which uses LLVM and MLIR. Their headers are system headers, which gives no warnings.
# A program with the property KILN_BUNDLED is linked with LLVM's and MLIR's static libraries, for packages that must run
# where LLVM is not installed (the Python wheel).
add_library(kiln_bundled_llvm INTERFACE)
file(GLOB archives "${LLVM_LIBRARY_DIR}/liblldELF.a" "${LLVM_LIBRARY_DIR}/liblldCommon.a" "${LLVM_LIBRARY_DIR}/libMLIR*.a" "${LLVM_LIBRARY_DIR}/libLLVM*.a")
list(FILTER archives EXCLUDE REGEX "/lib(MLIRCAPI|MLIRTest|MLIR.*Main|LLVMExegesis|LLVMDWARFLinker|LLVMORC|LLVMgtest)")
# LLD's LTO refers to Polly, of which Debian has no static library. kilnc gives LLD no bitcode, so LTO never runs.
target_link_options(kiln_bundled_llvm INTERFACE LINKER:--defsym=_Z18getPollyPluginInfov=0)
target_link_libraries(kiln_bundled_llvm INTERFACE -Wl,--start-group ${archives} -Wl,--end-group
  $<$<BOOL:$<TARGET_PROPERTY:KILN_BUNDLED>>:-static-libstdc++;-static-libgcc> 
  -l:libz.a -l:libzstd.a ${CMAKE_DL_LIBS} m Threads::Threads)
add_library(kiln_llvm INTERFACE)
target_link_libraries(kiln_llvm INTERFACE kiln_flags
  $<IF:$<BOOL:$<TARGET_PROPERTY:KILN_BUNDLED>>,kiln_bundled_llvm,MLIR;LLVM>)
target_include_directories(kiln_llvm SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS} ${LLD_INCLUDE_DIRS})
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(kiln_llvm INTERFACE ${llvm_definitions})

# Precompiled headers. A file that includes MLIR's dialects needs 20 s of processor time to parse them. Only headers of
# LLVM and MLIR are precompiled, so that an edit of a Kiln header does not rebuild everything.
set(KILN_MLIR_HEADERS
  <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/ControlFlow/IR/ControlFlowOps.h> <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/LLVMIR/LLVMDialect.h> <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/UB/IR/UBOps.h> <mlir/Dialect/Vector/IR/VectorOps.h> <mlir/IR/BuiltinOps.h> <mlir/IR/Dominance.h>
  <mlir/IR/IRMapping.h> <mlir/IR/Matchers.h> <mlir/Interfaces/DataLayoutInterfaces.h> <mlir/Pass/PassManager.h>
  <mlir/Transforms/DialectConversion.h> <mlir/Transforms/GreedyPatternRewriteDriver.h>)
set(KILN_LLVM_HEADERS
  <llvm/IR/IRBuilder.h> <llvm/IR/InstIterator.h> <llvm/IR/IntrinsicInst.h> <llvm/IR/Module.h>
  <llvm/Passes/PassBuilder.h> <llvm/Target/TargetMachine.h> <mlir/Dialect/LLVMIR/LLVMDialect.h>
  <mlir/IR/BuiltinOps.h> <mlir/Pass/PassManager.h>) # the last three: backends/llvm/Target.h

set(KILN_STANDARD_HEADERS
  <algorithm> <array> <atomic> <cstring> <functional> <map> <memory> <optional> <span> <string> <string_view> <vector>)

# Precompiles headers for a target. The result has no time stamp, because ccache needs the same file after each build.
# The headers' texts are embedded, because ccache may return a file from another checkout, which may no longer exist.
function(kiln_precompile target)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp -Xclang -fmodules-embed-all-files>")
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()

# Adds a target that only precompiles headers, for libraries that have no others to precompile.
function(kiln_add_headers target flags)
  add_library(${target} OBJECT "${PROJECT_SOURCE_DIR}/cmake/Headers.cpp")
  target_link_libraries(${target} PRIVATE ${flags})
  kiln_precompile(${target} ${ARGN})
endfunction()

# Lets a target use the precompiled headers of a library. Clang requires that both have been compiled with -fPIC.
function(kiln_use_headers target library)
  target_precompile_headers(${target} REUSE_FROM ${library})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()

# Adds a static library of every .cpp in this folder, or in FOLDERS. HEADERS are precompiled for it; HEADERS_OF names a
# target whose precompiled headers it uses.
#   kiln_library(KilnPasses LLVM FOLDERS . ocl wg DEPENDS KilnOcl HEADERS ${KILN_MLIR_HEADERS})
function(kiln_library name)
  cmake_parse_arguments(ARG "LLVM" "HEADERS_OF" "FOLDERS;DEPENDS;HEADERS" ${ARGN})
  if(NOT ARG_FOLDERS)
    set(ARG_FOLDERS .)
  endif()
  set(sources)
  foreach(folder ${ARG_FOLDERS})
    file(GLOB found CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp")
    list(APPEND sources ${found})
  endforeach()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC $<IF:$<BOOL:${ARG_LLVM}>,kiln_llvm,kiln_flags> ${ARG_DEPENDS})
  if(ARG_HEADERS)
    kiln_precompile(${name} ${ARG_HEADERS})
  elseif(ARG_HEADERS_OF)
    kiln_use_headers(${name} ${ARG_HEADERS_OF})
  elseif(NOT ARG_LLVM)
    kiln_use_headers(${name} KilnStandardHeaders)
  endif()
endfunction()

# The .cpp files of targets, with whole paths.
function(kiln_sources_of result)
  set(sources)
  foreach(target ${ARGN})
    get_target_property(files ${target} SOURCES)
    get_target_property(folder ${target} SOURCE_DIR)
    list(FILTER files INCLUDE REGEX "[.]cpp$")
    foreach(file ${files})
      cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${folder}")
      list(APPEND sources "${file}")
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES sources)
  set(${result} "${sources}" PARENT_SCOPE)
endfunction()

# Runs mlir-tblgen on a .td of this folder. Includes name outputs from the build root: "dialects/ocl/Ocl.op.h.inc".
function(kiln_tablegen target td)
  set(outputs)
  set(steps ${ARGN})
  while(steps)
    list(POP_FRONT steps output flag)
    set(LLVM_TARGET_DEFINITIONS ${td})
    string(REPLACE "|" ";" flags "${flag}")
    mlir_tablegen(${output} ${flags} EXTRA_INCLUDES "${MLIR_INCLUDE_DIRS}" "${PROJECT_SOURCE_DIR}")
  endwhile()
  add_custom_target(${target} DEPENDS ${TABLEGEN_OUTPUT})
endfunction()

# Adds a dialect: generates the code of Ocl.td and builds every .cpp of the folder. kiln_add_dialect(Ocl ocl)
function(kiln_add_dialect Name name)
  include_directories(SYSTEM ${MLIR_INCLUDE_DIRS})
  include_directories("${PROJECT_SOURCE_DIR}")
  kiln_tablegen(Kiln${Name}Inc ${Name}.td
    ${Name}.op.h.inc -gen-op-decls ${Name}.op.cpp.inc -gen-op-defs
    ${Name}.type.h.inc -gen-typedef-decls|-typedefs-dialect=${name} ${Name}.type.cpp.inc -gen-typedef-defs|-typedefs-dialect=${name}
    ${Name}.attr.h.inc -gen-attrdef-decls|-attrdefs-dialect=${name} ${Name}.attr.cpp.inc -gen-attrdef-defs|-attrdefs-dialect=${name}
    ${Name}.dialect.h.inc -gen-dialect-decls|-dialect=${name} ${Name}.dialect.cpp.inc -gen-dialect-defs|-dialect=${name}
    ${Name}.enum.h.inc -gen-enum-decls ${Name}.enum.cpp.inc -gen-enum-defs
    ${Name}.doc.md -gen-dialect-doc|-dialect=${name}) # docs/site
  kiln_library(Kiln${Name} LLVM HEADERS_OF KilnMlirHeaders)
  add_dependencies(Kiln${Name} Kiln${Name}Inc)
endfunction()

# Adds <name>-bundled, the program of a target for the Python wheel: it finds its shared libraries in ../lib. This holds for
# libraries that it opens at run time as well.
function(kiln_add_bundled target name)
  get_target_property(sources ${target} SOURCES)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  get_target_property(options ${target} LINK_OPTIONS)
  add_executable(${name}-bundled EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(${name}-bundled PRIVATE ${libraries})
  target_link_options(${name}-bundled PRIVATE LINKER:--disable-new-dtags $<$<BOOL:${options}>:${options}>)
  set_target_properties(${name}-bundled PROPERTIES OUTPUT_NAME ${name} BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH "$ORIGIN/../lib" RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bundled")
endfunction()

# libkiln and its compilers contain a build id, and libkiln rejects a kilnc with another id. The id is a hash of all
# sources, so cache entries stay valid if the sources do not change.
function(kiln_stamp_build_id)
  add_custom_target(kiln_build_id
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${PROJECT_BINARY_DIR}/KilnBuildId.h
            -P ${PROJECT_SOURCE_DIR}/cmake/BuildId.cmake
    BYPRODUCTS ${PROJECT_BINARY_DIR}/KilnBuildId.h VERBATIM)
endfunction()
