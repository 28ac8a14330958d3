// What readers of captures lend each other, redaction and tests; profiles::read knows them by list.inc alone (form.hpp). Each
// returns a complete Profile or an Error that says what is wrong with the capture; none writes anywhere but in the scratch folder
// it is given.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiles/profile.hpp"
#include "profiles/readers/open_file.hpp"

namespace plumbline::profiles {

inline constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};
// SQLite databases: exports of Nsight Systems, schema none (2021.3) to 3.25 (2026.2), and rocpd of rocprofv3. Tables are looked
// for, columns found by name.
[[nodiscard]] core::Expected<Profile> read_sqlite(const std::string& path, const ReadOptions& options);
// Whether the database at `path` has the tables of one of these, or is too damaged to say.
[[nodiscard]] bool is_sqlite_capture(const std::string& path, const Opener& open);

// Tables of profilers as CSV: a folder of `nsys stats` reports, or one file (of one report, or several one after another), which
// may as well be one of rocprof or a summary of kernels made with other tools.
[[nodiscard]] core::Expected<Profile> read_nsys_stats_csv(const std::string& path, const ReadOptions& options);
// The text of one file; `name` is its path, whose last part may name the report.
[[nodiscard]] core::Expected<Profile> read_nsys_stats_text(std::string_view text, const std::string& name);

// `nsys stats --format json`: one file of one report or several.
[[nodiscard]] core::Expected<Profile> read_nsys_stats_json_text(std::string_view text, const std::string& name);
[[nodiscard]] bool is_nsys_stats_json(std::string_view head);

// JSON traces, gzip or not: Chrome's Trace Event Format (PyTorch's Kineto, XLA) and rocprofv3's results.
enum class JsonTrace : std::uint8_t { none, trace_events, rocprof };
[[nodiscard]] JsonTrace json_trace(const OpenFile& file);  // by what the first 8 MiB of text say
// From memory, through a window of `piece` bytes: where the text is cut changes nothing.
[[nodiscard]] core::Expected<Profile> read_json_trace_text(std::string_view text, const std::string& name,
                                                           const ReadOptions& options, std::size_t piece = SIZE_MAX);

// Nsight Compute, `ncu --csv`: the details page or the raw page. Metrics by kernel and launch shape, no timeline.
[[nodiscard]] core::Expected<Profile> read_ncu_text(std::string_view text, const std::string& name);
[[nodiscard]] bool is_ncu_csv(std::string_view head);

// .nsys-rep and .qdrep are read by way of `nsys export` into options.scratch: the conversion as a person would type it.
[[nodiscard]] std::string export_command(const std::string& path);

// "3 CUDA API calls, 12 copies and 5 NVTX ranges", "nothing that can be compared"
[[nodiscard]] std::string contents_text(const std::vector<std::pair<std::string_view, std::uint64_t>>& counts);

}  // namespace plumbline::profiles
