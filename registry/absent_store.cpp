#include "registry/posix/store.hpp"

namespace plumbline::registry {

using core::fail;

namespace {

class AbsentStore final : public Store {
 public:
  explicit AbsentStore(core::Error why) : why_(std::move(why)) {}

  [[nodiscard]] std::string root() const override { return {}; }
  [[nodiscard]] core::Expected<std::string> path_of(const std::string&) const override { return fail(why_); }
  [[nodiscard]] core::Status bring(const StorePart&) const override { return fail(why_); }
  [[nodiscard]] core::Status removes() const override { return fail(why_); }

  [[nodiscard]] core::Expected<std::string> place(Kind, std::string_view, std::string_view, std::string_view) const override {
    return fail(why_);
  }
  core::Expected<std::unique_ptr<Staging>> stage(Kind, std::string_view, std::string_view) override { return fail(why_); }
  core::Expected<Published> publish(std::unique_ptr<Staging>, std::chrono::system_clock::time_point) override {
    return fail(why_);
  }
  core::Expected<Published> publish_as(std::unique_ptr<Staging>, std::string_view) override { return fail(why_); }
  core::Expected<std::vector<Published>> publish_all(std::vector<std::unique_ptr<Staging>>,
                                                     std::chrono::system_clock::time_point) override {
    return fail(why_);
  }
  [[nodiscard]] core::Expected<Entry> open(const std::string& directory, const PathLimits& limits) const override {
    return open_entry(directory, limits);
  }
  [[nodiscard]] core::Expected<std::vector<std::string>> slugs(Kind, std::string_view, std::string_view) const override {
    return fail(why_);
  }
  [[nodiscard]] core::Expected<std::vector<std::string>> newest_slugs(Kind, std::string_view, std::string_view,
                                                                      std::size_t) const override {
    return fail(why_);
  }
  [[nodiscard]] core::Expected<std::vector<std::pair<std::string, std::string>>> measurements(Kind) const override {
    return fail(why_);
  }
  [[nodiscard]] std::string directory(Kind, std::string_view, std::string_view) const override { return {}; }
  [[nodiscard]] core::Expected<std::optional<core::Acceptance>> accepted(std::string_view, std::string_view) const override {
    return std::optional<core::Acceptance>();
  }
  [[nodiscard]] core::Expected<std::vector<std::uint64_t>> open_claims(std::string_view, std::string_view) const override {
    return std::vector<std::uint64_t>();
  }
  core::Expected<std::string> accept(core::Acceptance, const std::function<std::string(const core::Acceptance&)>&,
                                     const attest::Signing*) override {
    return fail(why_);
  }

 private:
  core::Error why_;
};

}  // namespace

std::unique_ptr<Store> absent_store(core::Error why) { return std::make_unique<AbsentStore>(std::move(why)); }

}  // namespace plumbline::registry
