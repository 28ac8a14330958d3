# Headers of the standard library, parsed once for all files: most lines that the compiler reads for one of ours are theirs. They
# never change, so that an edit of ours compiles no more files than without. The presets asan, tsan and fuzz go without, and so does
# clang-tidy: they see that every file includes what it uses.
if(NOT PLUMBLINE_PRECOMPILE OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  function(plumbline_precompiled target)
  endfunction()
  return()
endif()

# GCC 12 forgets that precompiled headers are the system's, and then gives its false alarms of inlined string copies.
target_compile_options(plumbline_options INTERFACE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)

set(PRECOMPILED_STANDARD <algorithm> <array> <charconv> <chrono> <cmath> <cstddef> <cstdint> <cstring> <deque> <functional> <limits> <map>
    <memory> <mutex> <numeric> <optional> <set> <span> <string> <string_view> <tuple> <unordered_map> <unordered_set> <utility> <variant>
    <vector> <tl/expected.hpp>)

# GCC takes what was precompiled only where each macro that was defined then is defined the same way now: the target that owns the
# headers has no definitions but those that all have.
function(plumbline_precompiled_set name)
  cmake_parse_arguments(S "" "" "HEADERS;LINKS;OPTIONS" ${ARGN})
  set(source "${CMAKE_BINARY_DIR}/precompiled/${name}.cpp")
  file(WRITE "${source}.new" "// ${name}: headers only, see cmake/Precompiled.cmake\n")
  file(COPY_FILE "${source}.new" "${source}" ONLY_IF_DIFFERENT)
  add_library(${name} OBJECT "${source}")
  target_link_libraries(${name} PRIVATE ${S_LINKS} plumbline_options)
  target_compile_options(${name} PRIVATE ${S_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${S_HEADERS})
endfunction()

plumbline_precompiled_set(precompiled_standard HEADERS ${PRECOMPILED_STANDARD} LINKS tl::expected)
if(PLUMBLINE_COLD_OPTIONS)
  plumbline_precompiled_set(precompiled_cold HEADERS ${PRECOMPILED_STANDARD} LINKS tl::expected OPTIONS ${PLUMBLINE_COLD_OPTIONS})
endif()
if(PLUMBLINE_TESTS)
  plumbline_precompiled_set(precompiled_tests HEADERS ${PRECOMPILED_STANDARD} <filesystem> <fstream> <random> <gtest/gtest.h>
                            LINKS tl::expected GTest::gtest OPTIONS ${PLUMBLINE_TEST_OPTIONS})
endif()

# TARGET compiles with what is precompiled: of SET (precompiled_tests), else of the standard library.
function(plumbline_precompiled target)
  set(from precompiled_standard)
  if(ARGN)
    set(from ${ARGN})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${from})
endfunction()
