# Installs Kiln in four components, and makes a Debian package of each with `cpack` in the build folder.
#
#   runtime      lib/libkiln.so, the .icd file, bin/kiln-doctor                               package kiln
#   compilers    bin/{kilnc,kiln-clc}                                                         package kiln-compilers
#   tools        bin/{kiln-replay,kiln-bench,kiln-reduce,kiln-report}                         package kiln-tools
#   development  bin/kiln-opt, include/kiln, lib/cmake/Kiln, share/kiln/template              package kiln-dev
#
# libkiln finds its compilers in ../bin. If the prefix is not /usr, the .icd file is in <prefix>/etc/OpenCL/vendors, and
# OCL_ICD_VENDORS must name this folder (with a slash at the end, which CUDA's loader needs).
set(programs kilnc kiln-clc kiln-opt kiln-doctor kiln-replay kiln-bench-installed)
foreach(program kiln ${programs})
  if(NOT TARGET ${program})
    message(FATAL_ERROR "${program} is not a target of this build, so the installation would be incomplete")
  endif()
endforeach()
# Debian's libMLIR is in LLVM's folder, which the dynamic loader does not search by default.
set_target_properties(${programs} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS kiln LIBRARY DESTINATION lib COMPONENT runtime)
install(TARGETS kiln-doctor RUNTIME DESTINATION bin COMPONENT runtime)
install(TARGETS kiln-replay kiln-bench-installed RUNTIME DESTINATION bin COMPONENT tools)
install(PROGRAMS "${PROJECT_SOURCE_DIR}/bench/replay/kiln-reduce" "${PROJECT_BINARY_DIR}/bin/kiln-report" DESTINATION bin
  COMPONENT tools)
install(TARGETS kilnc kiln-clc RUNTIME DESTINATION bin COMPONENT compilers)
install(TARGETS kiln-opt RUNTIME DESTINATION bin COMPONENT development)
foreach(pair "runtime|kiln" "compilers|kiln-compilers" "tools|kiln-tools" "development|kiln-dev")
  string(REPLACE "|" ";" pair "${pair}")
  list(GET pair 0 component)
  list(GET pair 1 package)
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION share/doc/${package} RENAME copyright
    COMPONENT ${component})
endforeach()

# Written at installation, because the prefix is not known earlier (cmake --install --prefix, or the package's prefix).
install(CODE [[
  set(vendors "${CMAKE_INSTALL_PREFIX}/etc/OpenCL/vendors")
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(vendors "/etc/OpenCL/vendors")
  endif()
  message(STATUS "Installing: $ENV{DESTDIR}${vendors}/kiln.icd")
  file(WRITE "$ENV{DESTDIR}${vendors}/kiln.icd" "${CMAKE_INSTALL_PREFIX}/lib/libkiln.so\n")
]] COMPONENT runtime)
include(KilnInstallDevelopment)
include(KilnInstallManual)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME kiln)
set(CPACK_PACKAGE_VENDOR "The Kiln developers")
set(CPACK_PACKAGE_CONTACT "The Kiln developers <kiln@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "OpenCL runtime built on MLIR")
set(CPACK_SET_DESTDIR ON) # the .icd file is written for the prefix /usr, not for the staging folder
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_INCLUDE_TOPLEVEL_DIRECTORY OFF)
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_COMPONENTS_ALL runtime compilers tools development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME kiln)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_PROVIDES opencl-icd)
# Programs of the cache and program binaries of this user run without the compilers.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "kiln-compilers (= ${PROJECT_VERSION}), ocl-icd-libopencl1 | libopencl1")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "OpenCL runtime built on MLIR
 The OpenCL platform, and kiln-doctor, which says what is missing on a machine.")
set(CPACK_DEBIAN_COMPILERS_PACKAGE_NAME kiln-compilers)
set(CPACK_DEBIAN_COMPILERS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMPILERS_PACKAGE_DEPENDS "kiln (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_COMPILERS_DESCRIPTION "OpenCL runtime built on MLIR: compilers
 kilnc and kiln-clc, which the runtime starts when a program is built.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME kiln-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "python3")
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "kiln-compilers (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "OpenCL runtime built on MLIR: tools
 kiln-bench measures kernels on every OpenCL platform, kiln-report draws its results, kiln-replay repeats captured launches, kiln-reduce shrinks programs with a wrong result.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME kiln-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION devel)
# MLIR's CMake package refers to mlir-linalg-ods-yaml-gen of mlir-22-tools, and fails without it.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "kiln-compilers (= ${PROJECT_VERSION}), llvm-${LLVM_VERSION_MAJOR}-dev, libmlir-${LLVM_VERSION_MAJOR}-dev, mlir-${LLVM_VERSION_MAJOR}-tools")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "OpenCL runtime built on MLIR: development files
 Headers and a CMake package for pass plug-ins, kiln-opt, and a template project.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # finds the packages of the shared libraries that the programs need
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/cmake/KilnPack.cmake")
include(CPack)
