# What users get: libkiln, its .icd file, and the three compilers. No headers: the API is OpenCL's own.
#
#   <prefix>/lib/libkiln.so   <prefix>/bin/{kilnc,kiln-clc,kiln-opt}   /etc/OpenCL/vendors/kiln.icd
#
# libkiln finds its compilers in ../bin. Below another prefix than /usr the .icd file lies in <prefix>/etc, where the
# loader looks when OCL_ICD_VENDORS names the folder (with a slash at the end: CUDA's loader needs it).
foreach(program kiln kilnc kiln-clc kiln-opt)
  if(NOT TARGET ${program})
    message(FATAL_ERROR "${program} is not built, so there is nothing whole to install")
  endif()
endforeach()
# Debian keeps libMLIR in LLVM's own folder, where the dynamic loader does not look by itself.
set_target_properties(kilnc kiln-clc kiln-opt PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS kiln LIBRARY DESTINATION lib)
install(TARGETS kilnc kiln-clc kiln-opt RUNTIME DESTINATION bin)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION share/doc/kiln RENAME copyright)

# Written when it is installed: only then is the prefix known (cmake --install --prefix, or the package's).
install(CODE [[
  set(vendors "${CMAKE_INSTALL_PREFIX}/etc/OpenCL/vendors")
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(vendors "/etc/OpenCL/vendors")
  endif()
  message(STATUS "Installing: $ENV{DESTDIR}${vendors}/kiln.icd")
  file(WRITE "$ENV{DESTDIR}${vendors}/kiln.icd" "${CMAKE_INSTALL_PREFIX}/lib/libkiln.so\n")
]])

# `cpack` in the build folder makes a Debian package and an archive to unpack at /.
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME kiln)
set(CPACK_PACKAGE_VENDOR "The Kiln developers")
set(CPACK_PACKAGE_CONTACT "The Kiln developers <kiln@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "OpenCL runtime built on MLIR")
set(CPACK_SET_DESTDIR ON) # the prefix stays /usr for the .icd file, whatever the folder it is collected in
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_INCLUDE_TOPLEVEL_DIRECTORY OFF)
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_PROVIDES opencl-icd)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ocl-icd-libopencl1 | libopencl1")
find_program(KILN_SHLIBDEPS dpkg-shlibdeps)
if(KILN_SHLIBDEPS) # of dpkg-dev; reads the libraries that kilnc needs from the programs themselves
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
