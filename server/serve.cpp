#include <dirent.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>

#include "base/memory_budget.hpp"
#include "registry/files.hpp"
#include "registry/handed/handed.hpp"
#include "registry/store.hpp"
#include "server/blobs/door.hpp"
#include "server/blobs/store.hpp"
#include "server/mcp/publications.hpp"
#include "server/mcp/verbs/run_tool.hpp"
#include "server/mcp/verbs/tools.hpp"
#include "server/server.hpp"
#include "server/site/site.hpp"
#include "server/transport/http/admission.hpp"
#include "server/transport/timers.hpp"
#include "server/uploading.hpp"

namespace plumbline::server {
namespace {

constexpr std::string_view kBlobFolder = "/.plumbline-blobs";  // in the root, where nothing else is named

// What is uploaded to this server, and the way there.
struct Uploading {
  std::atomic<bool> ending = false;  // whoever waits for the bucket stops
  std::unique_ptr<blobs::Store> store;
  std::unique_ptr<blobs::Door> door;
  transport::Timers timers;

  Uploading() = default;
  Uploading(const Uploading&) = delete;
  Uploading& operator=(const Uploading&) = delete;
  ~Uploading() { ending = true; }

  void tidy_later() {
    using std::chrono::seconds;
    timers.after(std::clamp<seconds>(store->options().ttl / 2, seconds(1), seconds(60)), [this] {
      door->tidy();
      tidy_later();
    });
  }
};

core::Status open_uploads(Uploading& uploading, const ServeOptions& options, const ServingOptions& serving,
                          const UploadOptions& uploads) {
  if (!serving.over_http() || options.read_only || uploads.quota.all == 0) return {};
  blobs::StoreOptions store;
  const std::string root = mcp::served_root(options).value_or(options.allowed_roots.front());
  store.folder = registry::absolute_path(uploads.folder.empty() ? root + std::string(kBlobFolder) : uploads.folder, options.cwd);
  store.quota = uploads.quota.all;
  store.quota_each = uploads.quota.each;
  store.ttl = uploads.ttl;
  if (uploads.direct) {
    auto shared = mcp::served_files(options, root, [&uploading] { return uploading.ending.load(); });
    if (!shared) return core::fail(std::move(shared.error()));
    store.shared = std::move(*shared);
  }
  auto opened = blobs::Store::open(std::move(store));
  if (!opened) return core::fail(std::move(opened.error()));
  uploading.store = std::move(*opened);
  uploading.door = std::make_unique<blobs::Door>(*uploading.store);
  registry::close_folder(uploading.store->options().folder);
  uploading.tidy_later();
  return {};
}

// The pages and the uploads beside MCP, each of which may be missing.
class PagesAndUploads final : public transport::http::Beside {
 public:
  PagesAndUploads(std::unique_ptr<transport::http::Beside> pages, transport::http::Uploads* uploads)
      : pages_(std::move(pages)), uploads_(uploads) {}
  std::optional<transport::http::Refusal> admits(const transport::http::Request& head) override {
    return pages_ ? pages_->admits(head) : std::nullopt;
  }
  void handle(transport::http::Request request, std::shared_ptr<transport::http::Exchange> exchange) override {
    if (pages_) return pages_->handle(std::move(request), std::move(exchange));
    exchange->reply(404, {{"Content-Type", "text/plain; charset=utf-8"}}, "nothing is here: the MCP endpoint is /mcp\n");
  }
  void drain() override {
    if (pages_) pages_->drain();
  }
  [[nodiscard]] bool has_pages() const override { return pages_ != nullptr; }
  transport::http::Uploads* uploads() override { return uploads_; }

 private:
  const std::unique_ptr<transport::http::Beside> pages_;
  transport::http::Uploads* const uploads_;
};

// "http://127.0.0.1:4711" of "http://127.0.0.1:4711/mcp".
std::string without_endpoint(std::string url) {
  constexpr std::string_view kEndpoint = "/mcp";
  if (url.ends_with(kEndpoint)) url.resize(url.size() - kEndpoint.size());
  while (url.ends_with('/')) url.pop_back();
  return url;
}

// What a shared store holds is read through its copy on this machine.
void allow_copy_of_store(ServeOptions& options) {
  if (options.allowed_roots.empty()) return;
  const auto root = mcp::served_root(options);
  if (!root) return;
  const std::string folder = mcp::served_store(options, *root)->root();
  if (!folder.empty() && folder != *root) options.allowed_roots.push_back(folder);
}

// Whoever comes over a socket is confined to the repository unless the operator names other roots. Nor does it know where this
// process was started: a relative path is taken from the root.
core::Status confine(ServeOptions& options, bool network) {
  if (network && options.allowed_roots.empty()) {
    auto root = mcp::served_root(options);
    if (!root) {
      return core::fail(core::ErrorCode::usage, "a server on sockets is confined to a repository, and there is none here",
                        "name it with --repo-root DIR, or other folders with --allow-root DIR");
    }
    options.allowed_roots = {std::move(*root)};
  }
  auto roots = registry::resolve_allowed_roots(options.allowed_roots, options.cwd);
  if (!roots) return core::fail(std::move(roots.error()));
  options.allowed_roots = std::move(*roots);
  allow_copy_of_store(options);
  if (!network) return {};
  const auto root = mcp::served_root(options);
  if (root) {
    options.repo_root = *root;
  } else if (options.repo_root) {
    options.repo_root = registry::absolute_path(*options.repo_root, options.cwd);
  }
  options.cwd = root ? *root : options.allowed_roots.front();
  return {};
}

// Without its root a server answers nothing but errors. What is wrong is said without the path: anybody may ask.
std::string look_at(const std::string& root) {
  DIR* folder = opendir(root.c_str());
  if (folder == nullptr) return "the root cannot be read: " + std::generic_category().message(errno);
  errno = 0;
  const bool readable = readdir(folder) != nullptr || errno == 0;
  const int error = errno;
  closedir(folder);
  return readable ? "" : "the root cannot be read: " + std::generic_category().message(error);
}

}  // namespace

core::Expected<int> serve(ServeOptions options, ServingOptions serving) {
  return serve(std::move(options), std::move(serving), {});
}

core::Expected<int> serve(ServeOptions options, ServingOptions serving, UploadOptions uploads) {
  base::unpacking_budget().set_bound(serving.unpack_memory);
  // The operator's own: they lie where he says, not where clients' paths are taken from.
  for (std::string* path : {&options.allow_run, &uploads.folder}) {
    if (!path->empty()) *path = registry::absolute_path(*path, options.cwd);
  }
  if (auto confined = confine(options, serving.network()); !confined) return core::fail(std::move(confined.error()));
  auto tools = mcp::chosen_tools(options.tools);
  if (!tools) return core::fail(std::move(tools.error()));
  options.tools = std::move(*tools);
  Uploading uploading;
  if (auto opened = open_uploads(uploading, options, serving, uploads); !opened) return core::fail(std::move(opened.error()));
  const auto site_base = std::make_shared<std::string>();
  mcp::Catalogue catalogue = mcp::verb_catalogue(options, {uploading.store.get(), site_base});
  if (!options.allow_run.empty()) {
    auto tool = mcp::run_tool(options);
    if (!tool) return core::fail(std::move(tool.error()));
    catalogue.add(std::move(*tool));
  }
  const mcp::Server server(mcp::verb_identity(options), std::move(catalogue));
  serving.look = [root = options.cwd] { return look_at(root); };
  MakeBeside make_beside;
  if (options.site || uploading.door) {
    make_beside = [&options, &uploading, site_base](mcp::Host& host, const transport::http::Admission& admission) {
      if (options.site) *site_base = without_endpoint(admission.resource.url);
      return std::make_unique<PagesAndUploads>(options.site ? site::make(options, host, admission) : nullptr,
                                               uploading.door.get());
    };
  }
  return serve(server, verbs::version(), serving, make_beside);
}

}  // namespace plumbline::server
