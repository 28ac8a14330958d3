// To be included after Boost.Math and before its first use. Boost.Math 1.74 calls many of its functions once before main, so that
// their static tables are made while there is one thread. C++11 makes such tables safely when they are first used, and every
// start of the program paid for the calls with 0.6 MB of memory. What is stated here does nothing instead, for these types,
// whatever the policy.
#pragma once

#include <boost/version.hpp>

#if BOOST_VERSION / 100 == 1074

#include <boost/math/special_functions/lanczos.hpp>

namespace plumbline::core {

struct NothingAtStart {
  struct Init {
    static constexpr void force_instantiate() {}
  };
  static constexpr Init initializer{};  // NOLINT(readability-identifier-naming): Boost's name
  static constexpr void force_instantiate() {}
};

}  // namespace plumbline::core

namespace boost::math {

namespace detail {

using plumbline::core::NothingAtStart;

template <class T, class Policy>
struct igamma_initializer;
template <class Policy>
struct igamma_initializer<double, Policy> : NothingAtStart {};
template <class Policy>
struct igamma_initializer<long double, Policy> : NothingAtStart {};

template <class T, class Policy>
struct lgamma_initializer;
template <class Policy>
struct lgamma_initializer<double, Policy> : NothingAtStart {};
template <class Policy>
struct lgamma_initializer<long double, Policy> : NothingAtStart {};

template <class T, class Policy>
struct digamma_initializer;
template <class Policy>
struct digamma_initializer<double, Policy> : NothingAtStart {};
template <class Policy>
struct digamma_initializer<long double, Policy> : NothingAtStart {};

template <class T, class Policy>
struct erf_inv_initializer;
template <class Policy>
struct erf_inv_initializer<double, Policy> : NothingAtStart {};
template <class Policy>
struct erf_inv_initializer<long double, Policy> : NothingAtStart {};

template <class T, class Policy>
struct trigamma_initializer;
template <class Policy>
struct trigamma_initializer<double, Policy> : NothingAtStart {};
template <class Policy>
struct trigamma_initializer<long double, Policy> : NothingAtStart {};

template <class T, class Policy>
struct polygamma_initializer;
template <class Policy>
struct polygamma_initializer<double, Policy> : NothingAtStart {};
template <class Policy>
struct polygamma_initializer<long double, Policy> : NothingAtStart {};

template <class T, class Policy, class tag>
struct zeta_initializer;
template <class Policy, class tag>
struct zeta_initializer<double, Policy, tag> : NothingAtStart {};
template <class Policy, class tag>
struct zeta_initializer<long double, Policy, tag> : NothingAtStart {};

template <class T, class Policy, class tag>
struct erf_initializer;
template <class Policy, class tag>
struct erf_initializer<double, Policy, tag> : NothingAtStart {};
template <class Policy, class tag>
struct erf_initializer<long double, Policy, tag> : NothingAtStart {};

template <class T, class Policy, class tag>
struct expm1_initializer;
template <class Policy, class tag>
struct expm1_initializer<double, Policy, tag> : NothingAtStart {};
template <class Policy, class tag>
struct expm1_initializer<long double, Policy, tag> : NothingAtStart {};

}  // namespace detail

namespace lanczos {

template <>
struct lanczos_initializer<lanczos17m64, long double> : plumbline::core::NothingAtStart {};

}  // namespace lanczos

}  // namespace boost::math

#endif
