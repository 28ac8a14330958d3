// The readers of the table, one pair a format, and what they share. Private to formats/.
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/format.hpp"
#include "formats/json/document.hpp"
#include "formats/row_writer.hpp"

namespace plumbline::formats {

// How much of an input detection looks at.
inline constexpr std::size_t kHead = std::size_t{64} * 1024;
[[nodiscard]] inline std::string_view head_of(const Input& input) { return input.bytes.substr(0, kHead); }
// The head without byte order mark and leading blanks.
[[nodiscard]] std::string_view json_head(const Input& input);
[[nodiscard]] bool has_extension(std::string_view name, std::string_view extension);  // lower-case, with the dot

// Notes of the JSON reader as findings.
void take_notes(const json::Document& document, RowWriter& writer);
// parse() with the options' bounds.
[[nodiscard]] core::Expected<json::Document> parse_json(const Input& input, const ReadOptions& options);
// What a JSON value is as the value of a row; containers must not be asked.
[[nodiscard]] Leaf leaf_of(const json::Value& value);

// A context in this program's own shape, {"hardware": {"gpu": "H100"}} or {"hardware.gpu": "H100"}: fields on the allow-list
// and fields that a severity rule names go to the context descriptor, of an environment the host name alone.
// Whether the field was taken; how many of an environment were left out.
bool take_context_field(std::string_view group, std::string_view field, const json::Value& value, RowWriter& writer);
std::uint64_t take_context_group(const json::Value& object, std::string_view group, RowWriter& writer);

// Flattens a whole document into rows (generic_json.cpp); the specialised JSON readers use it for what they do not know.
// `root` is the value to flatten, `path` the key prefix of its rows.
struct FlattenOptions {
  json::Document* consumed = nullptr;  // set: members of the root are forgotten once they are rows
  bool harvest_context = true;         // top-level context, metadata, config, environment, env objects
};
void flatten_json(const json::Value& root, std::string_view path, RowWriter& writer, const FlattenOptions& options = {});

[[nodiscard]] Detection detect_generic_json(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_generic_json(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_inference_perfbench(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_inference_perfbench(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_scalar_text(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_scalar_text(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_delimited(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_delimited(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_directory(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_directory(const Input& input, const ReadOptions& options);

// LLM serving.
[[nodiscard]] Detection detect_vllm_serve(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_vllm_serve(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_vllm_console(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_vllm_console(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_vllm_offline(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_vllm_offline(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_sglang(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_sglang(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_inferencex(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_inferencex(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_llama_bench(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_llama_bench(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_genai_perf(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_genai_perf(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_guidellm(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_guidellm(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_mlperf_training(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_mlperf_training(const Input& input, const ReadOptions& options);

// Benchmarks of programs.
[[nodiscard]] Detection detect_google_benchmark(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_google_benchmark(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_hyperfine(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_hyperfine(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_pytest_benchmark(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_pytest_benchmark(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_go_bench(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_go_bench(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_criterion_json(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_criterion_json(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_criterion_folder(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_criterion_folder(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_rust_bench(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_rust_bench(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_jmh(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_jmh(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_catch2(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_catch2(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_bencher_bmf(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_bencher_bmf(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_custom_benchmark(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_custom_benchmark(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_wrk(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_wrk(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_k6(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_k6(const Input& input, const ReadOptions& options);

// GPU, network and storage microbenchmarks.
[[nodiscard]] Detection detect_nccl_tests(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_nccl_tests(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_nccl_tests_json(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_nccl_tests_json(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_nvbandwidth(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_nvbandwidth(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_nvbandwidth_json(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_nvbandwidth_json(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_nvbench(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_nvbench(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_cuda_p2p(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_cuda_p2p(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_cuda_bandwidth(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_cuda_bandwidth(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_dcgm_diag(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_dcgm_diag(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_perftest(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_perftest(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_perftest_json(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_perftest_json(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_osu(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_osu(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_stream(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_stream(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_hpl(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_hpl(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_superbench_gpu(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_superbench_gpu(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_fio(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_fio(const Input& input, const ReadOptions& options);
[[nodiscard]] Detection detect_iperf3(const Input& input);
[[nodiscard]] core::Expected<core::Measurement> read_iperf3(const Input& input, const ReadOptions& options);

}  // namespace plumbline::formats
