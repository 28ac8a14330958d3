# Small libraries that every start of the program would open and relocate, as targets that link their static library where Debian's -dev
# package has one: `yaml`, `sqlite`, `zlib`, and by plumbline_part those of libarchive. As shared libraries they took 0.9 MB of a server's
# memory.
function(plumbline_part out name)
  find_library(PART_${name} NAMES lib${name}.a ${name})
  set(${out} "${PART_${name}}" PARENT_SCOPE)
endfunction()

find_package(yaml-cpp REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
plumbline_part(part_yaml yaml-cpp)
plumbline_part(part_sqlite sqlite3)
# Debian wants programs of its packages to take these two as they are installed: lintian refuses copies inside.
find_library(part_zlib z REQUIRED)
add_library(yaml INTERFACE)
target_include_directories(yaml SYSTEM INTERFACE "$<TARGET_PROPERTY:yaml-cpp,INTERFACE_INCLUDE_DIRECTORIES>")
target_link_libraries(yaml INTERFACE "${part_yaml}")
add_library(sqlite INTERFACE)
target_include_directories(sqlite SYSTEM INTERFACE ${SQLite3_INCLUDE_DIRS})
target_link_libraries(sqlite INTERFACE "${part_sqlite}" Threads::Threads ${CMAKE_DL_LIBS} m)
add_library(zlib INTERFACE)
target_include_directories(zlib SYSTEM INTERFACE ${ZLIB_INCLUDE_DIRS})
target_link_libraries(zlib INTERFACE "${part_zlib}")
