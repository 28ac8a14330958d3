#include "verbs/schedulers/hosts.hpp"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <set>

#include "base/characters.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"
#include "verbs/schedulers/task.hpp"

namespace plumbline::verbs {
namespace {

constexpr std::size_t kMostDigits = 9;

tl::unexpected<Error> wrong(const std::string& list, std::string problem) {
  return core::fail(ErrorCode::usage, "the list of nodes " + core::cited(list) + " " + std::move(problem),
                    "write names with commas, and numbers in brackets: `--nodes n1,n2` or `--nodes 'n[1-8],gpu-[001-004]'`");
}

std::string variable(const Context& context, std::string_view name) {
  return context.environment ? context.environment(name).value_or("") : std::string();
}

// Names are put into command lines: nothing in them may be taken for a flag or for anything but a name.
bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= 255 && name.front() != '-' && std::all_of(name.begin(), name.end(), [](char c) {
    return base::is_letter(c) || base::is_digit(c) || c == '-' || c == '_' || c == '.' || c == ':' || (c >= 'A' && c <= 'Z');
  });
}

// "001-003,7" behind `name`, which may go on after the brackets: `rest`.
class Expanding {
 public:
  explicit Expanding(const std::string& list) : list_(list) {}

  Expected<std::vector<std::string>> run() {
    std::size_t from = 0;
    std::size_t depth = 0;
    for (std::size_t i = 0; i <= list_.size(); ++i) {
      const char c = i < list_.size() ? list_[i] : ',';
      if (c == '[') ++depth;
      if (c == ']' && depth-- == 0) return wrong(list_, "closes a bracket that is not open");
      if (c != ',' || (depth > 0 && i < list_.size())) continue;
      if (depth > 0) return wrong(list_, "opens a bracket that is not closed");
      if (i > from) {
        if (auto ok = expand("", std::string_view(list_).substr(from, i - from)); !ok) return core::fail(ok.error());
      }
      from = i + 1;
    }
    if (names_.empty()) return wrong(list_, "names none");
    return std::move(names_);
  }

 private:
  Status expand(const std::string& before, std::string_view rest) {
    const std::size_t open = rest.find('[');
    if (open == std::string_view::npos) return add(before + std::string(rest));
    const std::size_t close = rest.find(']', open);
    if (close == std::string_view::npos) return wrong(list_, "opens a bracket that is not closed");
    std::string_view numbers = rest.substr(open + 1, close - open - 1);
    if (numbers.find('[') != std::string_view::npos) return wrong(list_, "has brackets inside brackets");
    if (numbers.empty()) return wrong(list_, "has brackets without a number in them");
    while (!numbers.empty()) {
      const std::size_t comma = std::min(numbers.find(','), numbers.size());
      if (auto ok = range(before + std::string(rest.substr(0, open)), numbers.substr(0, comma), rest.substr(close + 1)); !ok)
        return ok;
      numbers.remove_prefix(std::min(comma + 1, numbers.size()));
    }
    return {};
  }

  // As many digits as the first number has, as Slurm writes them.
  Status range(const std::string& before, std::string_view numbers, std::string_view rest) {
    const std::size_t dash = numbers.find('-');
    const std::string_view first = numbers.substr(0, dash);
    const std::string_view last = dash == std::string_view::npos ? first : numbers.substr(dash + 1);
    const auto from = core::parse_int(first);
    const auto to = core::parse_int(last);
    if (!from || !to || *from < 0 || first.size() > kMostDigits || last.size() > kMostDigits || *to < *from)
      return wrong(list_, "has " + core::cited(numbers) + ", which is no range of numbers");
    for (std::int64_t number = *from; number <= *to; ++number) {
      std::string digits = std::to_string(number);
      digits.insert(0, first.size() > digits.size() ? first.size() - digits.size() : 0, '0');
      if (auto ok = expand(before + digits, rest); !ok) return ok;
    }
    return {};
  }

  Status add(std::string name) {
    if (!is_name(name)) return wrong(list_, "has " + core::cited(name) + ", which is no name of a node");
    if (names_.size() == kMostNodes) return wrong(list_, "names more than " + std::to_string(kMostNodes) + " nodes");
    if (!known_.insert(name).second) return wrong(list_, "names " + core::cited(name) + " twice");
    names_.push_back(std::move(name));
    return {};
  }

  const std::string& list_;
  std::vector<std::string> names_;
  std::set<std::string> known_;
};

// A line a slot: a node that has several is there several times.
std::string nodes_of_pbs(const std::string& path) {
  std::ifstream file(path);
  std::set<std::string> seen;
  std::string out;
  for (std::string line; std::getline(file, line) && seen.size() < kMostNodes;) {
    if (line.empty() || !seen.insert(line).second) continue;
    out += (out.empty() ? "" : ",") + line;
  }
  return out;
}

std::string job_nodes(const Context& context) {
  for (const std::string_view name : {"SLURM_JOB_NODELIST", "SLURM_NODELIST"}) {
    if (std::string list = variable(context, name); !list.empty()) return list;
  }
  const std::string file = variable(context, "PBS_NODEFILE");
  return file.empty() ? std::string() : nodes_of_pbs(file);
}

}  // namespace

Expected<std::vector<std::string>> nodes_of(const std::string& list) { return Expanding(list).run(); }

Expected<std::vector<std::string>> asked_nodes(const std::string& text, const Context& context) {
  if (text != "auto") return nodes_of(text);
  const std::string list = job_nodes(context);
  if (!list.empty()) return nodes_of(list);
  return core::fail(ErrorCode::usage, "--nodes auto: this is no job of Slurm or PBS that says its nodes",
                    "name them: `--nodes n1,n2 --launcher 'ssh {node}'`");
}

core::Context scheduler_facts(const Context& context) {
  core::Context out;
  const auto add = [&out](const char* key, const std::string& value) {
    if (!value.empty()) out.emplace(key, value);
  };
  const bool slurm = !variable(context, "SLURM_JOB_ID").empty();
  const bool pbs = !variable(context, "PBS_JOBID").empty();
  const bool kubernetes = !variable(context, "KUBERNETES_SERVICE_HOST").empty();
  add("environment.scheduler", slurm ? "slurm" : pbs ? "pbs" : kubernetes ? "kubernetes" : "");
  if (const std::string list = job_nodes(context); !list.empty()) {
    add("environment.job_nodes", core::one_line(list, 1000));
    if (const auto nodes = nodes_of(list)) add("environment.job_node_count", std::to_string(nodes->size()));
  }
  const auto add_first = [&](const char* key, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      const auto number = core::parse_int(variable(context, name));
      if (number && *number >= 1) return add(key, std::to_string(*number));
    }
  };
  // Which of how many this is. A scheduler that contradicts itself says nothing.
  if (const auto task = this_task(context); task && *task) {
    add("environment.job_task", std::to_string((*task)->index));
    if ((*task)->count) add("environment.job_tasks", std::to_string(*(*task)->count));
  }
  add_first("environment.job_tasks", {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"});
  const auto add_name = [&](const char* key, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      const std::string value = variable(context, name);
      if (is_name(value)) return add(key, value);
    }
  };
  if (slurm) add_name("environment.job_node", {"SLURMD_NODENAME"});
  if (kubernetes) {  // by the downward API, under the names that manifests commonly give them
    add_name("environment.job_node", {"NODE_NAME", "K8S_NODE_NAME", "KUBE_NODE_NAME", "MY_NODE_NAME"});
    add_name("environment.job_pod", {"POD_NAME", "K8S_POD_NAME", "KUBE_POD_NAME", "MY_POD_NAME"});
  }
  // Threads are a task's processors where a scheduler sees to it; by themselves they are anybody's setting.
  add_first("environment.cpus_per_task", {"SLURM_CPUS_PER_TASK"});
  if (out.contains("environment.scheduler")) add_first("environment.cpus_per_task", {"OMP_NUM_THREADS"});
  return out;
}

}  // namespace plumbline::verbs
