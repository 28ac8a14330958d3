// SGLang's bench_serving: one JSON object a run, appended to a file. A file is a history: of each
// point the last run counts. Newer releases put in what the server says of itself, hundreds of flags among which there are keys
// and addresses: some of them are taken, by name.
#include "formats/serving/serving_runs.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;

std::optional<Declared> sglang_metric(std::string_view name, bool paced) {
  if (auto latency = latency_metric(name)) return latency;
  const auto rate = [&](std::string_view unit) { return paced ? for_context(unit) : higher_is_better(unit); };
  if (name == "request_throughput") return rate("req/s");
  // Counted by the server, or again by the client's own tokenizer.
  for (const std::string_view tokens : {"input_throughput", "output_throughput", "total_throughput"}) {
    if (name == tokens || (name.starts_with(tokens) && name.substr(tokens.size()) == "_retokenized")) return rate("tok/s");
  }
  if (name == "accept_length") return higher_is_better("tok");
  if (name == "completed") return gate(Direction::higher);
  if (name == "duration") return for_context("s");
  if (name == "max_output_tokens_per_s") return for_context("tok/s");
  // The measured mean of requests in flight, not a setting.
  if (name == "concurrency" || name == "max_concurrent_requests" || name.starts_with("total_")) return for_context();
  return std::nullopt;
}

constexpr std::string_view kPoint[] = {"dataset_name",      "max_concurrency",    "request_rate",       "random_input_len",
                                       "random_output_len", "random_range_ratio", "sharegpt_output_len"};
constexpr std::string_view kHeadlines[] = {"output_throughput", "median_ttft_ms", "median_itl_ms"};
// Flags of the server, as fields "server.<flag>" of the run.
constexpr RunSetting kServerFlags[] = {{"server.model_path", "identity.model"},
                                       {"server.quantization", "identity.quantization"},
                                       {"server.kv_cache_dtype", "identity.kv_cache_dtype"},
                                       {"server.speculative_draft_model_path", "identity.draft_model"},
                                       {"server.version", "stack.sglang"},
                                       {"server.tp_size", "parallelism.tp"},
                                       {"server.pp_size", "parallelism.pp"},
                                       {"server.dp_size", "parallelism.dp"},
                                       {"server.ep_size", "parallelism.ep"},
                                       {"server.enable_dp_attention", "parallelism.dp_attention"},
                                       {"server.disaggregated", "parallelism.disagg"},
                                       {"server.prefill_tp_size", "parallelism.prefill_tp"},
                                       {"server.prefill_servers", "parallelism.prefill_servers"},
                                       {"server.decode_servers", "parallelism.decode_servers"},
                                       {"server.dtype", "serving.dtype"},
                                       {"server.attention_backend", "serving.attention_backend"},
                                       {"server.sampling_backend", "serving.sampling_backend"},
                                       {"server.moe_a2a_backend", "serving.moe_a2a_backend"},
                                       {"server.speculative_algorithm", "serving.speculative_algorithm"},
                                       {"server.speculative_num_steps", "serving.speculative_num_steps"},
                                       {"server.speculative_eagle_topk", "serving.speculative_eagle_topk"},
                                       {"server.speculative_num_draft_tokens", "serving.speculative_num_draft_tokens"},
                                       {"server.mem_fraction_static", "serving.mem_fraction_static"},
                                       {"server.max_running_requests", "serving.max_running_requests"},
                                       {"server.chunked_prefill_size", "serving.chunked_prefill_size"},
                                       {"server.schedule_policy", "serving.schedule_policy"},
                                       {"server.page_size", "serving.page_size"},
                                       {"server.cuda_graph_max_bs", "serving.cuda_graph_max_bs"},
                                       {"server.disable_cuda_graph", "serving.disable_cuda_graph"},
                                       {"server.disable_radix_cache", "serving.disable_radix_cache"},
                                       {"server.enable_torch_compile", "serving.enable_torch_compile"}};
constexpr RunSetting kSettings[] = {{"tag", "identity.label"},
                                    {"random_input_len", "workload.isl"},
                                    {"random_output_len", "workload.osl"},
                                    {"random_range_ratio", "workload.random_range_ratio"},
                                    {"sharegpt_output_len", "workload.sharegpt_output_len"},
                                    {kCompletedRequests, "workload.completed_requests"}};
constexpr std::string_view kServed[] = {"tag", "backend", "server.model_path", "server.disaggregated"};
constexpr ServingFormat kSglang{"sglang-serving", kPoint, kHeadlines, sglang_metric, kSettings, true, kServed};

// The first server of a list; nothing where there is none.
json::Value first_of(const json::Value& servers) {
  if (!servers.is_array() || servers.size() == 0) return {};
  return *servers.elements().begin();
}

// Prefill and decode on servers of their own have a list each; what decodes stands for both.
void take_server(const json::Value& info, Run& run) {
  if (!info.is_object()) return;
  const json::Value prefill = info.find("prefill"), decode = info.find("decode");
  json::Value server = info;
  const auto put = [&](const std::string& name, const json::Value& value) {
    if (value && !value.is_container() && !value.is_null()) run.push_back({name, leaf_of(value)});
  };
  const auto count = [&](const char* name, const json::Value& servers) {
    run.push_back({name, Leaf{core::ValueState::number, static_cast<double>(servers.size()), true, {}}});
  };
  const bool disaggregated = first_of(prefill).is_object() && first_of(decode).is_object();
  run.push_back({"server.disaggregated", Leaf{core::ValueState::text, 0, false, disaggregated ? "true" : "false"}});
  if (disaggregated) {
    server = first_of(decode);
    put("server.prefill_tp_size", first_of(prefill).find("tp_size"));
    count("server.prefill_servers", prefill);
    count("server.decode_servers", decode);
  }
  constexpr std::string_view kPrefix = "server.";
  for (const RunSetting& flag : kServerFlags) {
    const std::string_view name = flag.field.substr(kPrefix.size());
    put(std::string(flag.field), server.find(name));
  }
}

// Which data sets take a length: the file has the defaults of the others beside it.
bool takes(std::string_view dataset, std::string_view length) {
  const auto one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), dataset) != names.end();
  };
  if (length == "sharegpt_output_len") return one_of({"sharegpt", "custom", "openai"});
  if (dataset.starts_with("random") || dataset == "image") return true;
  // Of questions and traces that come with their prompts only the answers are set.
  return length == "random_output_len" && (dataset == "mmmu" || dataset.starts_with("mooncake"));
}

void drop_idle_lengths(Run& run) {
  std::string_view dataset;
  for (const RunField& field : run) {
    if (field.name == "dataset_name") dataset = field.leaf.text;
  }
  if (dataset.empty()) return;
  std::erase_if(run, [&](const RunField& field) {
    return (field.name.starts_with("random_") || field.name == "sharegpt_output_len") && !takes(dataset, field.name);
  });
}

// The file does not say how many requests were sent. One run with another number of answers than another is another workload,
// which the context tells; of several points in one file each has its own number, which stays a gate.
void count_as_workload(Run& run) {
  const RunField* completed = field_of(run, "completed");
  if (completed == nullptr || completed->leaf.state != core::ValueState::number || field_of(run, "num_prompts") != nullptr)
    return;
  run.push_back({std::string(kCompletedRequests), completed->leaf});
}

}  // namespace

Detection detect_sglang(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (!head.starts_with("{") && !head.starts_with("[")) return detection;
  if (!has_keys(input, {"backend", "request_throughput", "output_throughput"}, detection)) return detection;
  const bool named = has_keys(input, {"mean_e2e_latency_ms"}, detection);  // vLLM says e2el
  const bool ranged = has_keys(input, {"random_range_ratio"}, detection);
  if (has_keys(input, {"total_throughput"}, detection)) {
    detection.score = named || ranged ? 0.96 : 0.92;
  } else if (named && ranged) {  // before it had the sum of both throughputs
    detection.score = 0.95;
  } else {
    return {};
  }
  return detection;
}

core::Expected<core::Measurement> read_sglang(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options, is_per_request);
  if (!document) return core::fail(document.error());
  const json::Value root = document->root();
  auto runs = runs_of(root, input.name);
  if (!runs) return core::fail(runs.error());
  if (root.is_object()) {
    take_server(root.find("server_info"), runs->front());
  } else {
    std::size_t at = 0;
    for (const json::Value& record : root.elements()) take_server(record.find("server_info"), (*runs)[at++]);
  }
  for (Run& run : *runs) drop_idle_lengths(run);
  if (runs->size() == 1) count_as_workload(runs->front());
  RowWriter writer(options);
  take_notes(*document, writer);
  std::vector<RunSetting> settings(std::begin(kSettings), std::end(kSettings));
  settings.insert(settings.end(), std::begin(kServerFlags), std::end(kServerFlags));
  ServingFormat format = kSglang;
  format.settings = settings;
  return rows_of_runs(writer, std::move(*runs), format, input.name);
}

extern const Format sglang_serving_format = {
    .name = "sglang-serving",
    .title = "SGLang bench_serving",
    .replication = core::Replication::run,
    .detect = detect_sglang,
    .read = read_sglang,
    .about = {.group = Group::serving,
              .file = "JSON lines",
              .produce = "python -m sglang.bench_serving --backend sglang --dataset-name random \\\n"
                         "  --num-prompts 200 --max-concurrency 16 --output-file result.jsonl",
              .judged = "SGLang `bench_serving` lines: throughput (higher), latencies (ms, lower); completed requests are a gate "
                        "where the file holds several points",
              .key =
                  "the settings of a point where the file holds several points; tag, backend, model, lengths where they differ",
              .trials =
                  "none in one file: the tool appends, so the last run of a point counts; runs that are to be trials go into "
                  "a file each",
              .context = "completed requests of a file of one run, whose request count it does not say; backend, dataset, its "
                         "lengths, concurrency (`none` without a bound), request rate; of `server_info` listed "
                         "flags: model, version, parallelism, precision, speculation, caches",
              .limits =
                  "earlier runs of a point are left out and counted; a fixed rate or a trace makes throughput context; older "
                  "files do not say the model",
              .recognised = "`backend`, `total_throughput` or `mean_e2e_latency_ms`, and companions"},
};

}  // namespace plumbline::formats
