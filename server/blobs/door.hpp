// PUT and HEAD of /blobs/sha256/HEX: what is sent there is written to disk as it comes, on threads of its own.
//
//   HEAD   200 it is there; 204 so much of it has come (Upload-Offset); 404 nothing
//   PUT    201 it is there now; 200 it was there before; 202 the part has come, the rest is wanted
//          with "Content-Range: bytes A-B/TOTAL" a part of it, from where the last one ended: 409 says where (Upload-Offset)
//          307 of 64 MiB and more where the registry is in a bucket: Location takes it, with the headers that the answer names. A
//          PUT with a Content-Range is taken here; one with "Content-Range: bytes */TOTAL" and no body asks where to, 204: here.
//          413 more than one may have; 422 something else came than its name says; 503 too many at once; 507 no room
//
// Upload-Offset, Upload-Complete and Upload-Limit mean what they do in the IETF's resumable uploads
// (draft-ietf-httpbis-resumable- upload); an upload has its name from its digest here, so that there is nothing to create first.
#pragma once

#include <memory>

#include "server/blobs/store.hpp"
#include "server/transport/http/uploads.hpp"
#include "server/transport/worker_pool.hpp"

namespace plumbline::server::blobs {

class Door final : public transport::http::Uploads {
 public:
  // The store outlives the door, and the door every connection. stop() before what the exchanges refer to goes.
  explicit Door(Store& store) : store_(store) {}

  void handle(transport::http::Request request, std::shared_ptr<transport::http::Exchange> exchange,
              const access::Principal& who) override;
  [[nodiscard]] std::unique_ptr<transport::http::BodySink> receive(transport::http::Request head,
                                                                   std::shared_ptr<transport::http::Exchange> exchange,
                                                                   const access::Principal& who) override;
  void stop() override { threads_.stop(); }
  // Removes what has expired, on a thread of the door's.
  void tidy();

 private:
  Store& store_;
  transport::WorkerPool threads_;
};

// Of a target "/blobs/sha256/HEX".
[[nodiscard]] std::optional<std::string> digest_in(std::string_view target);
// "bytes A-B/TOTAL": a part that is no more than the whole.
struct ContentRange {
  std::uint64_t from = 0, to = 0, total = 0;
};
[[nodiscard]] std::optional<ContentRange> parse_content_range(std::string_view text);
// The whole's size in "bytes */TOTAL".
[[nodiscard]] std::optional<std::uint64_t> asked_total(std::string_view text);

}  // namespace plumbline::server::blobs
