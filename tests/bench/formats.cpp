// How fast bytes become a Measurement: a flat object of a million keys (about 30 MB), first into an empty pool, then the
// second side of a comparison into the same pool, and the JSON tree alone.
#include <benchmark/benchmark.h>

#include <string>

#include "formats/format.hpp"
#include "formats/json/document.hpp"

namespace {

using namespace plumbline;

const std::string& million_keys() {
  static const std::string kText = [] {
    std::string text = "{";
    for (int i = 0; i < 1'000'000; ++i) {
      if (i > 0) text += ", ";
      text +=
          "\"metric_" + std::to_string(1'000'000 + i) + "\": " + std::to_string(i % 1000) + "." + std::to_string(100 + i % 900);
    }
    return text + "}";
  }();
  return kText;
}

void parse_only(benchmark::State& state) {
  const std::string& text = million_keys();
  for (auto _ : state) benchmark::DoNotOptimize(formats::json::parse(text, "flat.json"));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
void read_first(benchmark::State& state) {
  formats::Input input;
  input.name = "flat.json";
  input.bytes = million_keys();
  for (auto _ : state) benchmark::DoNotOptimize(formats::read(input, {}));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * input.bytes.size()));
}
void read_second(benchmark::State& state) {
  formats::Input input;
  input.name = "flat.json";
  input.bytes = million_keys();
  formats::ReadOptions options;
  options.pool = std::make_shared<core::StringPool>();
  const auto first = formats::read(input, options);
  for (auto _ : state) benchmark::DoNotOptimize(formats::read(input, options));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * input.bytes.size()));
}

BENCHMARK(parse_only)->Unit(benchmark::kMillisecond);
BENCHMARK(read_first)->Unit(benchmark::kMillisecond);
BENCHMARK(read_second)->Unit(benchmark::kMillisecond);

}  // namespace
