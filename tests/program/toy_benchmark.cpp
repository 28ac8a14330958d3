// A benchmark for tests of `plumbline run`: its result is drawn, not measured, so that what is true of it is known. Each call
// draws the next value of a seeded sequence (--counter FILE counts the calls), around --mean with --cv of noise, slower by
// --drift from the first to the hundredth call, and by the factor --second in every second call. --misbehave NAME is a trial that
// goes wrong.
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <thread>

namespace {

std::uint64_t count_call(const std::string& file) {
  if (file.empty()) return 0;
  std::uint64_t calls = 0;
  std::ifstream(file) >> calls;
  std::ofstream(file) << calls + 1;
  return calls;
}

double noise(const std::string& kind, std::mt19937_64& generator) {
  if (kind == "t3") return std::student_t_distribution<>(3)(generator) / std::sqrt(3.0);
  if (kind == "lognormal") return (std::lognormal_distribution<>(0, .8)(generator) - std::exp(.32)) / 1.3;
  return std::normal_distribution<>()(generator);
}

int misbehave(const std::string& how) {
  if (how == "fail") {
    std::fprintf(stderr, "out of memory on device 3\n");
    return 3;
  }
  if (how == "crash") std::raise(SIGSEGV);
  if (how == "hang") {
    std::signal(SIGTERM, SIG_IGN);
    for (;;) ::pause();
  }
  if (how == "garbage") {
    for (int i = 0; i < 4096; ++i) std::putchar(i * 37 % 251);
    return 0;
  }
  if (how == "flood") {
    const std::string block(1 << 20, 'x');
    for (;;) std::fwrite(block.data(), 1, block.size(), stdout);
  }
  if (how == "leave") {  // a grandchild in a session of its own, which outlives everybody
    if (::fork() == 0) {
      ::setsid();
      if (::fork() != 0) ::_exit(0);
      for (int stream = 0; stream < 3; ++stream) ::close(stream);
      ::execl("/bin/sleep", "sleep", "1000", nullptr);
      ::_exit(1);
    }
    ::usleep(20'000);
    std::printf("{\"latency_ms\": 5}\n");
    return 0;
  }
  return 9;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> given;
  for (int i = 1; i + 1 < argc; i += 2) given[argv[i]] = argv[i + 1];
  const auto number = [&](const char* name, double otherwise) {
    return given.count(name) != 0 ? std::strtod(given[name].c_str(), nullptr) : otherwise;
  };
  const std::uint64_t calls = count_call(given["--counter"]);
  const bool now = number("--every", 1) <= 1 || calls % static_cast<std::uint64_t>(number("--every", 1)) == 0;
  if (given.count("--misbehave") != 0 && now) return misbehave(given["--misbehave"]);
  std::mt19937_64 generator(static_cast<std::uint64_t>(number("--seed", 1)) * 1'000'003 + calls);
  generator.discard(8);
  double value = number("--mean", 100) * (1 + number("--cv", 0) * noise(given["--noise"], generator));
  value *= 1 + number("--drift", 0) * static_cast<double>(calls) / 100;
  const double second = calls % 2 == 1 ? number("--second", 1) : 1;
  value *= second;
  const int rows = static_cast<int>(number("--rows", 1));
  std::printf("{");
  for (int row = 0; row < rows; ++row) {
    std::printf("%s\"latency%s_ms\": %.9g", row > 0 ? ", " : "", row > 0 ? ("_" + std::to_string(row)).c_str() : "", value);
    value = number("--mean", 100) * (1 + number("--cv", 0) * noise(given["--noise"], generator));
    value *= second * (1 + number("--drift", 0) * static_cast<double>(calls) / 100);
  }
  std::printf("}\n");
  return 0;
}
