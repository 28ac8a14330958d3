#include "profiles/ranks/failures.hpp"

#include <simdjson.h>

#include <algorithm>
#include <tuple>

#include "core/citing.hpp"
#include "core/json_writer.hpp"
#include "profiles/ranks/files.hpp"
#include "profiles/readers/open_file.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kMostBytes = 64U << 10U;
constexpr std::size_t kMostSaid = 1000;  // bytes of a reason

tl::unexpected<core::Error> damaged(const std::string& path) {
  return core::fail(core::ErrorCode::invalid_input, "the record of a failure is damaged",
                    "remove it, or run `plumbline digest DIR --shard I/N --out OUT` again", path);
}

}  // namespace

std::string failure_name(const core::RankFailure& failure) {
  return (failure.rank >= 0 ? "rank" + std::to_string(failure.rank) : failure.file) + std::string(kFailureSuffix);
}

std::string failure_text(const core::RankFailure& failure) {
  std::string text;
  core::JsonWriter json(text);
  json.begin_object().field("schema", kFailureSchema);
  if (failure.rank >= 0) json.field("rank", failure.rank);
  json.field("file", failure.file).field("code", failure.code);
  json.field("reason", core::shorten_sentence(failure.reason, kMostSaid)).end_object();
  return text + "\n";
}

core::Expected<core::RankFailure> parse_failure(std::string_view text, const std::string& path) {
  simdjson::dom::parser parser;
  simdjson::dom::object root;
  core::RankFailure out;
  std::string_view schema, file, code, reason;
  if (parser.parse(text.data(), text.size()).get_object().get(root) != simdjson::SUCCESS ||
      root["schema"].get_string().get(schema) != simdjson::SUCCESS || schema != kFailureSchema ||
      root["file"].get_string().get(file) != simdjson::SUCCESS || root["code"].get_string().get(code) != simdjson::SUCCESS ||
      root["reason"].get_string().get(reason) != simdjson::SUCCESS)
    return damaged(path);
  std::int64_t rank = 0;
  if (root["rank"].get_int64().get(rank) == simdjson::SUCCESS) {
    if (rank < 0 || rank > kMaxRank) return damaged(path);
    out.rank = rank;
  }
  out.file = core::one_line(file, kMostSaid);
  out.code = core::one_line(code, 64);
  out.reason = core::shorten_sentence(core::one_line(reason), kMostSaid);
  return out;
}

core::Expected<std::vector<core::RankFailure>> read_failures(const std::string& folder, const Opener& open) {
  std::vector<core::RankFailure> out;
  const OpenFile listed(folder, open);
  for (const std::string& name : listed.file_names().value_or(std::vector<std::string>())) {
    if (!name.ends_with(kFailureSuffix) || name.starts_with('.')) continue;
    const std::string path = folder + "/" + name;
    const OpenFile file(path, open);
    const auto text = file.is_file() ? file.head(kMostBytes) : std::nullopt;
    if (!text) return damaged(path);
    auto failure = parse_failure(*text, path);
    if (!failure) return core::fail(failure.error());
    out.push_back(std::move(*failure));
  }
  std::sort(out.begin(), out.end(), [](const core::RankFailure& a, const core::RankFailure& b) {
    return std::tuple(a.rank, std::string_view(a.file)) < std::tuple(b.rank, std::string_view(b.file));
  });
  return out;
}

}  // namespace plumbline::profiles
