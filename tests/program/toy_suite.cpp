// Stand-ins for benchmark harnesses, for tests of `plumbline run --confirm`: none of them is the real program, but each takes the
// arguments that choose cases as the real one does, with its own matching rules, and refuses what it does not know. The name that
// it is called by says which one it is: bench (Google Benchmark), go (go test), pytest, cargo (criterion.rs), all_reduce_perf
// (nccl-tests). The results are drawn, not measured; toy.conf beside the name that it is called by says what is true:
//
//   counter FILE   counts the calls      seed N, cv X, noise normal|t3|lognormal      cases N
//   slow FACTOR [CASE]   of all cases, or of one      name CASE TEXT, gone CASE, exit N (instead of any result)
#include <regex.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Words = std::vector<std::string>;

struct Truth {
  std::string counter;
  std::uint64_t seed = 1;
  double cv = 0.02;
  std::string noise = "normal";
  int cases = 60, exit = 0;
  double slow = 1;
  std::map<int, double> slow_case;
  std::map<int, std::string> names;
  std::set<int> gone;
};

Truth read_truth(const std::string& folder) {
  Truth truth;
  std::ifstream file(folder + "/toy.conf");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    int index = 0;
    if (what == "counter") words >> truth.counter;
    if (what == "seed") words >> truth.seed;
    if (what == "cv") words >> truth.cv;
    if (what == "noise") words >> truth.noise;
    if (what == "cases") words >> truth.cases;
    if (what == "exit") words >> truth.exit;
    if (what == "gone" && words >> index) truth.gone.insert(index);
    if (what == "slow") {
      double factor = 1;
      words >> factor;
      if (words >> index) {
        truth.slow_case[index] = factor;
      } else {
        truth.slow = factor;
      }
    }
    if (what == "name" && words >> index) {
      std::string text;
      std::getline(words >> std::ws, text);
      truth.names[index] = text;
    }
  }
  return truth;
}

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(2);
}

std::uint64_t count_call(const std::string& file) {
  if (file.empty()) return 0;
  std::uint64_t calls = 0;
  std::ifstream(file) >> calls;
  std::ofstream(file) << calls + 1;
  return calls;
}

double draw(const std::string& kind, std::mt19937_64& generator) {
  if (kind == "t3") return std::student_t_distribution<>(3)(generator) / std::sqrt(3.0);
  if (kind == "lognormal") return (std::lognormal_distribution<>(0, .8)(generator) - std::exp(.32)) / 1.3;
  return std::normal_distribution<>()(generator);
}

double value_of(const Truth& truth, std::uint64_t call, int index) {
  std::mt19937_64 generator((truth.seed * 1'000'003 + call) * 1'009 + static_cast<std::uint64_t>(index));
  generator.discard(8);
  const auto slow = truth.slow_case.find(index);
  return 100.0 * (1 + index % 7) * truth.slow * (slow == truth.slow_case.end() ? 1 : slow->second) *
         (1 + truth.cv * draw(truth.noise, generator));
}

// POSIX extended, searched for, as Google Benchmark does.
bool found(const std::string& pattern, const std::string& text) {
  regex_t compiled;
  if (::regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0) refuse("cannot compile the pattern " + pattern);
  const bool out = ::regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  ::regfree(&compiled);
  return out;
}

// go test's rule: a pattern is cut at slashes outside of brackets and parentheses, and each level searches its own part of the
// name.
Words go_levels(const std::string& pattern) {
  Words out(1);
  int square = 0;
  int round = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '/' && square == 0 && round == 0) {
      out.emplace_back();
      continue;
    }
    out.back() += c;
    if (c == '\\' && i + 1 < pattern.size()) out.back() += pattern[++i];
    if (c == '[') ++square;
    if (c == ']' && square > 0) --square;
    if (c == '(' && square == 0) ++round;
    if (c == ')' && square == 0) --round;
  }
  return out;
}

bool go_runs(const std::string& pattern, const std::string& name) {
  const Words levels = go_levels(pattern);
  std::istringstream parts(name);
  std::size_t level = 0;
  for (std::string part; std::getline(parts, part, '/') && level < levels.size(); ++level) {
    if (!found(levels[level], part)) return false;
  }
  return level == levels.size();  // a shorter name has no sub-benchmarks to look for
}

// pytest's -k: names joined by and, or, not and parentheses, each looked for in the test's own name, whatever its case.
class Keywords {
 public:
  Keywords(std::string text, std::string name) : text_(std::move(text)), name_(lower(std::move(name))) {}
  bool matches() {
    const bool out = any();
    if (peek() != '\0') refuse("Wrong expression passed to '-k': " + text_);
    return out;
  }

 private:
  static std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  }
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  std::string word() {
    peek();
    std::size_t end = at_;
    while (end < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || std::strchr("_:+-.[]/", text_[end]) != nullptr))
      ++end;
    return text_.substr(at_, end - at_);
  }
  bool take(const std::string& wanted) {
    if (word() != wanted) return false;
    at_ += wanted.size();
    return true;
  }
  bool any() {
    bool out = all();
    while (take("or")) out = all() || out;
    return out;
  }
  bool all() {
    bool out = one();
    while (take("and")) out = one() && out;
    return out;
  }
  bool one() {
    if (take("not")) return !one();
    if (peek() == '(') {
      ++at_;
      const bool out = any();
      if (peek() != ')') refuse("Wrong expression passed to '-k': " + text_);
      ++at_;
      return out;
    }
    const std::string name = word();
    if (name.empty()) refuse("Wrong expression passed to '-k': unexpected character in " + text_);
    at_ += name.size();
    return name_.find(lower(name)) != std::string::npos;
  }

  std::string text_, name_;
  std::size_t at_ = 0;
};

struct Drawn {
  std::string name;
  int index = 0;
};

Words split(const std::string& text, const char* ends) {
  Words out(1);
  for (const char c : text) {
    if (std::strchr(ends, c) != nullptr) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

std::string name_of(const Truth& truth, int index, const std::string& otherwise) {
  const auto named = truth.names.find(index);
  return named == truth.names.end() ? otherwise + std::to_string(index) : named->second;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// ---- the stand-ins ----

void bench(const Truth& truth, std::uint64_t call, const Words& words) {
  std::string filter;
  bool json = false;
  for (const std::string& word : words) {
    if (word.starts_with("--benchmark_filter=")) {
      filter = word.substr(19);
    } else if (word.starts_with("--benchmark_format=")) {
      json = word.ends_with("json");
    } else if (!word.starts_with("--benchmark_")) {
      refuse("bench: error: unrecognized command-line flag: " + word);
    }
  }
  if (!json) refuse("this stand-in prints JSON alone");
  std::string rows;
  for (int i = 0; i < truth.cases; ++i) {
    const std::string name = name_of(truth, i, "BM_case/");
    if (truth.gone.contains(i) || !found(filter, name)) continue;
    char numbers[200];
    std::snprintf(numbers, sizeof numbers,
                  ",\"run_type\":\"iteration\",\"iterations\":1000,\"real_time\":%.9g,\"time_unit\":\"ns\"}",
                  value_of(truth, call, i));
    rows += (rows.empty() ? "" : ",\n") + std::string("{\"name\":") + quoted(name) + ",\"run_name\":" + quoted(name) + numbers;
  }
  if (rows.empty()) refuse("Failed to match any benchmarks against regex: " + filter);
  std::printf("{\"context\":{\"library_build_type\":\"release\"},\"benchmarks\":[\n%s]}\n", rows.c_str());
}

void go(const Truth& truth, std::uint64_t call, const Words& words) {
  if (words.empty() || words[0] != "test") refuse("go: unknown command");
  std::string pattern;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with("-bench=")) {
      pattern = word.substr(7);
    } else if (word == "-bench" && i + 1 < words.size()) {
      pattern = words[++i];
    } else if (word != "-benchmem" && !word.starts_with("-run=") && !word.starts_with("-count=") && word != "./...") {
      refuse("flag provided but not defined: " + word);
    }
  }
  std::printf("goos: linux\ngoarch: amd64\npkg: example.com/toy\n");
  for (int i = 0; i < truth.cases; ++i) {
    const std::string name = name_of(truth, i, "BenchmarkCase/n=");
    if (pattern.empty() || truth.gone.contains(i) || !go_runs(pattern, name)) continue;
    std::printf("%s-8 \t 1000 \t %.9g ns/op\n", name.c_str(), value_of(truth, call, i));
  }
  std::printf("PASS\nok  \texample.com/toy\t1.2s\n");
}

void pytest(const Truth& truth, std::uint64_t call, const Words& words) {
  std::string expression;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "-k" && i + 1 < words.size()) {
      expression = words[++i];
    } else if (words[i].starts_with("-")) {
      if (words[i] != "-q") refuse("pytest: error: unrecognized arguments: " + words[i]);
    }
  }
  std::string rows;
  for (int i = 0; i < truth.cases; ++i) {
    const std::string test = name_of(truth, i, "test_case_") + (truth.names.contains(i) ? "" : "_");
    if (truth.gone.contains(i) || (!expression.empty() && !Keywords(expression, test).matches())) continue;
    char numbers[120];
    std::snprintf(numbers, sizeof numbers, ",\"stats\":{\"mean\":%.9g,\"rounds\":5}}", value_of(truth, call, i) / 1e6);
    rows += (rows.empty() ? "" : ",\n") + std::string("{\"name\":") + quoted(test) +
            ",\"fullname\":" + quoted("tests/test_toy.py::" + test) + numbers;
  }
  if (rows.empty()) std::exit(5);  // as pytest: no tests were collected
  std::printf("{\"machine_info\":{\"system\":\"Linux\"},\"benchmarks\":[\n%s]}\n", rows.c_str());
}

void cargo(const Truth& truth, std::uint64_t call, const Words& words) {
  Words filters;
  bool ours = false;
  bool benches = false;
  for (const std::string& word : words) {
    if (word == "bench") {
      benches = true;
    } else if (word == "--" && !ours) {
      ours = true;
    } else if (!word.starts_with('-')) {
      filters.push_back(word);
    } else if (word != "--noplot" && word != "--quiet") {
      refuse("error: unexpected argument '" + word + "' found");
    }
  }
  if (!benches) refuse("error: no such command");
  if (filters.size() > 1) refuse("error: unexpected argument '" + filters[1] + "' found");
  for (int i = 0; i < truth.cases; ++i) {
    const std::string name = name_of(truth, i, "case ");
    if (truth.gone.contains(i) || (!filters.empty() && !found(filters[0], name))) continue;
    const double value = value_of(truth, call, i);
    std::printf("%-24stime:   [%.6f ns %.6f ns %.6f ns]\n", name.c_str(), value * .99, value, value * 1.01);
  }
}

void all_reduce_perf(const Truth& truth, std::uint64_t call, const Words& words) {
  std::map<std::string, std::string> given = {{"-b", "8"}, {"-e", "134217728"}, {"-f", "2"}};
  const std::map<std::string, std::string> longs = {{"--minbytes", "-b"}, {"--maxbytes", "-e"}, {"--stepfactor", "-f"}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Words parts = split(words[i], "=");
    const auto name = longs.find(parts[0]);
    const std::string flag = name == longs.end() ? words[i].substr(0, 2) : name->second;
    if (!given.contains(flag) && flag != "-g") refuse("invalid option -- '" + words[i] + "'");
    if (name != longs.end() && parts.size() > 1) {
      given[flag] = parts[1];
    } else if (name == longs.end() && words[i].size() > 2) {
      given[flag] = words[i].substr(2);
    } else if (i + 1 < words.size()) {
      given[flag] = words[++i];
    }
  }
  const auto bytes = [](const std::string& text) {
    char* end = nullptr;
    const std::uint64_t number = std::strtoull(text.c_str(), &end, 10);
    return number << (*end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0);
  };
  std::printf(
      "# nThread 1 nGpus 8 minBytes %s maxBytes %s step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validate: 1 graph: 0\n"
      "# Collective test starting: all_reduce_perf\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n",
      given["-b"].c_str(), given["-e"].c_str());
  double sum = 0;
  int lines = 0;
  for (std::uint64_t size = bytes(given["-b"]); size <= bytes(given["-e"]) && size > 0; size *= bytes(given["-f"])) {
    const double time =
        value_of(truth, call, static_cast<int>(std::log2(static_cast<double>(size)))) * (1 + static_cast<double>(size) / 1e6);
    const double speed = static_cast<double>(size) / time / 1e3;
    std::printf("%12llu %12llu     float     sum      -1 %12.6f %12.6f %12.6f      0\n", static_cast<unsigned long long>(size),
                static_cast<unsigned long long>(size / 4), time, speed, speed * 1.75);
    sum += speed * 1.75;
    ++lines;
  }
  std::printf("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : %.6f\n#\n", sum / lines);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string called = argv[0];
  const std::size_t slash = called.rfind('/');
  const std::string name = called.substr(slash == std::string::npos ? 0 : slash + 1);
  const Truth truth = read_truth(slash == std::string::npos ? "." : called.substr(0, slash));
  const std::uint64_t call = count_call(truth.counter);
  if (truth.exit != 0) return truth.exit;
  const Words words(argv + 1, argv + argc);
  if (name == "bench") {
    bench(truth, call, words);
  } else if (name == "go") {
    go(truth, call, words);
  } else if (name == "pytest") {
    pytest(truth, call, words);
  } else if (name == "cargo") {
    cargo(truth, call, words);
  } else if (name == "all_reduce_perf") {
    all_reduce_perf(truth, call, words);
  } else {
    refuse("call me bench, go, pytest, cargo or all_reduce_perf");
  }
  return 0;
}
