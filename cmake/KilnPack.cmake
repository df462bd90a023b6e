# CPack reads this before it makes packages.
# Without dpkg-shlibdeps, CPack makes Debian packages that depend on no library, and says so in one line of many.
if(CPACK_GENERATOR STREQUAL "DEB")
  find_program(KILN_SHLIBDEPS dpkg-shlibdeps)
  if(NOT KILN_SHLIBDEPS)
    message(FATAL_ERROR "dpkg-shlibdeps is missing; it is in Debian's package dpkg-dev")
  endif()
endif()
