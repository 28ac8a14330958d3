# Compiles for 64-bit Arm on another machine: Debian's cross compiler, the libraries that `scripts/foreign-root arm64` laid out, and
# qemu-user, where it is, for what a build or its tests run.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(PLUMBLINE_ARCHITECTURE arm64)  # as Debian calls it
get_filename_component(PLUMBLINE_ROOT "${CMAKE_CURRENT_LIST_DIR}/../build/arm64-root" ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH "${PLUMBLINE_ROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES "${PLUMBLINE_ROOT}/usr/include/aarch64-linux-gnu")  # as a native compiler does
set(CMAKE_CXX_FLAGS_INIT "-Wno-psabi")  # how old compilers passed arguments is of no matter: all is compiled by this one
# Libraries that shared ones of there need in turn.
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-Wl,-rpath-link,${PLUMBLINE_ROOT}/usr/lib/aarch64-linux-gnu:${PLUMBLINE_ROOT}/lib/aarch64-linux-gnu")
find_program(QEMU_USER NAMES qemu-aarch64-static qemu-aarch64)
if(QEMU_USER)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${QEMU_USER};-L;${PLUMBLINE_ROOT}")
endif()
