# The component "development": what a pass plug-in outside of the tree needs.
#
#   include/kiln/      headers, .td files and generated .inc files, with the folders of the tree: an #include is the same
#                      as inside of Kiln
#   lib/cmake/Kiln/    find_package(Kiln)
#   share/kiln/template/   a project that builds a pass plug-in
include(CMakePackageConfigHelpers)
foreach(folder dialects/ocl dialects/wg passes base/abi base/support)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}/" DESTINATION "include/kiln/${folder}" COMPONENT development
    FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.def"
    PATTERN "kiln-opt" EXCLUDE PATTERN "lift-library" EXCLUDE)
endforeach()
foreach(folder dialects/ocl dialects/wg passes)
  install(DIRECTORY "${PROJECT_BINARY_DIR}/${folder}/" DESTINATION "include/kiln/${folder}" COMPONENT development
    FILES_MATCHING PATTERN "*.inc" PATTERN "CMakeFiles" EXCLUDE PATTERN "*.dir" EXCLUDE PATTERN "kiln-opt" EXCLUDE
    PATTERN "lift-library" EXCLUDE)
endforeach()
set(KILN_LLVM_PREFIX "${LLVM_INSTALL_PREFIX}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/KilnConfig.cmake.in" "${PROJECT_BINARY_DIR}/KilnConfig.cmake"
  INSTALL_DESTINATION lib/cmake/Kiln)
# A plug-in uses C++ classes of Kiln, LLVM and MLIR, which have no stable layout.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/KilnConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/KilnConfig.cmake" "${PROJECT_BINARY_DIR}/KilnConfigVersion.cmake"
  DESTINATION lib/cmake/Kiln COMPONENT development)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/packaging/template" DESTINATION share/kiln COMPONENT development)
