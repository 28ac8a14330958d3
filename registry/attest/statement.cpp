#include "registry/attest/statement.hpp"

#include <nlohmann/json.hpp>

#include "core/citing.hpp"
#include "core/json_writer.hpp"
#include "registry/json_text.hpp"

namespace plumbline::registry::attest {

using core::ErrorCode;
using core::fail;
using core::JsonWriter;
using nlohmann::json;

namespace {

constexpr std::size_t kSubjectsAtMost = 1000;
constexpr std::uint64_t kSequenceAtMost = std::uint64_t{1} << 53U;

void write_digest(JsonWriter& out, std::string_view sha256) {
  out.key("digest").begin_object().place("sha256", sha256).end_object();
}

void write_subjects(JsonWriter& out, const std::vector<Subject>& subjects) {
  out.key("subject").begin_array();
  for (const Subject& subject : subjects) {
    compact(out, [&](JsonWriter& one) {
      one.begin_object().place("name", subject.name);
      write_digest(one, subject.sha256);
      one.end_object();
    });
  }
  out.end_array();
}

void write_fields(JsonWriter& out, const Fields& fields) {
  for (const auto& [name, value] : fields) out.key(name).raw(value);
}

// in-toto's ResourceDescriptor: a digest where one is known.
void write_dependencies(JsonWriter& out, const std::vector<Dependency>& dependencies) {
  out.key("resolvedDependencies").begin_array();
  for (const Dependency& dependency : dependencies) {
    compact(out, [&](JsonWriter& one) {
      one.begin_object().field("name", dependency.name);
      if (!dependency.sha256.empty()) write_digest(one, dependency.sha256);
      if (!dependency.path.empty()) one.key("annotations").begin_object().field("path", dependency.path).end_object();
      one.end_object();
    });
  }
  out.end_array();
}

void write_predicate(JsonWriter& out, const Claim& claim, const Place& place, const Link& link,
                     const std::string& published_at_utc) {
  out.key("predicate").begin_object();
  out.key("externalParameters").begin_object().field("verb", claim.verb);
  out.key("arguments").begin_object();
  write_fields(out, claim.parameters);
  out.end_object().end_object();
  write_dependencies(out, claim.dependencies);
  out.key("builder").begin_object().field("id", kBuilder).field("version", claim.version).end_object();
  out.key("identity").begin_object();
  out.key("registeredBy").begin_object().field("operatorUser", claim.operator_user).end_object();
  out.key("workstation").begin_object().field("hostname", claim.hostname).field("uname", claim.uname).end_object();
  out.end_object();
  out.key("metadata").begin_object().field("askedAt", claim.asked_at_utc).field("publishedAt", published_at_utc).end_object();
  out.key("place").begin_object().field("kind", to_string(place.kind)).place("family", place.family);
  out.place("measurement", place.measurement).place("slug", place.slug).end_object();
  out.key("result").begin_object();
  write_fields(out, claim.result);
  out.end_object();
  out.key("chain").begin_object().field("sequence", link.sequence).key("previous");
  if (link.previous.empty()) {
    out.null();
  } else {
    out.begin_object().place("sha256", link.previous).end_object();
  }
  out.end_object().end_object();
}

core::Expected<json> malformed(std::string what) { return fail(ErrorCode::invalid_input, std::move(what)); }

// A member that must be there and be an object.
core::Expected<json> object_in(const json& outer, const char* name) {
  const auto found = outer.find(name);
  if (found == outer.end() || !found->is_object()) return malformed("no object \"" + std::string(name) + "\" in the statement");
  return *found;
}

core::Expected<std::string> digest_in(const json& object, const std::string& whose) {
  const auto digest = object.find("digest");
  const std::string sha256 = digest == object.end() ? std::string() : text_or_empty(*digest, "sha256");
  if (!is_sha256_hex(sha256)) return fail(ErrorCode::invalid_input, "no sha256 of " + whose + " in the statement");
  return sha256;
}

core::Expected<std::vector<Subject>> subjects_of(const json& document) {
  const auto list = document.find("subject");
  if (list == document.end() || !list->is_array() || list->empty() || list->size() > kSubjectsAtMost)
    return fail(ErrorCode::invalid_input, "no list \"subject\" of 1 to " + std::to_string(kSubjectsAtMost) + " in the statement");
  std::vector<Subject> out;
  for (const auto& item : *list) {
    const std::string name = text_or_empty(item, "name");
    if (!check_relative_name(name)) return fail(ErrorCode::invalid_input, "a subject of the statement has no safe name");
    auto sha256 = digest_in(item, "the subject " + core::cited(name));
    if (!sha256) return fail(sha256.error());
    out.push_back({name, std::move(*sha256)});
  }
  if (out.front().name != kManifestName)
    return fail(ErrorCode::invalid_input,
                "the first subject of the statement is " + core::cited(out.front().name) + ", not SHA256SUMS");
  return out;
}

core::Expected<Place> place_of(const json& predicate) {
  const auto place = object_in(predicate, "place");
  if (!place) return fail(place.error());
  const std::string kind = text_or_empty(*place, "kind");
  Place out{Kind::entry, text_or_empty(*place, "family"), text_or_empty(*place, "measurement"), text_or_empty(*place, "slug")};
  if (kind != "entry" && kind != "bundle")
    return fail(ErrorCode::invalid_input, "the statement's place has the kind " + core::cited(kind) + ", not entry or bundle");
  if (kind == "bundle") out.kind = Kind::bundle;
  for (const std::string* part : {&out.family, &out.measurement, &out.slug}) {
    if (!check_segment("place", *part))
      return fail(ErrorCode::invalid_input, "the statement's place is no family, measurement and slug");
  }
  return out;
}

core::Expected<Link> link_of(const json& predicate) {
  const auto chain = object_in(predicate, "chain");
  if (!chain) return fail(chain.error());
  Link out;
  out.sequence = count_of(*chain, "sequence", 0);
  if (out.sequence == 0 || out.sequence > kSequenceAtMost)
    return fail(ErrorCode::invalid_input, "the statement's chain has no sequence from 1");
  const auto previous = chain->find("previous");
  if (previous == chain->end()) return fail(ErrorCode::invalid_input, "the statement's chain does not say what was previous");
  if (previous->is_null()) return out;
  out.previous = text_or_empty(*previous, "sha256");
  if (!is_sha256_hex(out.previous))
    return fail(ErrorCode::invalid_input, "the statement's chain has no sha256 of the previous one");
  return out;
}

// For people only: absent is empty.
std::string shown(const json& outer, const char* object, const char* name) {
  const auto found = outer.find(object);
  return found == outer.end() ? std::string() : text_or_empty(*found, name);
}

}  // namespace

std::string_view to_string(Kind kind) { return kind == Kind::entry ? "entry" : "bundle"; }

std::string statement_text(const Claim& claim, const std::vector<Subject>& subjects, const Place& place, const Link& link,
                           const std::string& published_at_utc) {
  std::string text;
  JsonWriter out(text);
  out.begin_object().place("_type", kStatementType);
  write_subjects(out, subjects);
  out.place("predicateType", kPredicateType);
  write_predicate(out, claim, place, link, published_at_utc);
  out.end_object();
  return text + "\n";
}

core::Expected<Statement> parse_statement(std::string_view payload) {
  const auto document = parse_json(payload);
  if (!document) return fail(document.error());
  if (!document->is_object()) return fail(ErrorCode::invalid_input, "the statement is no JSON object");
  if (const auto type = text_or_empty(*document, "_type"); type != kStatementType)
    return fail(ErrorCode::invalid_input, "the payload is " + core::cited(type) + ", not an in-toto Statement v1");
  if (const auto type = text_or_empty(*document, "predicateType"); type != kPredicateType)
    return fail(ErrorCode::invalid_input,
                "the statement's predicate is " + core::cited(type) + ", not " + std::string(kPredicateType));
  Statement out;
  auto subjects = subjects_of(*document);
  if (!subjects) return fail(subjects.error());
  out.subjects = std::move(*subjects);
  const auto predicate = object_in(*document, "predicate");
  if (!predicate) return fail(predicate.error());
  auto place = place_of(*predicate);
  if (!place) return fail(place.error());
  out.place = std::move(*place);
  auto link = link_of(*predicate);
  if (!link) return fail(link.error());
  out.link = std::move(*link);
  if (const auto identity = predicate->find("identity"); identity != predicate->end() && identity->is_object()) {
    out.operator_user = shown(*identity, "registeredBy", "operatorUser");
    out.hostname = shown(*identity, "workstation", "hostname");
  }
  out.published_at_utc = shown(*predicate, "metadata", "publishedAt");
  return out;
}

}  // namespace plumbline::registry::attest
