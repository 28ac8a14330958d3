// Objects of one bucket: put once, fetched, listed. Requests are signed, tried again with growing, random pauses where the server
// is busy or the connection was lost, and bounded in time and size. May be used by several threads; connections are kept.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/http_client.hpp"
#include "registry/s3/settings.hpp"

namespace plumbline::registry::s3 {

// What is put: bytes in memory, or a file that does not change, or the part of one that begins at `offset`.
struct Content {
  std::string_view bytes;
  std::string file;  // instead
  std::uint64_t size = 0;
  std::string sha256;
  std::uint64_t offset = 0;
};

struct Page {
  std::vector<std::string> keys, prefixes;  // whole keys; with a delimiter what is below it in one
  std::vector<std::string> etags;           // of the keys, without their quotes; "" where the server tells none
  std::string next;                         // token; "": this is the last one
};

enum class Put : std::uint8_t {
  made,
  taken,        // something else is there
  unsupported,  // the server knows no condition
};

// A status that says to come again.
[[nodiscard]] bool is_busy(int status);

class Client {
 public:
  Client(Settings settings, Environment environment, std::function<bool()> stop);

  // Makes an object that is not there yet. A lost answer is a success when what is there is what this call put. `to_end`: asked
  // to stop it goes on, for once it is sent the object may be made: whoever hears "cancelled" must be able to believe it.
  [[nodiscard]] core::Expected<Put> put_once(const std::string& key, const Content& content, bool to_end = false);
  // not_found where there is none.
  [[nodiscard]] core::Expected<std::string> get(const std::string& key, std::uint64_t at_most);
  // Into a new file; gives its digest.
  [[nodiscard]] core::Expected<std::string> get_to(const std::string& key, int fd, std::uint64_t at_most);
  [[nodiscard]] core::Expected<bool> exists(const std::string& key);
  // Nothing where there is none.
  [[nodiscard]] core::Expected<std::optional<std::uint64_t>> size_of(const std::string& key);
  // For somebody else to make an object of this size and digest that is not there yet. Nothing is asked of the server.
  struct Permit {
    std::string url;
    std::vector<std::pair<std::string, std::string>> headers;  // to be sent as they are
  };
  [[nodiscard]] core::Expected<Permit> permit_put(const std::string& key, const std::string& sha256, std::uint64_t size,
                                                  std::chrono::seconds valid);
  // What comes after a key, or after the page that gave `token`, and always above `after`. An answer that is no whole listing, or
  // not in order, is an error: half of one would be believed to be all.
  [[nodiscard]] core::Expected<Page> list(const std::string& prefix, const std::string& after, const std::string& delimiter,
                                          const std::string& token);
  // As far as it is allowed, in one attempt, asked to stop or not: for what a probe or a signer leaves behind.
  void remove(const std::string& key);
  // An answer of the server to a question about the bucket itself ("versioning"), whatever its status.
  [[nodiscard]] core::Expected<net::HttpAnswer> ask_bucket(const std::string& question);
  // One attempt to make an object, on a connection of its own: its status and the server's name.
  [[nodiscard]] core::Expected<net::HttpAnswer> try_once(const std::string& key, std::string_view bytes);

  // What an answer with another status than the expected ones means.
  [[nodiscard]] tl::unexpected<core::Error> refused(const net::HttpAnswer& answer, const std::string& key) const;
  [[nodiscard]] bool is_stopped() const { return stop_ && stop_(); }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] std::uint64_t requests() const;

 private:
  struct Call {
    std::string method = "GET", key;
    std::vector<std::pair<std::string, std::string>> query, headers;
    const Content* content = nullptr;
    std::function<core::Status()> restart;  // before each attempt, where there is a sink
    std::function<core::Status(std::string_view)> sink;
    bool once = false;    // on a connection of its own
    bool to_end = false;  // does not stop while it runs
  };
  core::Expected<net::HttpAnswer> call(const Call& call);
  struct Tried {
    core::Expected<net::HttpAnswer> answer;
    bool was_open = false;  // the connection, before it
    bool ours = false;      // the error is of this machine, and nothing that another attempt would mend
  };
  Tried attempt(const Call& call, net::HttpRequest request);
  [[nodiscard]] core::Expected<net::HttpRequest> request_of(const Call& call);
  [[nodiscard]] std::string path_of(const std::string& key) const;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> condition(const std::string& writer) const;
  [[nodiscard]] core::Expected<bool> is_ours(const std::string& key, const Content& content, const std::string& writer,
                                             bool to_end);
  [[nodiscard]] core::Error named(core::Error error) const;

  Settings settings_;
  CredentialSource credentials_;
  std::function<bool()> stop_;
  mutable std::mutex mutex_;
  std::vector<net::HttpConnection> idle_;
  std::uint64_t requests_ = 0;
};

// Runs `work(0)` to `work(count - 1)` on a few threads; the first error ends it.
[[nodiscard]] core::Status in_parallel(std::size_t count, const std::function<core::Status(std::size_t)>& work);

}  // namespace plumbline::registry::s3
