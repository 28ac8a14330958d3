#include "cli/remote_files.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/files.hpp"
#include "registry/handed/handed.hpp"

namespace plumbline::cli {
namespace {

using verbs::ErrorCode;
using verbs::Param;
using verbs::ParamKind;

// Paths that are no input: they are the server's, or written.
constexpr std::array<std::string_view, 5> kNoInputs = {"repo_root", "out", "json_out", "report", "sign"};

bool is_input(const Param& param) {
  if (std::find(kNoInputs.begin(), kNoInputs.end(), param.name) != kNoInputs.end()) return false;
  return param.kind == ParamKind::path || param.kind == ParamKind::path_list || param.name == "initial";
}

std::string named(const std::string& absolute) { return std::string(registry::kClientScheme) + absolute.substr(1); }
std::string folder_of(const std::string& absolute) { return absolute.substr(0, std::max<std::size_t>(absolute.rfind('/'), 1)); }

class Finding {
 public:
  Finding(const verbs::Verb& verb, const verbs::Arguments& arguments, const verbs::Context& context)
      : verb_(verb), arguments_(arguments), context_(context) {}

  verbs::Expected<LocalFiles> run(const std::vector<std::string>& words) {
    if (auto ok = check(); !ok) return core::fail(std::move(ok.error()));
    for (const Param& param : verb_.params) {
      if (!is_input(param)) continue;
      const auto& list = arguments_.list(param.name);
      paths_.insert(list.begin(), list.end());
      if (const std::string text = arguments_.text(param.name); !text.empty()) paths_.insert(text);
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      auto word = replaced(words[i], i == 0 ? std::string() : words[i - 1]);
      if (!word) return core::fail(std::move(word.error()));
      out_.words.push_back(std::move(*word));
    }
    return std::move(out_);
  }

 private:
  verbs::Status check() {
    if (arguments_.has("sign")) {
      return core::fail(ErrorCode::usage, "--sign does not go to a server: the key would leave this machine",
                        "the server signs with its own key, or: plumbline verify and sign where the registry is");
    }
    if (arguments_.text("snapshot") == "reference" && verb_.name == "record") {
      return core::fail(ErrorCode::usage,
                        "--snapshot reference does not go with --server: the server cannot read this machine's files",
                        "leave it out: the entry then holds a copy");
    }
    return {};
  }

  // The flag that the word is the value of, if it is one.
  [[nodiscard]] const Param* param_of(std::string_view flag) const {
    if (!flag.starts_with("--")) return nullptr;
    std::string name(flag.substr(2, flag.find('=') == std::string_view::npos ? flag.npos : flag.find('=') - 2));
    std::replace(name.begin(), name.end(), '-', '_');
    const Param* found = nullptr;
    for (const Param& param : verb_.params) {
      if (param.name == name) return &param;
      if (param.name.starts_with(name)) found = &param;
    }
    return found;
  }

  verbs::Expected<std::string> replaced(const std::string& word, const std::string& before) {
    const auto equals = word.find('=');
    if (word.starts_with("--") && equals != std::string::npos) {
      const Param* param = param_of(word);
      if (param == nullptr) return word;
      auto value = value_of(*param, word.substr(equals + 1));
      if (!value) return value;
      return word.substr(0, equals + 1) + *value;
    }
    const Param* param = param_of(before);
    const bool takes_one = param != nullptr && param->kind != ParamKind::boolean && before.find('=') == std::string::npos;
    if (takes_one) return value_of(*param, word);
    if (word.starts_with("--")) return word;
    return paths_.contains(word) ? input(word) : verbs::Expected<std::string>(word);
  }

  verbs::Expected<std::string> value_of(const Param& param, const std::string& value) {
    if (param.name == "report") return report(value);
    if (param.name == "out" || param.name == "json_out") return output(param, value);
    if (is_input(param) && paths_.contains(value)) return input(value);
    return value;
  }

  // A path of this machine gets a name; what is none here is the server's to find.
  verbs::Expected<std::string> input(const std::string& word) {
    if (registry::names_handed(word)) return word;
    const std::string path = registry::absolute_path(word, context_.cwd);
    const auto kind = registry::path_kind(path, {});
    if (!kind) return word;
    if (done_.insert(path).second) {
      registry::PathLimits limits;
      limits.stop = [this] { return context_.stop_asked(); };
      const auto source = registry::open_source(path, limits);
      if (!source) return core::fail(source.error());
      if (source->is_directory) out_.folders.push_back(named(path));
      for (const registry::SourceFile& file : source->files) take(file.path, file.bytes);
      if (!source->is_directory) take_neighbours(path);
    }
    return named(path);
  }

  void take(const std::string& path, std::uint64_t bytes) {
    if (taken_.insert(path).second) out_.files.push_back({named(path), path, bytes});
  }

  // What belongs to a file and lies beside it: the log of a database, a project's own formats.
  void take_neighbours(const std::string& path) {
    for (const std::string& beside : {path + "-wal", path + "-journal", folder_of(path) + "/plumbline.yaml"}) {
      if (registry::path_kind(beside, {}) != registry::PathKind::file) continue;
      if (const auto source = registry::open_source(beside, {})) take(source->path, source->bytes);
    }
  }

  verbs::Expected<std::string> report(const std::string& value) {
    const auto equals = value.find('=');
    if (equals == std::string::npos || value.substr(equals + 1) == "-" || equals + 1 == value.size()) return value;
    auto name = target("--report", value.substr(equals + 1));
    if (!name) return name;
    return value.substr(0, equals + 1) + *name;
  }

  verbs::Expected<std::string> output(const Param& param, const std::string& value) {
    const std::string path = registry::absolute_path(value, context_.cwd);
    const bool folder = value.ends_with('/') || registry::path_kind(path, {}) == registry::PathKind::folder;
    if (verb_.name != "profile-diff" || folder) {
      return core::fail(
          ErrorCode::usage,
          "--" + std::string(param.name) + " does not go with --server: the bundle is kept in the server's registry",
          "leave it out; `--report html=FILE` or `--report md=FILE` writes a report here");
    }
    return target("--" + std::string(param.name), value);
  }

  verbs::Expected<std::string> target(const std::string& flag, const std::string& value) {
    const std::string path = registry::absolute_path(value, context_.cwd);
    if (registry::path_kind(folder_of(path), {}) != registry::PathKind::folder) {
      return core::fail(ErrorCode::not_found, flag + ": the folder of " + core::cited_path(path) + " does not exist",
                        "make it first: `mkdir -p " + core::cited_path(folder_of(path)) + "`");
    }
    const std::string folder = named(folder_of(path));
    if (std::find(out_.folders.begin(), out_.folders.end(), folder) == out_.folders.end()) out_.folders.push_back(folder);
    out_.reports.push_back({named(path), path, 0});
    return named(path);
  }

  const verbs::Verb& verb_;
  const verbs::Arguments& arguments_;
  const verbs::Context& context_;
  std::set<std::string> paths_;  // as the words have them
  std::set<std::string> done_, taken_;
  LocalFiles out_;
};

}  // namespace

verbs::Expected<LocalFiles> local_files(const verbs::Verb& verb, const std::vector<std::string>& words,
                                        const verbs::Arguments& arguments, const verbs::Context& context) {
  return Finding(verb, arguments, context).run(words);
}

}  // namespace plumbline::cli
