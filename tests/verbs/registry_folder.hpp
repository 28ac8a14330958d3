// A registry in a temporary folder, with hand-written entries as the reference tool leaves them: small, and readable here.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "registry/store.hpp"
#include "reports/reports.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

class RegistryFolder : public ::testing::Test {
 protected:
  RegistryFolder() {
    std::string folder = (std::filesystem::temp_directory_path() / "plumbline-test-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) ADD_FAILURE() << "no temporary folder";
    root_ = std::filesystem::canonical(folder).string();
    store_ = registry::posix_store(root_);
  }
  ~RegistryFolder() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  void write(const std::string& relative, const std::string& text) const {
    const std::filesystem::path path = std::filesystem::path(root_) / relative;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  // `extra` is spliced into baseline.json: R"(,"context": {"hardware.gpu": "H200"})".
  std::string entry(const std::string& family, const std::string& measurement, const std::string& slug, const std::string& value,
                    const std::string& extra = {}) const {
    const std::string folder = "experiments/artifacts/perf-baselines/" + family + "/" + measurement + "/" + slug;
    write(folder + "/source-snapshot.txt", value);
    write(folder + "/SOURCE.md", "# SOURCE\n");
    write(folder + "/baseline.json",
          R"({"family": ")" + family + R"(", "measurement": ")" + measurement + R"(", "value": )" + value +
              R"(, "unit": "GB/s", "direction": "higher-is-better", "source_path": "/a", "source_sha256": ")" +
              registry::sha256_hex(value) + R"(", "registered_at_utc": "2026-11-20T15:03:59Z", "notes": "")" + extra + "}\n");
    return root_ + "/" + folder;
  }

  void accept(const std::string& family, const std::string& measurement, const std::string& slug) const {
    core::Acceptance acceptance;
    acceptance.family = family;
    acceptance.measurement = measurement;
    acceptance.slug = slug;
    acceptance.reason = "test";
    acceptance.accepted_at_utc = "2026-11-20T15:03:59Z";
    acceptance.accepted_by = "tester";
    const auto accepted =
        store_->accept(acceptance, [](const core::Acceptance& numbered) { return reports::acceptance_json(numbered); });
    ASSERT_TRUE(accepted) << accepted.error().message;
  }

  [[nodiscard]] Context context() const {
    Context context;
    context.cwd = root_;
    context.repo_root = root_;
    context.environment = [](std::string_view name) -> std::optional<std::string> {
      return name == "USER" ? std::optional<std::string>("tester") : std::nullopt;
    };
    context.now = [] { return std::chrono::system_clock::time_point(std::chrono::seconds(1763650999)); };
    return context;
  }

  std::string root_;
  std::unique_ptr<registry::Store> store_;
};

}  // namespace plumbline::verbs
