// What the build wrote down of itself: see cmake/Parts.cmake and cmake/Commit.cmake.
#pragma once

#include <span>
#include <string_view>

namespace plumbline::cli {

struct Part {
  std::string_view name;
  std::string_view version;  // Debian's, "" where it was not built from Debian's packages
  std::string_view licence;  // SPDX
  std::string_view how;      // "headers", "static", "shared", "system"
  std::string_view home;
  std::string_view package;
};
[[nodiscard]] std::span<const Part> parts();
[[nodiscard]] std::string_view linking();   // of the program: "shared", "static"
[[nodiscard]] std::string_view compiler();  // "GNU 12.2.0"
[[nodiscard]] std::string_view target();    // "x86_64-linux"
[[nodiscard]] std::string_view build_type();
[[nodiscard]] std::string_view release_day();  // of this version, as the changelog has it: "2026-11-23"
[[nodiscard]] std::string_view commit();       // "" where nothing said it

}  // namespace plumbline::cli
