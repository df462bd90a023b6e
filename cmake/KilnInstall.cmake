# Installs libkiln, its .icd file and the three compilers. There are no headers, because the API is OpenCL's.
#
#   <prefix>/lib/libkiln.so   <prefix>/bin/{kilnc,kiln-clc,kiln-opt}   /etc/OpenCL/vendors/kiln.icd
#
# libkiln finds its compilers in ../bin. If the prefix is not /usr, the .icd file is in <prefix>/etc/OpenCL/vendors, and
# OCL_ICD_VENDORS must name this folder (with a slash at the end, which CUDA's loader needs).
foreach(program kiln kilnc kiln-clc kiln-opt)
  if(NOT TARGET ${program})
    message(FATAL_ERROR "${program} is not a target of this build, so the installation would be incomplete")
  endif()
endforeach()
# Debian's libMLIR is in LLVM's folder, which the dynamic loader does not search by default.
set_target_properties(kilnc kiln-clc kiln-opt PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS kiln LIBRARY DESTINATION lib)
install(TARGETS kilnc kiln-clc kiln-opt RUNTIME DESTINATION bin)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION share/doc/kiln RENAME copyright)

# Written at installation, because the prefix is not known earlier (cmake --install --prefix, or the package's prefix).
install(CODE [[
  set(vendors "${CMAKE_INSTALL_PREFIX}/etc/OpenCL/vendors")
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(vendors "/etc/OpenCL/vendors")
  endif()
  message(STATUS "Installing: $ENV{DESTDIR}${vendors}/kiln.icd")
  file(WRITE "$ENV{DESTDIR}${vendors}/kiln.icd" "${CMAKE_INSTALL_PREFIX}/lib/libkiln.so\n")
]])

# `cpack` in the build folder makes a Debian package, and an archive for unpacking at /.
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
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_PROVIDES opencl-icd)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ocl-icd-libopencl1 | libopencl1")
find_program(KILN_SHLIBDEPS dpkg-shlibdeps)
if(KILN_SHLIBDEPS) # from dpkg-dev; finds the shared libraries that the programs need
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
