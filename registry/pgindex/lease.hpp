// A connection of the index while one question uses it. Private to registry/pgindex/.
#pragma once

#include "registry/pgindex/index.hpp"

namespace plumbline::registry::pgindex {

class Index::Lease {
 public:
  Lease(Index& index, Session session, bool used, const Stop& stop)
      : index_(&index), session_(std::move(session)), used_(used), stop_(stop) {}
  Lease(Lease&&) = default;
  Lease& operator=(Lease&&) = delete;
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease();  // gives it back

  [[nodiscard]] Connection& connection() { return *session_.connection; }
  [[nodiscard]] Session& session() { return session_; }
  // A statement, whose errors name the index. One that finds a connection of an earlier question lost is put again on a new one:
  // each of ours is a transaction by itself, and adds nothing twice.
  [[nodiscard]] core::Expected<Rows> ask(const char* sql, const Parameters& parameters);

 private:
  Index* index_;
  Session session_;
  bool used_;  // by an earlier question: the server may have gone away since
  const Stop& stop_;
};

}  // namespace plumbline::registry::pgindex
