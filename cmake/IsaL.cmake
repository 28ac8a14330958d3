# ISA-L's inflate, as the target `isal`: it inflates gzip as a stream at several times zlib's speed. Debian has no static library
# of it; loading the shared one costs a start of the program 0.04 ms.
find_path(ISAL_INCLUDE isa-l/igzip_lib.h REQUIRED)
find_library(ISAL_LIBRARY isal REQUIRED)
add_library(isal INTERFACE)
target_include_directories(isal SYSTEM INTERFACE "${ISAL_INCLUDE}")
target_link_libraries(isal INTERFACE "${ISAL_LIBRARY}")
