# libarchive, as the target `archive`. Its static library when there is one: the linker takes the few readers that are named, and
# with them five small libraries. The shared library brings libxml2 and ICU to every start of the program, which costs more than
# all of the program's own start (1.4 ms instead of 0.2 ms where it was measured).
find_path(ARCHIVE_INCLUDE archive.h REQUIRED)
find_library(ARCHIVE_STATIC libarchive.a)
set(ARCHIVE_PARTS)
find_library(ARCHIVE_bz2 bz2)  # see cmake/Linked.cmake
foreach(part zstd lzma bz2 nettle)
  if(NOT part STREQUAL "bz2")
    plumbline_part(ARCHIVE_${part} ${part})
  endif()
  if(ARCHIVE_${part})
    list(APPEND ARCHIVE_PARTS "${ARCHIVE_${part}}")
  else()
    set(ARCHIVE_STATIC ARCHIVE_STATIC-NOTFOUND)
  endif()
endforeach()

add_library(archive INTERFACE)
target_include_directories(archive SYSTEM INTERFACE "${ARCHIVE_INCLUDE}")
if(ARCHIVE_STATIC)
  target_link_libraries(archive INTERFACE "${ARCHIVE_STATIC}" ${ARCHIVE_PARTS} zlib)
else()
  find_library(ARCHIVE_SHARED archive REQUIRED)
  target_link_libraries(archive INTERFACE "${ARCHIVE_SHARED}" zlib)
endif()

# Writing archives, which tests do, drags all of libarchive's writers along, and one of them writes XML.
add_library(archive_writer INTERFACE)
target_link_libraries(archive_writer INTERFACE archive)
if(ARCHIVE_STATIC)
  find_library(ARCHIVE_XML xml2)
  if(ARCHIVE_XML)
    target_link_libraries(archive_writer INTERFACE "${ARCHIVE_XML}")
  endif()
endif()
