# What the program is made of, for `plumbline licenses`, `version --json` and the release's bill of materials: the table of cmake/parts.txt
# with the versions and the copyright notices of Debian's packages. Elsewhere the notices are missing, and the program says so.
file(STRINGS "${CMAKE_SOURCE_DIR}/cmake/parts.txt" part_lines REGEX "^[^#]")
set(notices "${CMAKE_BINARY_DIR}/notices")
file(MAKE_DIRECTORY "${notices}")
set(parts_text "// Made by cmake/Parts.cmake.\n#include \"cli/guide/parts.hpp\"\nnamespace plumbline::cli {\nstatic constexpr Part kParts[] = {\n")
set(notice_files)
foreach(line IN LISTS part_lines)
  string(REPLACE "|" ";" fields "${line}")
  list(GET fields 0 name)
  list(GET fields 1 package)
  list(GET fields 2 licence)
  list(GET fields 3 how)
  list(GET fields 4 home)
  execute_process(COMMAND dpkg-query -W -f "\${Version}" "${package}" OUTPUT_VARIABLE version ERROR_QUIET RESULT_VARIABLE problem)
  if(problem)
    set(version "")
  endif()
  string(APPEND parts_text "    {\"${name}\", \"${version}\", \"${licence}\", \"${how}\", \"${home}\", \"${package}\"},\n")
  # Debian's file for Boost names every author of a hundred libraries, in 2 MB; the licence is one for all.
  if(EXISTS "${CMAKE_SOURCE_DIR}/packaging/notices/${name}")
    configure_file("${CMAKE_SOURCE_DIR}/packaging/notices/${name}" "${notices}/${name}" COPYONLY)
    list(APPEND notice_files "${notices}/${name}")
  elseif(EXISTS "/usr/share/doc/${package}/copyright")
    configure_file("/usr/share/doc/${package}/copyright" "${notices}/${name}" COPYONLY)
    list(APPEND notice_files "${notices}/${name}")
  endif()
endforeach()
# Texts that those notices refer to and do not repeat.
foreach(text GPL-3 LGPL-2.1 LGPL-3)
  if(EXISTS "/usr/share/common-licenses/${text}")
    configure_file("/usr/share/common-licenses/${text}" "${notices}/${text}" COPYONLY)
    list(APPEND notice_files "${notices}/${text}")
  endif()
endforeach()
configure_file("${CMAKE_SOURCE_DIR}/LICENSE" "${notices}/plumbline" COPYONLY)
list(APPEND notice_files "${notices}/plumbline")
plumbline_embed(embedded_notices notices ${notice_files})

set(release_day "")
file(STRINGS "${CMAKE_SOURCE_DIR}/CHANGELOG.md" release_line REGEX "^## \\[${PROJECT_VERSION}\\] - ")
if(release_line MATCHES "([0-9]+-[0-9]+-[0-9]+)$")
  set(release_day "${CMAKE_MATCH_1}")
endif()
if(PLUMBLINE_STATIC)
  set(linking static)
else()
  set(linking shared)
endif()
string(APPEND parts_text "};\nstd::span<const Part> parts() { return kParts; }\n"
       "std::string_view linking() { return \"${linking}\"; }\n"
       "std::string_view compiler() { return \"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\"; }\n"
       "std::string_view target() { return \"${CMAKE_SYSTEM_PROCESSOR}-linux\"; }\n"
       "std::string_view release_day() { return \"${release_day}\"; }\n"
       "std::string_view build_type() { return \"${CMAKE_BUILD_TYPE}\"; }\n}\n")
set(parts_file "${CMAKE_BINARY_DIR}/embedded/parts.cpp")
file(GENERATE OUTPUT "${parts_file}" CONTENT "${parts_text}")

# The commit is asked for at each build, and written only where it is another one. SOURCE_COMMIT says it where there is no git.
set(commit_file "${CMAKE_BINARY_DIR}/embedded/commit.cpp")
add_custom_target(commit COMMAND ${CMAKE_COMMAND} "-DOUT=${commit_file}" "-DSOURCE=${CMAKE_SOURCE_DIR}" -P "${CMAKE_SOURCE_DIR}/cmake/Commit.cmake"
                  BYPRODUCTS "${commit_file}" COMMENT "" VERBATIM)

# Pages of docs/, under names without a slash.
file(GLOB_RECURSE doc_pages CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/docs/*.md")
list(FILTER doc_pages EXCLUDE REGEX "/img/")
set(page_files)
foreach(page IN LISTS doc_pages)
  file(RELATIVE_PATH name "${CMAKE_SOURCE_DIR}/docs" "${page}")
  string(REPLACE "/" "@" name "${name}")
  configure_file("${page}" "${CMAKE_BINARY_DIR}/pages/${name}" COPYONLY)
  list(APPEND page_files "${CMAKE_BINARY_DIR}/pages/${name}")
endforeach()
plumbline_embed(embedded_docs docs ${page_files})
