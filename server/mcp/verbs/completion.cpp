#include "server/mcp/verbs/completion.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <nlohmann/json.hpp>
#include <set>

#include "configs/configs.hpp"
#include "core/text.hpp"
#include "schemas/schemas.hpp"
#include "server/mcp/errors.hpp"
#include "server/mcp/publications.hpp"
#include "server/mcp/uri.hpp"
#include "server/mcp/verbs/prompts.hpp"
#include "server/mcp/verbs/resources.hpp"

namespace plumbline::server::mcp {
namespace {

using registry::Kind;
using Names = std::vector<std::string>;

constexpr std::size_t kAtMost = 100;
constexpr std::size_t kFilesAtMost = 20'000;

// Those that begin with `typed`, then those that hold it, else in the order they came.
Completion ranked(const Names& names, std::string_view typed) {
  const std::string wanted = core::to_lower(typed);
  Completion completion;
  Names& best = completion.values;
  Names others;
  std::uint64_t total = 0;
  for (const std::string& name : names) {
    const std::size_t at = core::to_lower(name).find(wanted);
    if (at == std::string::npos) continue;
    ++total;
    Names& kept = at == 0 ? best : others;
    if (kept.size() < kAtMost) kept.push_back(name);
  }
  others.resize(std::min(others.size(), kAtMost - best.size()));
  best.insert(best.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  completion.total = total;
  return completion;
}

Names sorted(const std::set<std::string>& names) { return {names.begin(), names.end()}; }

// The registry's names, none where there is no registry.
class Words {
 public:
  Words(const ServeOptions& options, const nlohmann::json& others, const std::atomic<bool>* cancelled) : others_(others) {
    if (auto root = served_root(options)) {
      root_ = std::move(*root);
      store_ = served_store(options, root_, [cancelled] { return cancelled != nullptr && cancelled->load(); });
    }
  }

  [[nodiscard]] Names families(Kind kind) const {
    std::set<std::string> names;
    for (const auto& [family, measurement] : measurements_of(kind)) names.insert(family);
    return sorted(names);
  }

  [[nodiscard]] Names measurements(Kind kind) const {
    const std::string wanted = other("family");
    std::set<std::string> names;
    for (const auto& [family, measurement] : measurements_of(kind)) {
      if (wanted.empty() || family == wanted) names.insert(measurement);
    }
    return sorted(names);
  }

  [[nodiscard]] Names references() const {
    std::set<std::string> names;
    for (const auto& [family, measurement] : measurements_of(Kind::entry)) names.insert(family + "/" + measurement);
    return sorted(names);
  }

  [[nodiscard]] Names slugs(Kind kind) const {
    if (store_ == nullptr) return {};
    auto slugs = store_->slugs(kind, other("family"), other("measurement"));
    if (!slugs || slugs->empty()) return {};
    Names names = {std::string(kNewest)};
    if (kind == Kind::entry) names.emplace_back(kAccepted);
    names.insert(names.end(), std::make_move_iterator(slugs->rbegin()), std::make_move_iterator(slugs->rend()));
    return names;
  }

  [[nodiscard]] Names files() const {
    if (store_ == nullptr) return {};
    // Through the URI, so that what is no family, measurement or slug names nothing.
    ResourceUri typed;
    typed.kind = ResourceUri::Kind::bundle;
    typed.family = other("family");
    typed.measurement = other("measurement");
    typed.slug = other("slug");
    const auto uri = parse_resource_uri(to_text(typed));
    const auto place = uri ? find_place(*store_, *uri) : core::Expected<Place>(core::fail(uri.error()));
    const auto contents =
        place ? contents_of(*store_, *place, kFilesAtMost, {}) : core::Expected<Contents>(core::fail(place.error()));
    Names names;
    if (!contents) return names;
    for (const MemberName& file : contents->files) names.push_back(file.name);
    return names;
  }

  [[nodiscard]] Names ceilings() const {
    const auto text = ceilings_text(root_);
    const auto parsed = text ? configs::Ceilings::parse(*text, "sol-ceilings.yaml") : configs::Ceilings::builtin();
    Names names = {"auto"};
    if (!parsed) return names;
    for (const core::Ceiling& ceiling : (*parsed)->all()) names.push_back(ceiling.key);
    return names;
  }

 private:
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  [[nodiscard]] Pairs measurements_of(Kind kind) const {
    if (store_ == nullptr) return {};
    return store_->measurements(kind).value_or(Pairs());
  }

  [[nodiscard]] std::string other(const char* name) const {
    const auto at = others_.find(name);
    return at != others_.end() && at->is_string() ? at->get<std::string>() : std::string();
  }

  const nlohmann::json& others_;
  std::string root_;
  std::unique_ptr<registry::Store> store_;
};

tl::unexpected<jsonrpc::RpcError> unknown(std::string_view what, std::string_view name,
                                          const std::vector<std::string_view>& known) {
  const std::string_view near = core::nearest(name, known);
  return tl::unexpected(
      invalid_params(fmt::format("{} {}: {}", what, core::quoted(jsonrpc::shortened(name)),
                                 near.empty() ? "there is " + core::listed(Names(known.begin(), known.end()), known.size())
                                              : "did you mean " + std::string(near) + "?")));
}

// A template without its offset and length: it may be referred to either way.
std::string_view bare(std::string_view text) { return text.substr(0, text.rfind("{?")); }
bool is(std::string_view given, std::string_view listed) { return bare(given) == bare(listed); }

tl::expected<Names, jsonrpc::RpcError> of_template(const CompletionRequest& request, const Words& words) {
  const bool entry = is(request.ref, kEntryTemplate);
  const bool bundle = is(request.ref, kBundleTemplate);
  const Kind kind = entry ? Kind::entry : Kind::bundle;
  std::vector<std::string_view> known;
  if (entry || bundle) {
    known = {"family", "measurement", "slug", "offset", "length"};
    if (bundle) known.insert(known.begin() + 3, "file");
    if (request.argument == "family") return words.families(kind);
    if (request.argument == "measurement") return words.measurements(kind);
    if (request.argument == "slug") return words.slugs(kind);
    if (request.argument == "file" && bundle) return words.files();
  } else if (is(request.ref, kSchemaTemplate)) {
    known = {"name", "offset", "length"};
    const std::vector<std::string_view> names = schemas::names();
    if (request.argument == "name") return Names(names.begin(), names.end());
  } else {
    return unknown("there is no resource template", request.ref,
                   {bare(kEntryTemplate), bare(kBundleTemplate), bare(kSchemaTemplate)});
  }
  if (std::find(known.begin(), known.end(), request.argument) != known.end()) return Names();
  return unknown("the template has no variable", request.argument, known);
}

tl::expected<Names, jsonrpc::RpcError> of_prompt(const CompletionRequest& request, const Words& words) {
  const std::vector<SkillArgument>& arguments = arguments_of(request.ref);
  std::vector<std::string_view> known;
  for (const SkillArgument& argument : arguments) {
    known.push_back(argument.name);
    if (argument.name != request.argument) continue;
    switch (argument.completes) {
      case Completes::family:
        return words.families(Kind::entry);
      case Completes::measurement:
        return words.measurements(Kind::entry);
      case Completes::reference:
        return words.references();
      case Completes::ceiling:
        return words.ceilings();
      case Completes::nothing:
        return Names();
    }
  }
  if (known.empty()) return tl::unexpected(invalid_params("there is no prompt " + core::quoted(jsonrpc::shortened(request.ref))));
  return unknown("the prompt " + request.ref + " has no argument", request.argument, known);
}

}  // namespace

void offer_completion(Catalogue& catalogue, const ServeOptions& options) {
  catalogue.offer(
      [options](const CompletionRequest& request, const CallContext& call) -> tl::expected<Completion, jsonrpc::RpcError> {
        const Words words(options, *request.others, call.cancelled);
        const auto names = request.prompt ? of_prompt(request, words) : of_template(request, words);
        if (!names) return tl::unexpected(names.error());
        return ranked(*names, request.value);
      });
}

}  // namespace plumbline::server::mcp
