#include "server/mcp/verbs/resources.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "configs/configs.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/bundle_heads.hpp"
#include "schemas/schemas.hpp"
#include "server/access/base64url.hpp"
#include "server/mcp/ask.hpp"
#include "server/mcp/errors.hpp"
#include "server/mcp/publications.hpp"
#include "server/mcp/uri.hpp"
#include "server/mcp/verbs/app_page.hpp"
#include "server/mcp/verbs/skills.hpp"

namespace plumbline::server::mcp {
namespace {

using core::ErrorCode;
using core::Expected;
using core::fail;
using json = nlohmann::ordered_json;
using registry::Kind;

constexpr std::size_t kPageSize = 100;
constexpr std::uint64_t kHeadAtMost = 4U << 20;  // of a document that is opened for its line in the list
constexpr std::size_t kFilesShown = 500;         // of a bundle's folder
constexpr std::size_t kNoteAtMost = 200;
constexpr std::size_t kWatchedAtMost = 4096;

constexpr std::string_view kCeilingsFile = "sol-ceilings.yaml";
constexpr std::string_view kBaselineFile = "baseline.json";

std::string dumped(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string base64(std::string_view bytes) {
  std::string text = access::base64url(bytes);
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  text.resize((text.size() + 3) / 4 * 4, '=');
  return text;
}

// A resource that does not exist is told apart from a URI that is none by data.uri.
jsonrpc::RpcError refused(const core::Error& error, std::string_view uri) {
  jsonrpc::RpcError out;
  out.message = error.hint.empty() ? error.message : error.message + ": " + error.hint;
  switch (error.code) {
    case ErrorCode::not_found:
      out.code = jsonrpc::kInvalidParams;
      out.data = dumped({{"uri", uri}});
      return out;
    case ErrorCode::usage:
    case ErrorCode::invalid_input:
    case ErrorCode::path_not_allowed:
    case ErrorCode::limit_exceeded:
    case ErrorCode::cancelled:
      out.code = jsonrpc::kInvalidParams;
      break;
    default:
      out.code = jsonrpc::kInternalError;
  }
  out.data = dumped({{"code", core::to_string(error.code)}});
  return out;
}

registry::PathLimits limits_of(const CallContext& call) {
  registry::PathLimits limits;
  limits.stop = [cancelled = call.cancelled] { return cancelled != nullptr && cancelled->load(std::memory_order_relaxed); };
  return limits;
}

// ---- the list

// "2026-11-20T15:03:59Z" of a slug.
std::string time_of(std::string_view slug) {
  return fmt::format("{}-{}-{}T{}:{}:{}Z", slug.substr(0, 4), slug.substr(4, 2), slug.substr(6, 2), slug.substr(9, 2),
                     slug.substr(11, 2), slug.substr(13, 2));
}

json annotations(double priority, std::string last_modified = {}) {
  json out = {{"audience", {"user", "assistant"}}, {"priority", priority}};
  if (!last_modified.empty()) out["lastModified"] = std::move(last_modified);
  return out;
}

std::string noted(std::string_view text) { return text.empty() ? "" : "; " + jsonrpc::shortened(text, kNoteAtMost); }

// What a bundle's result says first, taken from its head: the lists behind it may be megabytes.
struct Head {
  std::string verdict, tier, reason;
};
class HeadReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeadReader(Head& head) : head_(head) {}
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool string(string_t& value) override {
    if (depth_ == 1 && key_ == "verdict") head_.verdict = value;
    if (depth_ == 1 && key_ == "tier") head_.tier = value;
    if (in_reasons_ && depth_ == 3 && key_ == "message" && head_.reason.empty()) head_.reason = value;
    return true;
  }
  bool key(string_t& name) override {
    key_ = name;
    return true;
  }
  bool start_object(std::size_t /*size*/) override { return ++depth_ < kDepthAtMost; }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(std::size_t /*size*/) override {
    in_reasons_ = in_reasons_ || (depth_ == 1 && key_ == "reasons");
    return ++depth_ < kDepthAtMost;
  }
  // The reasons stand behind verdict and tier: with them everything is known.
  bool end_array() override {
    --depth_;
    return !(in_reasons_ && depth_ == 1);
  }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/, const nlohmann::json::exception& /*error*/) override {
    return false;
  }

 private:
  static constexpr int kDepthAtMost = 64;
  Head& head_;
  std::string key_;
  int depth_ = 0;
  bool in_reasons_ = false;
};

std::string entry_line(const core::BaselineRecord& record) {
  std::string line;
  if (record.value) {
    line = record.value_text.empty() ? core::number_text(*record.value) : record.value_text;
    if (record.unit && !record.unit->empty()) line += " " + *record.unit;
  } else if (!record.schema.empty()) {
    line = core::counted(record.rows, "row");
    if (!record.headline.empty()) line += ", headline " + core::cited_list(record.headline, 3);
  } else {
    line = "structured";
  }
  line += ", " + core::counted(record.trials, "trial") + ", " + std::string(core::to_string(record.tier));
  for (const std::string* note : {&record.label, &record.reason, &record.notes}) line += noted(*note);
  return line;
}

std::string bundle_line(const Head& head) {
  if (head.verdict.empty()) return "no verdict in its result";
  return head.verdict + (head.tier.empty() ? "" : ", " + head.tier) + noted(head.reason);
}

class Lister {
 public:
  Lister(const registry::Store& store, KnownDigests& known, registry::PathLimits limits)
      : store_(store), known_(known), limits_(std::move(limits)) {
    limits_.bytes = kHeadAtMost;
  }

  json item(const Place& place) {
    const std::string name = place.family + "/" + place.measurement;
    json out = {{"uri", to_text(uri_of(place))}, {"name", name + "/" + place.slug}};
    Said said = place.kind == Kind::entry ? entry(place) : bundle(place);
    out["title"] = name + (place.kind == Kind::entry ? " baseline of " : " diff of ") + time_of(place.slug) + said.title;
    out["description"] = std::move(said.description);
    out["mimeType"] = "application/json";
    if (place.kind == Kind::entry && said.size) out["size"] = *said.size;
    out["annotations"] = annotations(place.kind == Kind::entry ? 0.5 : 0.7, time_of(place.slug));
    return out;
  }

 private:
  struct Said {
    std::string title, description;
    std::optional<std::uint64_t> size = {};
  };

  static std::string unchecked(const Member& member) { return member.warnings.empty() ? "" : "; provenance_unverified"; }

  Said entry(const Place& place) {
    const auto member = read_member(store_, place, std::string(kBaselineFile), known_, limits_, false);
    if (!member) return {"", member.error().message};
    const auto record = registry::parse_baseline(member->bytes.view(), std::string(kBaselineFile));
    Said said;
    said.size = member->bytes.view().size();
    said.description = (record ? entry_line(*record) : record.error().message) + unchecked(*member);
    if (accepted(place) == place.slug) said.title = ", accepted";
    return said;
  }

  Said bundle(const Place& place) {
    auto member = read_member(store_, place, std::string(registry::kBundleDocuments.front()), known_, limits_, false);
    for (const std::string_view other : registry::kBundleDocuments) {
      if (member || member.error().code != ErrorCode::not_found) break;
      member = read_member(store_, place, std::string(other), known_, limits_, false);
    }
    if (!member) return {"", member.error().message};
    Head head;
    HeadReader reader(head);
    nlohmann::json::sax_parse(member->bytes.view(), &reader, nlohmann::json::input_format_t::json, false);
    Said said;
    if (!head.verdict.empty()) said.title = ": " + head.verdict;
    said.description = bundle_line(head) + unchecked(*member);
    return said;
  }

  const std::string& accepted(const Place& place) {
    const auto [at, fresh] = accepted_.try_emplace({place.family, place.measurement});
    if (fresh) {
      const auto found = store_.accepted(place.family, place.measurement);
      if (found && *found) at->second = (*found)->slug;
    }
    return at->second;
  }

  const registry::Store& store_;
  KnownDigests& known_;
  registry::PathLimits limits_;
  std::map<std::pair<std::string, std::string>, std::string> accepted_;
};

// A cursor is the place of the last item: "entry family measurement slug".
constexpr std::array<std::string_view, 2> kKindNames = {"entry", "bundle"};

std::string cursor_of(const Place& place) {
  return access::base64url(
      fmt::format("{} {} {} {}", kKindNames[static_cast<std::size_t>(place.kind)], place.family, place.measurement, place.slug));
}

std::optional<Place> place_of(std::string_view cursor) {
  const auto text = cursor.size() > 1024 ? std::nullopt : access::from_base64url(cursor);
  if (!text) return std::nullopt;
  const std::vector<std::string_view> parts = core::split(*text, ' ');
  if (parts.size() != 4) return std::nullopt;
  const bool entry = parts[0] == kKindNames[0];
  if ((!entry && parts[0] != kKindNames[1]) || !registry::check_segment("family", parts[1]) ||
      !registry::check_segment("measurement", parts[2]) || !registry::is_slug(parts[3]))
    return std::nullopt;
  return Place{entry ? Kind::entry : Kind::bundle, std::string(parts[1]), std::string(parts[2]), std::string(parts[3])};
}

json ceilings_item() {
  return {{"uri", "plumbline://ceilings"},
          {"name", "ceilings"},
          {"title", "Hardware ceilings"},
          {"description", "peak rates by device, each with its source: the keys that `ceiling` takes"},
          {"mimeType", "application/yaml"},
          {"annotations", annotations(0.4)}};
}

json schema_item(std::string_view name) {
  return {{"uri", "plumbline://schemas/" + std::string(name)},
          {"name", name},
          {"title", "JSON Schema " + std::string(name)},
          {"description", "what a file or result of that name holds"},
          {"mimeType", "application/schema+json"},
          {"size", schemas::text(name).size()},
          {"annotations", annotations(0.2)}};
}

// ---- reading

struct Document {
  std::string text;       // made or small
  registry::Bytes bytes;  // of a file
  std::string_view view;
  std::string name;  // tells the type
  json meta = json::object();
};

void tell(json& meta, const std::vector<core::Warning>& warnings) {
  for (const core::Warning& warning : warnings) {
    meta["plumbline/warnings"].push_back({{"code", warning.code.text()}, {"message", warning.message}});
  }
}

std::string folder_text(const Place& place, const Contents& contents) {
  const ResourceUri folder = uri_of(place);
  json out = {{"kind", place.kind == Kind::entry ? "entry" : "bundle"}, {"family", place.family}};
  out["measurement"] = place.measurement;
  out["slug"] = place.slug;
  if (!contents.bundle_sha256.empty()) out["bundle_sha256"] = contents.bundle_sha256;
  out["files"] = json::array();
  for (const MemberName& file : contents.files) {
    ResourceUri uri = folder;
    uri.file = file.name;
    json one = {{"name", file.name}, {"uri", to_text(uri)}, {"size", file.bytes}};
    if (const std::string_view type = mime_type_of(file.name); !type.empty()) one["mimeType"] = type;
    if (!file.sha256.empty()) one["sha256"] = file.sha256;
    out["files"].push_back(std::move(one));
  }
  if (contents.count > contents.files.size()) out["files_left_out"] = contents.count - contents.files.size();
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

bool looks_like_text(std::string_view bytes) {
  const Part head = part_of(bytes, 0, 4096, true, false);
  return head.text && head.bytes.find('\0') == std::string_view::npos;
}

std::string contents_text(std::string_view uri, const ResourceUri& asked, Document& document) {
  std::string_view type = mime_type_of(document.name);
  if (type.empty()) type = looks_like_text(document.view) ? "text/plain" : "application/octet-stream";
  const bool binary = type == "application/octet-stream" || type == "application/vnd.sqlite3" || type == "application/gzip" ||
                      type == "application/zstd" || type == "application/zip";
  const bool lines = type == "application/jsonl" || type == "text/csv" || type == "text/tab-separated-values";
  const Part part = part_of(document.view, asked.offset, asked.length, !binary, lines);
  const std::uint64_t end = part.offset + part.bytes.size();
  json range = {{"total_bytes", document.view.size()}, {"offset", part.offset}, {"bytes", part.bytes.size()}};
  if (end < document.view.size()) {
    range["next_offset"] = end;
    range["next"] = to_text(asked) + "?offset=" + std::to_string(end) +
                    (asked.length == kLengthByDefault ? "" : "&length=" + std::to_string(asked.length));
  }
  document.meta["plumbline/range"] = std::move(range);
  json out = {{"uri", uri}, {"mimeType", type}};
  if (part.text) {
    out["text"] = part.bytes;
  } else {
    out["blob"] = base64(part.bytes);
  }
  out["_meta"] = std::move(document.meta);
  return dumped(json::array({std::move(out)}));
}

class Reader {
 public:
  Reader(ServeOptions options, std::shared_ptr<KnownDigests> known) : options_(std::move(options)), known_(std::move(known)) {}

  ReadResult operator()(std::string_view text, const CallContext& call) const {
    ReadResult result;
    if (auto contents = read(text, call)) {
      result.contents = std::move(*contents);
    } else {
      result.protocol_error = refused(contents.error(), jsonrpc::shortened(text, 8192));
    }
    return result;
  }

 private:
  [[nodiscard]] Expected<std::string> read(std::string_view text, const CallContext& call) const {
    if (const auto skill = skill_text(text))  // whole: its digest is known to whoever asks
      return dumped(json::array({{{"uri", text}, {"mimeType", "text/markdown"}, {"text", *skill}}}));
    if (text == kAppUri) {
      json page = {{"uri", text}, {"mimeType", kViewType}, {"text", app_page()}, {"_meta", {{"ui", {{"prefersBorder", true}}}}}};
      return dumped(json::array({std::move(page)}));
    }
    auto uri = parse_resource_uri(text);
    if (!uri) return fail(std::move(uri.error()));
    Document document;
    auto made = uri->kind == ResourceUri::Kind::ceilings ? ceilings(document)
                : uri->kind == ResourceUri::Kind::schema ? schema(*uri, document)
                                                         : publication(*uri, document, limits_of(call));
    if (!made) return fail(std::move(made.error()));
    if (uri->offset > document.view.size()) {
      return fail(ErrorCode::usage,
                  fmt::format("offset {} lies beyond the end: there are {} bytes", uri->offset, document.view.size()));
    }
    return contents_text(text, *uri, document);
  }

  core::Status ceilings(Document& document) const {
    const auto root = served_root(options_);
    auto text = ceilings_text(root ? *root : std::string());
    if (!text) return fail(std::move(text.error()));
    document.text = std::move(*text);
    document.view = document.text;
    document.name = kCeilingsFile;
    return {};
  }

  static core::Status schema(const ResourceUri& uri, Document& document) {
    document.view = schemas::text(uri.file);
    document.name = uri.file + ".schema.json";
    if (!document.view.empty()) return {};
    const std::vector<std::string_view> names = schemas::names();
    const std::string_view near = core::nearest(uri.file, names);
    return fail(
        ErrorCode::not_found, "there is no schema " + core::cited(uri.file),
        near.empty() ? "resources/list names those there are" : "did you mean plumbline://schemas/" + std::string(near) + "?");
  }

  core::Status publication(const ResourceUri& uri, Document& document, registry::PathLimits limits) const {
    const auto root = served_root(options_);
    if (!root) return fail(root.error());
    const auto store = served_store(options_, *root, limits.stop);
    const auto place = find_place(*store, uri);
    if (!place) return fail(place.error());
    if (auto there = store->bring({place->kind, place->family, place->measurement, place->slug, false}); !there) return there;
    if (place->slug != uri.slug) {
      ResourceUri resolved = uri_of(*place);
      resolved.file = uri.file;
      document.meta["plumbline/resolved"] = to_text(resolved);
    }
    if (place->kind == Kind::bundle && uri.file.empty()) {
      const auto contents = contents_of(*store, *place, kFilesShown, std::move(limits));
      if (!contents) return fail(contents.error());
      document.text = folder_text(*place, *contents);
      document.view = document.text;
      document.name = "files.json";
      tell(document.meta, contents->warnings);
      return {};
    }
    document.name = uri.file.empty() ? std::string(kBaselineFile) : uri.file;
    auto member = read_member(*store, *place, document.name, *known_, std::move(limits));
    if (!member) return fail(std::move(member.error()));
    if (uri.slug == kAccepted) {
      if (auto same = check_acceptance(*store, *place, *member); !same) return same;
    }
    document.bytes = std::move(member->bytes);
    document.view = document.bytes.view();
    if (!member->sha256.empty()) document.meta["plumbline/sha256"] = member->sha256;
    if (!member->bundle_sha256.empty()) document.meta["plumbline/bundle_sha256"] = member->bundle_sha256;
    tell(document.meta, member->warnings);
    return {};
  }

  // An acceptance names what was accepted by its digest.
  static core::Status check_acceptance(const registry::Store& store, const Place& place, const Member& member) {
    const auto accepted = store.accepted(place.family, place.measurement);
    if (!accepted) return fail(accepted.error());
    if (!*accepted || (*accepted)->slug != place.slug || (*accepted)->entry_sha256.empty() ||
        (*accepted)->entry_sha256 == member.bundle_sha256)
      return {};
    return fail(ErrorCode::provenance_mismatch, place.slug + " is not the entry that was accepted: its sha256 is " +
                                                    core::quoted(member.bundle_sha256) + ", the acceptance says " +
                                                    core::quoted((*accepted)->entry_sha256));
  }

  ServeOptions options_;
  std::shared_ptr<KnownDigests> known_;
};

// ---- what is watched

// The last look at a folder of names: it is listed again only when the file system says that it changed, and of a shared store
// every ten seconds.
class Watch {
 public:
  explicit Watch(ServeOptions options) : options_(std::move(options)) {}

  std::optional<std::string> version(std::string_view text) {
    const auto uri = parse_resource_uri(text);
    if (!uri || uri->kind == ResourceUri::Kind::schema) return std::nullopt;
    const auto root = served_root(options_);
    if (uri->kind == ResourceUri::Kind::ceilings) {
      const std::string state = root ? state_of(*root + "/configs/" + std::string(kCeilingsFile)) : "";
      return state.empty() ? "embedded" : state;
    }
    if (!root) return std::nullopt;
    const auto store = served_store(options_, *root);
    const Kind kind = uri->kind == ResourceUri::Kind::entry ? Kind::entry : Kind::bundle;
    // Also checks that the folder does not lead out of the registry.
    auto folder = store->place(kind, uri->family, uri->measurement, "any");
    if (!folder) return std::nullopt;
    folder->resize(folder->rfind('/'));
    if (uri->slug == kNewest) {
      return remembered(*store, *folder, [&]() -> Expected<std::string> {
        const auto slugs = store->slugs(kind, uri->family, uri->measurement);
        if (!slugs) return fail(slugs.error());
        return slugs->empty() ? "" : slugs->back();
      });
    }
    if (uri->slug == kAccepted) {
      return remembered(*store, *folder + "/accepted", [&]() -> Expected<std::string> {
        const auto accepted = store->accepted(uri->family, uri->measurement);
        if (!accepted) return fail(accepted.error());
        return *accepted ? fmt::format("{} {}", (*accepted)->seq, (*accepted)->slug) : "";
      });
    }
    std::string path = *folder + "/" + uri->slug;
    if (kind == Kind::entry || !uri->file.empty()) path += "/" + (uri->file.empty() ? std::string(kBaselineFile) : uri->file);
    return state_of(path);
  }

 private:
  // "" when there is nothing.
  static std::string state_of(const std::string& path) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) return {};
    return fmt::format("{}:{}:{}.{:09}", info.st_ino, info.st_size, info.st_ctim.tv_sec, info.st_ctim.tv_nsec);
  }

  std::string remembered(const registry::Store& store, const std::string& folder,
                         const std::function<Expected<std::string>()>& look) {
    struct stat info {};
    const bool there = ::lstat(folder.c_str(), &info) == 0;
    const std::string tick = tick_of(store, folder);
    std::string state = state_of(folder) + tick;
    // Two changes within one tick of the file system's clock look like one.
    if (there && std::time(nullptr) - info.st_ctim.tv_sec <= 2) state.clear();
    {
      const std::lock_guard lock(mutex_);
      const auto at = looked_.find(folder);
      if (!state.empty() && at != looked_.end() && at->second.first == state) return at->second.second;
    }
    const auto found = look();
    const std::lock_guard lock(mutex_);
    if (looked_.size() >= kWatchedAtMost) looked_.clear();
    auto& [of_state, known] = looked_[folder];
    if (found || tick.empty()) known = found.value_or("");  // what a bucket does not say just now has not changed
    of_state = std::move(state);
    return known;
  }

  ServeOptions options_;
  std::mutex mutex_;
  std::map<std::string, std::pair<std::string, std::string>> looked_;  // folder -> its state and what was found
};

tl::expected<Page, jsonrpc::RpcError> page_of(const ServeOptions& options, KnownDigests& known, std::string_view cursor,
                                              const CallContext& call) {
  const std::optional<Place> after = cursor.empty() ? std::nullopt : place_of(cursor);
  if (!cursor.empty() && !after) {
    return tl::unexpected(
        invalid_params("the cursor is none of this server's: take nextCursor as it was given, or leave it out"));
  }
  Page page;
  std::size_t room = kPageSize;
  const auto add = [&](const json& item) {
    if (!page.items.empty()) page.items += ',';
    page.items += dumped(item);
    --room;
  };
  if (!after) {
    add(ceilings_item());
    for (const std::string_view name : schemas::names()) add(schema_item(name));
  }
  const auto root = served_root(options);
  if (!root) return page;
  const registry::PathLimits limits = limits_of(call);
  const auto store = served_store(options, *root, limits.stop);
  const auto places = newest_first(*store, after, room + 1);
  if (!places) return tl::unexpected(refused(places.error(), ""));
  Lister lister(*store, known, limits);
  for (const Place& place : *places) {
    if (room == 0) break;
    if (limits.stop()) return tl::unexpected(refused({ErrorCode::cancelled, "stopped while listing", {}, {}}, ""));
    add(lister.item(place));
    if (room == 0 && places->size() > static_cast<std::size_t>(&place - places->data()) + 1) page.next = cursor_of(place);
  }
  return page;
}

std::string templates_text() {
  const json entry = {
      {"uriTemplate", kEntryTemplate},
      {"name", "baseline"},
      {"title", "A recorded baseline"},
      {"description",
       "an entry's metadata (baseline.json); slug is also `newest` or `accepted`; append /SHA256SUMS for the list of its files, "
       "/NAME for one of them; a read gives 64 KiB from `offset` unless `length` (bytes, at most 1048576) says otherwise"},
      {"annotations", annotations(0.6)}};
  const json bundle = {
      {"uriTemplate", kBundleTemplate},
      {"name", "diff"},
      {"title", "A file of a comparison's bundle"},
      {"description",
       "diff.md to read, diff.json for the whole result, deltas.jsonl for every row; slug is also `newest`; "
       "without /{file} the list of files; `offset` and `length` in bytes choose a part, and _meta names the next"},
      {"annotations", annotations(0.7)}};
  const json schema = {{"uriTemplate", kSchemaTemplate},
                       {"name", "schema"},
                       {"title", "A JSON Schema"},
                       {"description", "of a file or result, by the name in its `schema` field"},
                       {"mimeType", "application/schema+json"},
                       {"annotations", annotations(0.2)}};
  return dumped(entry) + "," + dumped(bundle) + "," + dumped(schema);
}

}  // namespace

core::Expected<std::string> ceilings_text(const std::string& root) {
  const std::string path = root + "/configs/" + std::string(kCeilingsFile);
  struct stat info {};
  if (root.empty() || ::lstat(path.c_str(), &info) != 0) return std::string(configs::embedded(kCeilingsFile));
  registry::PathLimits limits;
  limits.bytes = 16U << 20;
  limits.allowed_roots = {root};
  const auto bytes = registry::read_file(path, limits);
  if (!bytes) return fail(bytes.error());
  return std::string(bytes->view());
}

std::string_view mime_type_of(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 19> kTypes = {{
      {".schema.json", "application/schema+json"},
      {".json", "application/json"},
      {".jsonl", "application/jsonl"},
      {".ndjson", "application/jsonl"},
      {".md", "text/markdown"},
      {".html", "text/html"},
      {".csv", "text/csv"},
      {".tsv", "text/tab-separated-values"},
      {".txt", "text/plain"},
      {".log", "text/plain"},
      {".xml", "application/xml"},
      {".yaml", "application/yaml"},
      {".yml", "application/yaml"},
      {"SHA256SUMS", "text/plain"},
      {".sqlite", "application/vnd.sqlite3"},
      {".nsys-rep", "application/octet-stream"},
      {".gz", "application/gzip"},
      {".zst", "application/zstd"},
      {".zip", "application/zip"},
  }};
  for (const auto& [end, type] : kTypes) {
    if (name.size() >= end.size() && name.substr(name.size() - end.size()) == end) return type;
  }
  return {};
}

Part part_of(std::string_view bytes, std::uint64_t offset, std::uint64_t length, bool text, bool lines) {
  const auto inside = [&](std::uint64_t at) {
    return at < bytes.size() && (static_cast<unsigned char>(bytes[at]) & 0xC0U) == 0x80U;
  };
  const std::uint64_t from = std::min<std::uint64_t>(offset, bytes.size());
  const std::uint64_t end = from + std::min<std::uint64_t>(length, bytes.size() - from);
  const Part raw{bytes.substr(from, end - from), from, false};
  if (!text) return raw;
  // A character has at most three bytes after its first.
  std::uint64_t first = from, last = end;
  for (int i = 0; i < 3 && from > 0 && inside(first); ++i) ++first;
  for (int i = 0; i < 3 && last > first && inside(last); ++i) --last;
  if (last <= first) {  // room for not even one: it is given whole
    last = std::min<std::uint64_t>(first + 1, bytes.size());
    while (inside(last)) ++last;
  } else if (lines && last < bytes.size()) {
    const std::size_t line_break = bytes.substr(first, last - first).rfind('\n');
    if (line_break != std::string_view::npos) last = first + line_break + 1;
  }
  const Part cut{bytes.substr(first, last - first), first, true};
  return core::is_valid_utf8(cut.bytes) ? cut : raw;
}

void offer_resources(Catalogue& catalogue, const ServeOptions& options) {
  const auto known = std::make_shared<KnownDigests>();
  Resources resources;
  resources.list = [options, known](std::string_view cursor, const CallContext& call) {
    return page_of(options, *known, cursor, call);
  };
  resources.templates = templates_text;
  resources.read = Reader(options, known);
  resources.version = [watch = std::make_shared<Watch>(options)](std::string_view uri) { return watch->version(uri); };
  catalogue.offer(std::move(resources));
}

}  // namespace plumbline::server::mcp
