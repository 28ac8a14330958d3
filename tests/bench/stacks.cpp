// How fast stacks of the host become functions and their costs: folded stacks and perf script of 200 MB, from a file as users
// have it, beside a peer that counts the same (own cost and total once per stack, without canonical names) in the language of
// FlameGraph's scripts, over the same file in the same run. PLUMBLINE_BENCH_MB sets another size. Stacks share beginnings as real
// ones do and come in no order (sorted, as the scripts write them, folded stacks are read faster). The peer's figure is wall
// time.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "tests/bench/large_inputs.hpp"

namespace {

using namespace plumbline;

constexpr const char* kFoldedPeer =
    R"(perl -ne 'chomp; $i = rindex($_, " "); $c = substr($_, $i + 1); @f = split /;/, substr($_, 0, $i); $s{$f[-1]} += $c; )"
    R"(%u = (); $u{$_}++ or $t{$_} += $c for @f; END { print scalar(keys %t), "\n" }' )";
constexpr const char* kPerfPeer = R"(perl -ne 'if (/^\s+[0-9a-f]+ (.+)\+0x[0-9a-f]+ \(/) { push @f, $1 } )"
                                  R"(elsif (/^$/) { $s{$f[0]} += $c; %u = (); $u{$_}++ or $t{$_} += $c for @f; @f = () } )"
                                  R"(elsif (/:\s*(\d+)?\s+\S+:\s*$/) { $c = $1 || 1 } END { print scalar(keys %t), "\n" }' )";

class Stacks {
 public:
  Stacks() {
    for (int i = 0; i < 3000; ++i) {
      std::string name;
      if (i % 2 == 0) {
        bench::print(name, "function_%d", i);
      } else {
        bench::print(name, "ns%d::Class%d::method_%d(int, std::string const&)", i % 13, i % 97, i);
      }
      names_.push_back(std::move(name));
    }
  }
  // Outermost first.
  const std::vector<const std::string*>& next() {
    const auto pick = [this](std::size_t below) { return static_cast<std::size_t>(random_.unit() * static_cast<double>(below)); };
    stack_.resize(stack_.empty() ? 0 : pick(stack_.size()));
    for (std::size_t more = 1 + pick(12); more > 0 && stack_.size() < 40; --more) stack_.push_back(&names_[pick(names_.size())]);
    return stack_;
  }

 private:
  bench::Random random_;
  std::vector<std::string> names_;
  std::vector<const std::string*> stack_;
};

std::size_t wanted() {
  const char* said = std::getenv("PLUMBLINE_BENCH_MB");
  return (said == nullptr ? 200 : std::strtoul(said, nullptr, 10)) * bench::kMegabyte;
}

void write_folded(std::ostream& out) {
  Stacks stacks;
  std::string line;
  for (std::size_t written = 0; written < wanted(); written += line.size()) {
    line = "python3";
    for (const std::string* name : stacks.next()) line.append(";").append(*name);
    bench::print(line, " %d\n", static_cast<int>(1 + written % 500));
    out << line;
  }
}

void write_perf(std::ostream& out) {
  Stacks stacks;
  std::string sample;
  std::uint64_t time = 100'000'000;
  for (std::size_t written = 0; written < wanted(); written += sample.size(), time += 101) {
    sample.clear();
    bench::print(sample, "python3 12761/12762 [003]   %d.%06d:     250000 cpu-clock:pppH: \n", static_cast<int>(time / 1'000'000),
                 static_cast<int>(time % 1'000'000));
    const auto& stack = stacks.next();
    for (std::size_t i = stack.size(); i-- > 0;)
      bench::print(sample, "\t    7f%010x %s+0x%x (/usr/lib/libwork.so.1)\n", static_cast<unsigned>(written + i),
                   stack[i]->c_str(), static_cast<unsigned>(i * 16));
    sample += '\n';
    out << sample;
  }
}

// A file that goes away with the program; one at a time.
const std::string& file(void (*write)(std::ostream&)) {
  struct Made {
    std::string path;
    void (*by)(std::ostream&) = nullptr;
    ~Made() {
      std::error_code ignored;
      if (!path.empty()) std::filesystem::remove(path, ignored);
    }
  };
  static Made made;
  if (made.path.empty())
    made.path = (std::filesystem::temp_directory_path() / ("plumbline-stacks-" + std::to_string(::getpid()))).string();
  if (made.by != write) {
    std::ofstream out(made.path, std::ios::binary | std::ios::trunc);
    write(out);
    made.by = write;
  }
  return made.path;
}

void reads(benchmark::State& state, void (*write)(std::ostream&), const char* format) {
  const std::string& path = file(write);
  for (auto _ : state) {
    const auto profile = profiles::read(path, {});
    if (!profile || profile->info.format != format) {
      state.SkipWithError(profile ? profile->info.format.c_str() : profile.error().message.c_str());
      return;
    }
    state.counters["functions"] = static_cast<double>(profile->frames.size());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(std::filesystem::file_size(path)));
}

void peer(benchmark::State& state, void (*write)(std::ostream&), const char* command) {
  const std::string& path = file(write);
  for (auto _ : state) {
    if (std::system((command + ("'" + path + "' >/dev/null")).c_str()) != 0) {
      state.SkipWithError("perl is not there");
      return;
    }
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(std::filesystem::file_size(path)));
}

BENCHMARK_CAPTURE(reads, folded, write_folded, "folded")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(peer, folded_perl, write_folded, kFoldedPeer)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);
BENCHMARK_CAPTURE(reads, perf_script, write_perf, "perf-script")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(peer, perf_script_perl, write_perf, kPerfPeer)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

}  // namespace
