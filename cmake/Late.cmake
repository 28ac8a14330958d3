# OpenSSL and ISA-L, as the targets `openssl` and `isal`: what rooms compile with, and what test programs link. The program itself loads
# them when something first calls them (plumbline_late). Loading them takes 1.9 MB of a server's memory and a third of its start, and a
# server on stdio that is asked nothing calls none of them.
find_package(OpenSSL 3 REQUIRED COMPONENTS Crypto SSL)
find_path(ISAL_INCLUDE isa-l/igzip_lib.h REQUIRED)
find_library(ISAL_LIBRARY isal REQUIRED)  # inflates gzip as a stream at several times zlib's speed; Debian has no static library of it
set(LATE_LIBRARIES "${OPENSSL_CRYPTO_LIBRARY}" "${OPENSSL_SSL_LIBRARY}" "${ISAL_LIBRARY}")
define_property(TARGET PROPERTY PLUMBLINE_LATE)
set(at_start "$<NOT:$<BOOL:$<TARGET_PROPERTY:PLUMBLINE_LATE>>>")
add_library(openssl INTERFACE)
# Its macros would put the full names of our files into the program, and no two folders would give the same bytes.
target_compile_definitions(openssl INTERFACE OPENSSL_NO_FILENAMES)
target_include_directories(openssl SYSTEM INTERFACE "${OPENSSL_INCLUDE_DIR}")
target_link_libraries(openssl INTERFACE "$<${at_start}:${OPENSSL_SSL_LIBRARY}>" "$<${at_start}:${OPENSSL_CRYPTO_LIBRARY}>")
add_library(isal INTERFACE)
target_include_directories(isal SYSTEM INTERFACE "${ISAL_INCLUDE}")
target_link_libraries(isal INTERFACE "$<${at_start}:${ISAL_LIBRARY}>")

# Where this is not done, the program is linked with them as usual: on other machines, whose jump cmake/late/ does not have, under
# sanitizers, which want to see every library at the start, and where one of them is a static library.
function(plumbline_late program)
  set(shared ${LATE_LIBRARIES})
  list(FILTER shared INCLUDE REGEX "\\.so$")
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" OR PLUMBLINE_SANITIZE OR NOT "${shared}" STREQUAL "${LATE_LIBRARIES}")
    return()
  endif()
  set(callers net registry server profiles formats)
  list(TRANSFORM callers REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE archives)
  set(calls "${CMAKE_BINARY_DIR}/embedded/late_calls.cpp")
  add_custom_command(OUTPUT "${calls}"
    COMMAND ${CMAKE_COMMAND} "-DOUT=${calls}" "-DNM=${CMAKE_NM}" "-DCALLERS=${archives}" "-DLIBRARIES=${LATE_LIBRARIES}"
            -P "${CMAKE_SOURCE_DIR}/cmake/late/calls.cmake"
    DEPENDS ${callers} "${CMAKE_SOURCE_DIR}/cmake/late/calls.cmake" VERBATIM)
  target_sources(${program} PRIVATE "${calls}" "${CMAKE_SOURCE_DIR}/cmake/late/load.cpp")
  target_include_directories(${program} PRIVATE "${CMAKE_SOURCE_DIR}/cmake/late")
  target_link_libraries(${program} PRIVATE ${CMAKE_DL_LIBS})
  set_target_properties(${program} PROPERTIES PLUMBLINE_LATE ON)
endfunction()
