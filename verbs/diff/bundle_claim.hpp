// What the signed statement of a bundle says of its sides and of what came out.
#pragma once

#include <memory>

#include "core/results/diff.hpp"
#include "core/results/outliers.hpp"
#include "core/results/profile_diff.hpp"
#include "registry/store.hpp"
#include "verbs/resolving/signing.hpp"

namespace plumbline::verbs {

void sign_bundle(registry::Staging& staging, const std::shared_ptr<const Signer>& signer, const core::DiffResult& result);
void sign_bundle(registry::Staging& staging, const std::shared_ptr<const Signer>& signer, const core::ProfileDiff& result);
void sign_bundle(registry::Staging& staging, const std::shared_ptr<const Signer>& signer, const core::OutliersResult& result);

}  // namespace plumbline::verbs
