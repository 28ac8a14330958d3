// links: profiles core
// Any bytes to every form of capture of the list: recognised or not, and read or refused with a reason. Of what is read holds
// what must hold of every capture (captures_hold.hpp); what a form promises besides is in kMore. Bytes that begin with "=== NAME"
// are a folder (folder_text.hpp).
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/capture.hpp"
#include "profiles/readers/form.hpp"
#include "profiles/readers/host/host_profiles.hpp"
#include "profiles/readers/readers.hpp"
#include "tests/fuzz/bytes_opened.hpp"
#include "tests/fuzz/captures_hold.hpp"
#include "tests/fuzz/one_reader.hpp"
#include "tests/fuzz/sqlite_both_ways.hpp"

namespace plumbline::profiles::fuzz {
namespace {

// It would start another program.
constexpr std::string_view kThroughHelper = "nsys-rep";

// However a trace is cut into pieces, the same is read; where broken JSON is taken up again may depend on the cuts.
void read_in_pieces(std::string_view text) {
  const auto clean = [](const auto& profile) {
    return profile && std::none_of(profile->warnings.begin(), profile->warnings.end(),
                                   [](const auto& warning) { return warning.code == "malformed_events"; });
  };
  const auto whole = read_json_trace_text(text, "fuzz.json", {});
  answer_holds(whole);
  for (const std::size_t piece : {std::size_t{6}, std::size_t{33}, static_cast<std::uint8_t>(text.back()) + std::size_t{1}}) {
    const auto pieces = read_json_trace_text(text, "fuzz.json", {}, piece);
    answer_holds(pieces);
    if (!clean(whole) || !clean(pieces)) continue;
    check(whole->info.kernel_ns == pieces->info.kernel_ns && whole->info.kernels == pieces->info.kernels);
  }
}

// What does not begin as rocprofv3's file is made the inside of one, too, so that mutations reach the records.
void read_traces(std::string_view bytes) {
  if (bytes.empty()) return;
  read_in_pieces(bytes);
  const std::string inside = "{\"rocprofiler-sdk-tool\":[{" + std::string(bytes);
  if (!bytes.starts_with("{\"rocprofiler")) answer_holds(read_json_trace_text(inside, "fuzz.json", {}));
}

// The columns of a capture are of one length, and what its events refer to is there.
void check_columns(std::string_view bytes) {
  (void)is_xplane_bytes(bytes, false);
  const auto capture = read_xplane_bytes(bytes, "x.xplane.pb", {});
  if (!capture) return;
  const GpuOps& ops = capture->ops;
  check(ops.name.size() == ops.size() && ops.queue.size() == ops.size() && ops.kind.size() == ops.size() &&
        ops.detail.size() == ops.size() && ops.launch.size() == ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    check(ops.name[i] < capture->names.size() && ops.queue[i] < capture->queues.size() && ops.times.length(i) >= 0);
  }
}

void check_samples(std::string_view bytes) {
  (void)is_perf_script_text(bytes, false);
  const auto profile = read_perf_script_text(bytes, "perf.txt");
  check(!profile || (profile->frames_samples.value_or(0) > 0 && profile->frames_duration_ns.value_or(1) > 0));
}

struct More {
  std::string_view form;
  std::vector<std::string> names;                   // of the file, where a name says which report it holds
  void (*check)(std::string_view bytes) = nullptr;  // what no other form promises
};

const std::array kMore = {
    More{"sqlite", {}, &read_both_ways},
    More{"json-trace", {}, &read_traces},
    More{"nsys-stats-csv",
         {"stats.csv", "x_cuda_gpu_kern_sum.csv", "x_nccltrace.csv", "x_cuda_gpu_trace.csv", "1_kernel_trace.csv",
          "1_hip_stats.csv"}},
    More{"nsys-stats-json", {"x_cuda_gpu_kern_sum.json"}},
    More{"xplane", {}, &check_columns},
    More{"pprof", {}, [](std::string_view bytes) { (void)is_pprof_bytes(bytes, false); }},
    More{"perf-script", {}, &check_samples},
    More{"folded", {}, [](std::string_view bytes) { (void)is_folded_text(bytes, false); }},
};

// A schema may hold any expression: a bound on the work of one input, in place of the caller's patience.
ReadOptions patient() {
  ReadOptions options;
  options.stop = [questions = 0]() mutable { return ++questions > 400; };
  return options;
}

void ask(const Form& form, const std::string& path, const ReadOptions& options) {
  const OpenFile file(path, options.open);
  (void)form.recognises(file, file.head(256).value_or(std::string()));
  answer_holds(form.read(path, options));
}

void ask_of_bytes(const Form& form, std::string_view bytes) {
  const MemoryFile file(bytes);
  const auto* const more = std::find_if(kMore.begin(), kMore.end(), [&](const More& each) { return each.form == form.name; });
  std::vector<std::string> names = {"capture"};
  if (more != kMore.end()) names.insert(names.end(), more->names.begin(), more->names.end());
  for (const std::string& name : names) {
    ReadOptions options = patient();
    options.open = opener_of(file, name);
    ask(form, name, options);
  }
  if (more != kMore.end() && more->check != nullptr) more->check(bytes);
}

void ask_of_folder(const Form& form, std::string_view text) {
  const FolderOfText folder(text);
  ask(form, folder.path(), patient());
}

}  // namespace
}  // namespace plumbline::profiles::fuzz

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  using namespace plumbline::profiles;
  std::vector<std::string_view> names;
  for (const Form* form : forms()) {
    if (form->name != fuzz::kThroughHelper) names.push_back(form->name);
  }
  plumbline::fuzz::take_arguments(*argc, *argv, names);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumbline::profiles;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const Form* form : forms()) {
    if (form->name == fuzz::kThroughHelper || !plumbline::fuzz::is_asked(form->name)) continue;
    if (plumbline::testing::is_folder_text(bytes)) {
      fuzz::ask_of_folder(*form, bytes);
    } else {
      fuzz::ask_of_bytes(*form, bytes);
    }
  }
  return 0;
}
