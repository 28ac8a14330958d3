# cmake -DOUT=… -DNM=… -DCALLERS=ARCHIVE;… -DLIBRARIES=LIBRARY;… -P calls.cmake: of every function of the libraries that an archive
# calls, a jump of its name. Its place to go to is a word, which leads to cmake/late/load.cpp until it is found.
cmake_minimum_required(VERSION 3.25)

function(names_of out what)
  execute_process(COMMAND "${NM}" ${ARGN} OUTPUT_VARIABLE said RESULT_VARIABLE problem)
  if(problem)
    message(FATAL_ERROR "${NM} ${ARGN} ends with ${problem}")
  endif()
  string(REPLACE ";" "," said "${said}")
  string(REGEX MATCHALL " ${what} [A-Za-z_][A-Za-z0-9_]*" found "${said}")
  list(TRANSFORM found REPLACE " ${what} " "")
  list(REMOVE_DUPLICATES found)
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

names_of(called "U" -u ${CALLERS})
set(count 0)
set(jumps "")
set(table "")
set(files "")
set(number 0)
foreach(library IN LISTS LIBRARIES)
  get_filename_component(real "${library}" REALPATH)
  get_filename_component(file "${real}" NAME)
  string(APPEND files "    \"${file}\",\n")
  names_of(offered "T" -D --defined-only "${real}")
  # nm writes NAME@@VERSION, of which the name was taken.
  foreach(name IN LISTS called)
    if(name IN_LIST offered)
      string(APPEND jumps "    PLUMBLINE_JUMP(\"${name}\", \"${count}\")\n")
      string(APPEND table "    {\"${name}\", ${number}},\n")
      math(EXPR count "${count} + 1")
    endif()
  endforeach()
  math(EXPR number "${number} + 1")
endforeach()
if(count EQUAL 0)
  message(FATAL_ERROR "no function of ${LIBRARIES} is called")
endif()
file(WRITE "${OUT}.new" "// Made by cmake/late/calls.cmake.
#include \"load.hpp\"
asm(PLUMBLINE_JUMPS_BEGIN
${jumps}    PLUMBLINE_JUMPS_END);
namespace plumbline::late {
constinit const char* const kLibraries[] = {
${files}};
constinit const Call kCalls[] = {
${table}};
constinit void* found[${count}] = {};
}
")
file(COPY_FILE "${OUT}.new" "${OUT}" ONLY_IF_DIFFERENT)
file(REMOVE "${OUT}.new")
