#include "verbs/calling/for_agents.hpp"

#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "verbs/calling/parameters.hpp"

namespace plumbline::verbs {
namespace {

constexpr std::array<std::string_view, 3> kWriteEvidence = {"diff", "profile-diff", "outliers"};

struct Names {
  std::string_view verb, names;  // by blanks
};
constexpr Names kRare[] = {
    {"diff", "initial_tolerance alpha strict snapshot all_rows out"},
    {"profile-diff", "baseline_csv_dir candidate_csv_dir baseline_label candidate_label limit out json_out scratch"},
    {"record", "schema snapshot against allow_regressed"},
    {"verify", "checkpoint"},
    {"outliers", "family measurement out"},
};

struct Mistaken {
  std::string_view verb, param, words;
};
constexpr Mistaken kMistaken[] = {
    {"diff", "baseline", "reference ref base before old name entry baseline_path baseline_id"},
    {"diff", "current", "candidate after new path file source target compare current_path result input measurement_path"},
    {"diff", "tolerance_percent", "threshold threshold_percent tolerance_pct threshold_pct percent"},
    {"diff", "headline", "keys metrics metric key"},
    {"diff", "context", "environment labels tags"},
    {"diff", "no_bundle", "dry_run"},
    {"diff", "out", "output output_dir out_dir"},
    {"profile-diff", "baseline", "before old reference base baseline_path"},
    {"profile-diff", "candidate", "current after new target path candidate_path"},
    {"profile-diff", "gate", "tolerance_percent tolerance threshold"},
    {"record", "source", "path file current candidate input data source_path result measurement_path baseline"},
    {"record", "context", "environment labels tags metadata"},
    {"record", "trials", "sources files paths"},
    {"record", "label", "title"},
    {"record", "notes", "note description comment"},
    {"accept", "baseline", "entry reference ref name path entry_dir current"},
    {"accept", "reason", "why message comment notes note"},
    {"history", "name", "baseline reference path query"},
    {"history", "key", "metric row keys"},
    {"history", "before", "until"},
    {"inspect", "path", "source file current candidate measurement baseline name filename input"},
    {"verify", "path", "bundle entry baseline diff_dir entry_dir name bundle_path"},
    {"search", "query", "text q pattern search name"},
    {"search", "key", "metric"},
    {"search", "since", "after from"},
    {"search", "until", "before to"},
    {"search", "limit", "count max top"},
    {"outliers", "paths", "path files sources source nodes current folder baseline"},
    {"outliers", "tolerance_percent", "threshold threshold_percent tolerance_pct"},
    {"outliers", "no_bundle", "dry_run"},
};

bool has(std::string_view words, std::string_view word) {
  const auto all = core::split(words, ' ');
  return std::ranges::find(all, word) != all.end();
}

}  // namespace

bool writes(const Verb& verb) { return verb.safety != "read_only"; }

bool answers_without_writing(const Verb& verb) { return std::ranges::find(kWriteEvidence, verb.name) != kWriteEvidence.end(); }

bool answers_readers(const Verb& verb) { return !writes(verb) || answers_without_writing(verb); }

bool is_rare(const Verb& verb, const Param& param) {
  if (param.name == "sign") return true;
  return std::ranges::any_of(kRare, [&](const Names& row) { return row.verb == verb.name && has(row.names, param.name); });
}

const Param* mistaken_for(const Verb& verb, std::string_view word) {
  for (const Mistaken& row : kMistaken) {
    if (row.verb == verb.name && has(row.words, word)) return find_param(verb, row.param);
  }
  return nullptr;
}

}  // namespace plumbline::verbs
