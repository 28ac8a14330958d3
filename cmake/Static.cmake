# The program without any shared library, the C library included: one file that runs on every Linux of its machine. Its rooms are those
# of every other build; the link differs. All parts are named here, because CMake's packages name shared libraries.
get_property(STATIC_ROOMS GLOBAL PROPERTY PLUMBLINE_ROOMS)
set(STATIC_PARTS)
foreach(part fmt isal simdjson)
  list(APPEND STATIC_PARTS "${PLUMBLINE_STATIC}/lib${part}.a")
endforeach()
foreach(part archive ssl crypto sqlite3 yaml-cpp zstd lzma bz2 nettle z)
  find_library(STATIC_${part} lib${part}.a REQUIRED)
  list(APPEND STATIC_PARTS "${STATIC_${part}}")
endforeach()

# Calls that would open shared libraries or ask plugins of another C library go through cmake/static/closed.cpp.
add_executable(plumbline cli/main.cpp cmake/static/closed.cpp)
target_link_libraries(plumbline PRIVATE plumbline_options)
target_include_directories(plumbline PRIVATE $<TARGET_PROPERTY:cli,INTERFACE_INCLUDE_DIRECTORIES>)
set(STATIC_FILES)
foreach(room IN LISTS STATIC_ROOMS)
  add_dependencies(plumbline ${room})
  list(APPEND STATIC_FILES "$<TARGET_FILE:${room}>")
endforeach()
set_target_properties(plumbline PROPERTIES LINK_DEPENDS "${STATIC_FILES};${STATIC_PARTS}")
# No build id is asked for, and what nothing refers to is left out. Warnings of the linker that getaddrinfo "requires at runtime the
# shared libraries" are answered in closed.cpp.
target_link_options(plumbline PRIVATE -static-pie -s -Wl,--gc-sections -Wl,-z,relro,-z,now -Wl,--build-id=none
                    -Wl,--wrap=dlopen -Wl,--wrap=dlerror -Wl,--wrap=getaddrinfo)
target_link_libraries(plumbline PRIVATE -Wl,--start-group ${STATIC_FILES} -Wl,--end-group -Wl,--start-group ${STATIC_PARTS} -Wl,--end-group)
