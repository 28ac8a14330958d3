// Readers of host profilers, whose profiles are functions and what they cost, and of XLA's profiler (JAX, TensorFlow) and
// Perfetto, which are captures of GPU events in a protobuf. All read gzip as well. Functions carry their canonical names
// (names/frames.hpp). Each is total on hostile bytes; memory is bounded by the distinct names (stacks.hpp), for protobufs by
// kMostProtobuf.
#pragma once

#include <string>
#include <string_view>

#include "profiles/capture.hpp"
#include "profiles/profile.hpp"

namespace plumbline::profiles {

// Protobufs are read whole: the tables stand behind what refers to them.
inline constexpr std::uint64_t kMostProtobuf = std::uint64_t{1} << 30;

// Folded stacks, as the stackcollapse scripts of FlameGraph, inferno and async-profiler write them: "main;run;work 123" a line,
// outermost first, the count behind the LAST space. What was counted the file does not say: frames_unit is "counts". Two counts
// on every line (difffolded.pl: both sides of a comparison) are refused with the commands that part them.
[[nodiscard]] core::Expected<Profile> read_folded(const std::string& path, const ReadOptions& options);
[[nodiscard]] core::Expected<Profile> read_folded_text(std::string_view text, const std::string& name);
[[nodiscard]] bool is_folded_text(std::string_view head, bool whole);

// `perf script` in its default layout, with or without call chains. Of several events the one with most samples is read, and a
// warning says so. A sample costs its period where the text has one: nanoseconds of cpu-clock and task-clock, else occurrences of
// the event (frames_unit "cycles"); without periods "samples". Symbols without a name are their object's: "[libc.so.6]".
[[nodiscard]] core::Expected<Profile> read_perf_script_text(std::string_view text, const std::string& name);
[[nodiscard]] bool is_perf_script_text(std::string_view head, bool whole);

// pprof's profile.proto (Go, gperftools through pprof -proto, jeprof, Pyroscope, Parca). Of several values per sample the one
// that default_sample_type names, else the last, as pprof takes it; nanoseconds, bytes or counts ("samples", else the type's
// name). Inlined functions are frames of their own; labels and drop_frames are not used. Legacy profiles of gperftools carry no
// names: they are recognised and refused with the command that converts them.
[[nodiscard]] core::Expected<Profile> read_pprof_bytes(std::string_view bytes, const std::string& name,
                                                       const std::function<bool()>& stop = {});
[[nodiscard]] bool is_pprof_bytes(std::string_view head, bool whole);

// speedscope's format: see speedscope.cpp. Profiles of a file that count the same are added up.
[[nodiscard]] core::Expected<Profile> read_speedscope_text(std::string_view text, const std::string& name);

// V8's .cpuprofile: see cpuprofile.cpp.
[[nodiscard]] core::Expected<Profile> read_cpuprofile_text(std::string_view text, const std::string& name);

// XSpace (*.xplane.pb): planes "/device:GPU:N" with one line per stream, and "/host:…" with one per thread.
[[nodiscard]] core::Expected<Capture> read_xplane_bytes(std::string_view bytes, const std::string& name,
                                                        const ReadOptions& options);
[[nodiscard]] bool is_xplane_bytes(std::string_view head, bool whole);

// Perfetto's stream of packets: see perfetto.cpp.
[[nodiscard]] core::Expected<Capture> read_perfetto_bytes(std::string_view bytes, const std::string& name,
                                                          const ReadOptions& options);
[[nodiscard]] bool is_perfetto_bytes(std::string_view head, bool whole);

}  // namespace plumbline::profiles
