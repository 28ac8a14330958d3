// A folder of its own for each test, and the few file operations that the registry's specifications are written with.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "registry/store.hpp"

namespace plumbline::registry::test {

class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "plumbline-registry-XXXXXX").string();
    path_ = std::filesystem::canonical(::mkdtemp(pattern.data())).string();
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  // Gives the path; folders on the way are made.
  std::string write(const std::string& name, std::string_view bytes) const {
    const std::string path = path_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::filesystem::remove(path);
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

 private:
  std::string path_;
};

inline std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Every name below a folder, sorted; links are named, not entered.
inline std::vector<std::string> tree(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    names.push_back(std::filesystem::relative(entry.path(), folder).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

inline std::chrono::system_clock::time_point moment(std::int64_t microseconds = 0) {
  return std::chrono::system_clock::from_time_t(1795100639) + std::chrono::microseconds(221206 + microseconds);  // 2026-11-19T…
}

inline std::string baseline_text(const std::string& family = "demo", const std::string& measurement = "throughput",
                                 const std::string& more = "") {
  return R"({"schema":"plumbline.baseline.v1","family":")" + family + R"(","measurement":")" + measurement +
         R"(","value":100,"unit":"tokens/s","direction":"higher-is-better","registered_at_utc":"2026-11-20T15:03:59Z",)" +
         R"("notes":"first | note","snapshot":{"path":"source-snapshot.txt","bytes":4,"sha256":""})" + more + "}\n";
}

// Publishes an entry of two files; EXPECTs that it works.
inline Published publish_entry(Store& store, const std::string& family = "demo", const std::string& measurement = "throughput",
                               std::chrono::system_clock::time_point now = moment(), const std::string& more = "") {
  auto staging = store.stage(Kind::entry, family, measurement);
  EXPECT_TRUE(staging) << staging.error().message;
  EXPECT_TRUE((*staging)->add("baseline.json", baseline_text(family, measurement, more)));
  EXPECT_TRUE((*staging)->add("source-snapshot.txt", "100\n"));
  auto published = store.publish(std::move(*staging), now);
  EXPECT_TRUE(published) << published.error().message;
  return published ? *published : Published{};
}

inline std::string acceptance_text(const core::Acceptance& a) {
  return "{\"seq\":" + std::to_string(a.seq) + ",\"family\":\"" + a.family + "\",\"measurement\":\"" + a.measurement +
         "\",\"slug\":\"" + a.slug + "\",\"reason\":\"" + a.reason +
         "\",\"previous\":" + (a.previous ? "\"" + *a.previous + "\"" : "null") + "}\n";
}

}  // namespace plumbline::registry::test
