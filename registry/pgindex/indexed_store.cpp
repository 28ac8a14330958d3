#include "registry/pgindex/indexed_store.hpp"

namespace plumbline::registry::pgindex {
namespace {

class IndexedStore final : public Store {
 public:
  IndexedStore(std::unique_ptr<Store> store, std::shared_ptr<Index> index) : store_(std::move(store)), index_(std::move(index)) {}
  [[nodiscard]] Index* index() const { return index_.get(); }
  [[nodiscard]] const Store& store() const { return *store_; }

  [[nodiscard]] std::string root() const override { return store_->root(); }
  [[nodiscard]] std::string address_of(const std::string& path) const override { return store_->address_of(path); }
  [[nodiscard]] core::Expected<std::string> path_of(const std::string& address) const override {
    return store_->path_of(address);
  }
  [[nodiscard]] core::Status bring(const StorePart& part) const override { return store_->bring(part); }
  [[nodiscard]] core::Status removes() const override { return store_->removes(); }

  [[nodiscard]] core::Expected<std::string> place(Kind kind, std::string_view family, std::string_view measurement,
                                                  std::string_view slug) const override {
    return store_->place(kind, family, measurement, slug);
  }
  core::Expected<std::unique_ptr<Staging>> stage(Kind kind, std::string_view family, std::string_view measurement) override {
    return store_->stage(kind, family, measurement);
  }
  core::Expected<Published> publish(std::unique_ptr<Staging> staging, std::chrono::system_clock::time_point now) override {
    return store_->publish(std::move(staging), now);
  }
  core::Expected<Published> publish_as(std::unique_ptr<Staging> staging, std::string_view slug) override {
    return store_->publish_as(std::move(staging), slug);
  }
  core::Expected<std::vector<Published>> publish_all(std::vector<std::unique_ptr<Staging>> stagings,
                                                     std::chrono::system_clock::time_point now) override {
    return store_->publish_all(std::move(stagings), now);
  }
  [[nodiscard]] core::Expected<Entry> open(const std::string& directory, const PathLimits& limits) const override {
    return store_->open(directory, limits);
  }
  [[nodiscard]] core::Expected<std::vector<std::string>> slugs(Kind kind, std::string_view family,
                                                               std::string_view measurement) const override {
    return store_->slugs(kind, family, measurement);
  }
  [[nodiscard]] core::Expected<std::vector<std::string>> names(Kind kind, std::string_view family, std::string_view measurement,
                                                               std::string_view since) const override {
    return store_->names(kind, family, measurement, since);
  }
  [[nodiscard]] core::Expected<std::vector<std::string>> newest_slugs(Kind kind, std::string_view family,
                                                                      std::string_view measurement,
                                                                      std::size_t at_most) const override {
    return store_->newest_slugs(kind, family, measurement, at_most);
  }
  [[nodiscard]] core::Expected<std::vector<std::pair<std::string, std::string>>> measurements(Kind kind) const override {
    return store_->measurements(kind);
  }
  [[nodiscard]] std::string directory(Kind kind, std::string_view family, std::string_view measurement) const override {
    return store_->directory(kind, family, measurement);
  }
  [[nodiscard]] core::Expected<std::optional<core::Acceptance>> accepted(std::string_view family,
                                                                         std::string_view measurement) const override {
    return store_->accepted(family, measurement);
  }
  [[nodiscard]] core::Expected<std::vector<std::uint64_t>> open_claims(std::string_view family,
                                                                       std::string_view measurement) const override {
    return store_->open_claims(family, measurement);
  }
  core::Expected<std::string> accept(core::Acceptance acceptance, const std::function<std::string(const core::Acceptance&)>& text,
                                     const attest::Signing* signing) override {
    return store_->accept(std::move(acceptance), text, signing);
  }

 private:
  std::unique_ptr<Store> store_;
  std::shared_ptr<Index> index_;
};

}  // namespace

std::unique_ptr<Store> with_index(std::unique_ptr<Store> store, std::shared_ptr<Index> index) {
  return std::make_unique<IndexedStore>(std::move(store), std::move(index));
}

Index* index_of(const Store& store) {
  const auto* const indexed = dynamic_cast<const IndexedStore*>(&store);
  return indexed != nullptr ? indexed->index() : nullptr;
}

const Store& store_of(const Store& store) {
  const auto* const indexed = dynamic_cast<const IndexedStore*>(&store);
  return indexed != nullptr ? indexed->store() : store;
}

}  // namespace plumbline::registry::pgindex
