# A room is a folder at the top with one target of its name. Its headers are reached through an include root that holds
# nothing but that room (<build>/rooms/<room>/<room> -> source), so a room can include only the rooms it links.
# COLD: its code runs once a question, not once a row or an event; PLUMBLINE_COLD_OPTIONS says how that is compiled.
function(plumbline_room name)
  cmake_parse_arguments(R "COLD" "" "LINKS;PACKAGES;PRIVATE_PACKAGES;SOURCES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${name}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  list(APPEND sources ${R_SOURCES})
  set(root "${CMAKE_BINARY_DIR}/rooms/${name}")
  file(MAKE_DIRECTORY "${root}")
  file(CREATE_LINK "${CMAKE_SOURCE_DIR}/${name}" "${root}/${name}" SYMBOLIC)
  add_library(${name} STATIC ${sources})
  set_property(GLOBAL APPEND PROPERTY PLUMBLINE_ROOMS ${name})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME plumbline_${name} LINKER_LANGUAGE CXX)
  target_include_directories(${name} PUBLIC "${root}")
  target_link_libraries(${name} PUBLIC ${R_LINKS} ${R_PACKAGES} PRIVATE ${R_PRIVATE_PACKAGES} plumbline_options)
  if(R_COLD AND PLUMBLINE_COLD_OPTIONS)
    target_compile_options(${name} PRIVATE ${PLUMBLINE_COLD_OPTIONS})
    plumbline_precompiled(${name} precompiled_cold)
  else()
    plumbline_precompiled(${name})
  endif()
  plumbline_unity(${name} FOLDERS ${name})
endfunction()

# Files embedded as text: lookup function `std::string_view plumbline::<space>::embedded_file(std::string_view name)`.
function(plumbline_embed out space)
  set(files ${ARGN})
  set(list "${CMAKE_BINARY_DIR}/embedded/${space}.cpp")
  add_custom_command(OUTPUT "${list}"
    COMMAND ${CMAKE_COMMAND} "-DOUT=${list}" "-DSPACE=${space}" "-DFILES=${files}" -P "${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake"
    DEPENDS ${files} "${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake" VERBATIM)
  set(${out} "${list}" PARENT_SCOPE)
endfunction()

# One test program per room: every tests/<room>/*.cpp.
function(plumbline_tests room)
  cmake_parse_arguments(T "" "" "LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/${room}/*.cpp")
  if(NOT sources)
    return()
  endif()
  add_executable(test_${room} ${sources})
  target_link_libraries(test_${room} PRIVATE ${room} ${T_LINKS} GTest::gtest GTest::gmock GTest::gtest_main plumbline_options)
  target_compile_options(test_${room} PRIVATE ${PLUMBLINE_TEST_OPTIONS} -Wno-dangling-else)  # `if (x) EXPECT_EQ(…);`
  plumbline_precompiled(test_${room} precompiled_tests)
  plumbline_unity(test_${room} FOLDERS ${room} tests/${room} tests/support)
  target_include_directories(test_${room} PRIVATE "${CMAKE_SOURCE_DIR}")  # tests/support headers
  target_compile_definitions(test_${room} PRIVATE PLUMBLINE_TESTS="${CMAKE_SOURCE_DIR}/tests" PLUMBLINE_SOURCE="${CMAKE_SOURCE_DIR}")
  # One seed for all: a property that fails fails for everybody (rapidcheck; others with RC_PARAMS=seed=…).
  gtest_discover_tests(test_${room} TEST_PREFIX "${room}." DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 300 ENVIRONMENT "RC_PARAMS=seed=20261122 max_success=1000")
endfunction()

# A fuzzer: libFuzzer in the fuzz preset, else a replayer of its corpus that CTest runs.
function(plumbline_fuzzer name)
  cmake_parse_arguments(F "" "" "LINKS" ${ARGN})
  add_executable(fuzz_${name} "${CMAKE_SOURCE_DIR}/tests/fuzz/${name}.cpp")
  target_link_libraries(fuzz_${name} PRIVATE ${F_LINKS} plumbline_options)
  target_include_directories(fuzz_${name} PRIVATE "${CMAKE_SOURCE_DIR}")
  if(PLUMBLINE_FUZZ)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_compile_options(fuzz_${name} PRIVATE ${PLUMBLINE_TEST_OPTIONS})
    target_sources(fuzz_${name} PRIVATE "${CMAKE_SOURCE_DIR}/tests/fuzz/replay_main.cpp")
    add_test(NAME fuzz.replay.${name} COMMAND fuzz_${name} "${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name}")
    set_tests_properties(fuzz.replay.${name} PROPERTIES TIMEOUT 300)
  endif()
endfunction()
