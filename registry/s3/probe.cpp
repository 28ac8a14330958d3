#include "registry/s3/probe.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/io.hpp"
#include "registry/s3/sweeping.hpp"
#include "registry/s3/xml.hpp"

namespace plumbline::registry::s3 {

using core::ErrorCode;
using core::Expected;
using core::fail;

namespace {

constexpr std::size_t kWriters = 16;
constexpr int kRaces = 3;
constexpr const char* kKept = ".probed";
constexpr auto kKeptFor = std::chrono::hours(24);

bool was_probed(const std::string& copy) {
  struct stat info {};
  if (::stat(io::join(copy, kKept).c_str(), &info) != 0) return false;
  const auto at = std::chrono::system_clock::from_time_t(info.st_mtim.tv_sec);
  const auto now = std::chrono::system_clock::now();
  return at <= now && now - at < kKeptFor;
}

void keep_probed(const std::string& copy) {
  const std::string path = io::join(copy, kKept);
  const io::Descriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (fd.valid()) ::futimens(fd.get(), nullptr);
}

struct Race {
  std::size_t won = 0, lost = 0;
  std::optional<net::HttpAnswer> other;  // one that is neither
  std::string server, request_id;
};

Expected<Race> race(Client& client, const std::string& key) {
  std::array<Expected<net::HttpAnswer>, kWriters> answers;
  std::array<std::string, kWriters> texts;
  std::vector<std::thread> writers;
  try {
    for (std::size_t i = 0; i < kWriters; ++i) {
      texts[i] = "plumbline asks who was first: " + std::to_string(i) + "\n";
      writers.emplace_back([&, i] {
        // A server may ask writers that meet to come again.
        for (int attempt = 0; attempt < 6; ++attempt) {
          answers[i] = client.try_once(key, texts[i]);
          if (!answers[i] || !is_busy(answers[i]->status)) return;
          std::this_thread::sleep_for(std::chrono::milliseconds(20 << attempt));
        }
      });
    }
  } catch (const std::system_error& error) {
    for (std::thread& writer : writers) writer.join();
    return fail(ErrorCode::environment, std::string("the store's server cannot be tried: no more threads: ") + error.what(),
                "a limit of processes or of memory, see `ulimit -u`");
  }
  for (std::thread& writer : writers) writer.join();
  Race out;
  for (auto& answer : answers) {
    if (!answer) return fail(answer.error());
    if (out.server.empty()) out.server = answer->header("server");
    if (out.request_id.empty()) out.request_id = answer->header("x-amz-request-id");
    if (answer->status == 200 || answer->status == 201 || answer->status == 204) {
      ++out.won;
    } else if (answer->status == 412) {
      ++out.lost;
    } else {
      out.other = std::move(*answer);
    }
  }
  return out;
}

// A lost connection says nothing of the condition, nor does a race without a winner: an answer that asked to come again may have
// been that of the first.
Expected<Race> decided_race(Client& client, const std::string& folder) {
  for (int round = 1;; ++round) {
    const std::string key = folder + io::hex_random(16);
    auto raced = race(client, key);
    client.remove(key);
    const bool lost = !raced && raced.error().code == ErrorCode::environment;
    const bool open = raced && raced->won <= 1 && (raced->other ? is_busy(raced->other->status) : raced->won == 0);
    if ((!lost && !open) || round == kRaces || client.is_stopped()) return raced;
    std::this_thread::sleep_for(std::chrono::milliseconds(100 << round));
  }
}

// What a server is like, from what it says of itself.
std::string kind_of_server(Client& client, const Race& race) {
  const bool ceph = race.request_id.starts_with("tx0") && race.request_id.find('-') != std::string::npos;
  const auto versioning = client.ask_bucket("versioning");
  const bool versioned = versioning && versioning->status == 200 && element(versioning->body, "Status") == "Enabled";
  if (race.other && race.other->status == 501) return "it answers 501 to If-None-Match, as OpenStack Swift's S3 does";
  if (versioned && ceph) return "the bucket is versioned, and Ceph forgets the condition there: make one without versions";
  if (versioned) return "the bucket is versioned, and this server forgets the condition there: make one without versions";
  if (ceph) return "it looks like Ceph; its gateway keeps the condition in buckets that were never versioned";
  if (!race.server.empty()) return "it calls itself " + core::cited(std::string_view(race.server).substr(0, 60));
  return "it looks like s3rver or another server for tests, which do not know the condition";
}

}  // namespace

core::Status check_bucket(Client& client, const std::string& copy) {
  if (was_probed(copy)) return {};
  const Address& address = client.settings().address;
  const auto raced = decided_race(client, (address.prefix.empty() ? std::string() : address.prefix + "/") + ".plumbline-probe/");
  if (!raced) return fail(raced.error());
  const std::string place = address.text();
  const bool refuses = raced->other && raced->other->status == 501;
  if (raced->other && !refuses && raced->won <= 1) return client.refused(*raced->other, {});
  if (raced->won == 1 && !refuses) {
    keep_probed(copy);
    sweep_copy(copy);  // once a day
    return {};
  }
  const std::string seen = refuses ? "it refuses the condition that makes an object once"
                                   : "of " + std::to_string(kWriters) + " writers of one object " + std::to_string(raced->won) +
                                         " were told that they made it";
  return fail(ErrorCode::environment, place + " cannot be a store: " + seen,
              kind_of_server(client, *raced) + "; docs/stores.md lists servers that keep it", place);
}

}  // namespace plumbline::registry::s3
