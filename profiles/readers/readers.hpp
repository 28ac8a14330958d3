// The readers behind profiles::read, one per form of capture. Each returns a complete Profile or an Error that says what
// is wrong with the capture; none writes anywhere but in the scratch folder it is given.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiles/profile.hpp"
#include "profiles/readers/open_file.hpp"

struct sqlite3;

namespace plumbline::profiles {

// SQLite exports of Nsight Systems, schema none (2021.3) to 3.25 (2026.2): tables are looked for, columns found by name.
[[nodiscard]] core::Expected<Profile> read_nsys_sqlite(const std::string& path, const ReadOptions& options);
// The same from a handle that the caller opened and keeps; `name` stands for the file in messages.
[[nodiscard]] core::Expected<Profile> read_nsys_sqlite(sqlite3* db, const std::string& name, const ReadOptions& options);
// Whether the database at `path` has the tables of such an export, or is too damaged to say.
[[nodiscard]] bool is_nsys_sqlite(const std::string& path, const Opener& open);

// `nsys stats --format csv`: a folder with one file per report, or one file (of one report, or several one after another).
[[nodiscard]] core::Expected<Profile> read_nsys_stats_csv(const std::string& path, const ReadOptions& options);
// The text of one file; `name` is its path, whose last part may name the report.
[[nodiscard]] core::Expected<Profile> read_nsys_stats_text(std::string_view text, const std::string& name);
// An open folder that holds such a file, or a file whose head is one.
[[nodiscard]] bool is_nsys_stats(const OpenFile& file);

// .nsys-rep and .qdrep by way of `nsys export` into options.scratch.
[[nodiscard]] core::Expected<Profile> read_nsys_rep(const std::string& path, const ReadOptions& options);
inline constexpr std::string_view kNsysRepMagic = "NVIDIA Tegra Profiler Report";
// The conversion as a person would type it.
[[nodiscard]] std::string export_command(const std::string& path);

// "3 CUDA API calls, 12 copies and 5 NVTX ranges", "nothing that can be compared"
[[nodiscard]] std::string contents_text(const std::vector<std::pair<std::string_view, std::uint64_t>>& counts);

}  // namespace plumbline::profiles
