#include "registry/look.hpp"

namespace plumbline::registry {

namespace {

thread_local Look* outermost = nullptr;

}  // namespace

Look::Look() : before_(outermost) {
  if (outermost == nullptr) outermost = this;
}

Look::~Look() { outermost = before_; }

Look* Look::current() { return outermost; }

}  // namespace plumbline::registry
