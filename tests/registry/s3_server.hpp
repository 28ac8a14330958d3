// The server that tests of the store in a bucket ask: the stand-in of tests/support/s3_standin.py, or a real one that
// PLUMBLINE_TEST_S3 names ("http://127.0.0.1:7480", with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and a bucket "perf").
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "registry/open_store.hpp"
#include "registry/s3/settings.hpp"
#include "registry/s3/store.hpp"

namespace plumbline::registry::test {

class S3Server {
 public:
  explicit S3Server(std::vector<std::string> switches = {}) {
    if (const char* real = std::getenv("PLUMBLINE_TEST_S3"); real != nullptr && switches.empty()) {
      endpoint_ = real;
      return;
    }
    std::array<int, 2> in{}, out{};
    if (::pipe(in.data()) != 0 || ::pipe(out.data()) != 0) std::abort();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      for (const int fd : {in[0], in[1], out[0], out[1]}) ::close(fd);
      std::vector<std::string> words = {"python3", std::string(PLUMBLINE_TESTS) + "/support/s3_standin.py"};
      words.insert(words.end(), switches.begin(), switches.end());
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      ::execvp("python3", argv.data());
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    input_ = in[1];
    std::string port;
    for (char c = 0; ::read(out[0], &c, 1) == 1 && c != '\n';) port += c;
    ::close(out[0]);
    endpoint_ = "http://127.0.0.1:" + port;
  }
  ~S3Server() {
    if (pid_ <= 0) return;
    ::close(input_);
    int status = 0;
    ::waitpid(pid_, &status, 0);
  }
  S3Server(const S3Server&) = delete;
  S3Server& operator=(const S3Server&) = delete;

  // With the cache in a folder.
  [[nodiscard]] s3::Environment environment(const std::string& cache) const {
    std::map<std::string, std::string, std::less<>> values = {{"AWS_ENDPOINT_URL", endpoint_},
                                                              {"AWS_ACCESS_KEY_ID", "TESTKEY"},
                                                              {"AWS_SECRET_ACCESS_KEY", "test/secret+key"},
                                                              {"PLUMBLINE_CACHE_DIR", cache}};
    if (pid_ <= 0) {
      for (const char* name : {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}) values[name] = std::getenv(name);
    }
    return [values](std::string_view name) -> std::optional<std::string> {
      const auto found = values.find(name);
      return found == values.end() ? std::nullopt : std::optional(found->second);
    };
  }
  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }
  [[nodiscard]] std::unique_ptr<Store> store(const std::string& prefix, const std::string& cache, PathLimits limits = {}) const {
    return open_store({{}, "s3://perf/" + prefix, std::move(limits), {}, environment(cache)});
  }

 private:
  pid_t pid_ = 0;
  int input_ = -1;
  std::string endpoint_;
};

// The stand-in as Google Cloud Storage with HMAC keys, as far as its documentation tells: which is asked so by its name alone, so
// a store is made by hand here.
inline std::unique_ptr<Store> in_google_bucket(const std::string& root, PathLimits limits = {}) {
  static const S3Server kServer({"--google"});
  const auto environment = kServer.environment(root + "/cache");
  auto settings = s3::settings_of("s3://perf/g/" + sha256_hex(root).substr(0, 16), environment);
  if (!settings) std::abort();
  settings->google = true;
  settings->region = "auto";
  std::filesystem::create_directories(root + "/cache/google");
  return std::make_unique<s3::S3Store>(std::move(*settings), environment, root + "/cache/google", std::move(limits));
}

inline const S3Server& common_server() {
  static const S3Server kServer;
  return kServer;
}

// Of a root: a prefix of its own, and the cache under it.
inline std::unique_ptr<Store> in_bucket(const S3Server& server, const std::string& root, PathLimits limits = {}) {
  return server.store("t/" + sha256_hex(root + std::to_string(::getpid())).substr(0, 16), root + "/cache", std::move(limits));
}

}  // namespace plumbline::registry::test
