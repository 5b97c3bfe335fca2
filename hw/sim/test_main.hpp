// SPDX-License-Identifier: Apache-2.0
// The program of a bench: its tests by name, and the seed that they share.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "check.hpp"

namespace flowstone::sim {

/** What makes going on with a test useless. */
struct Hopeless {
  const char* why;
};

inline uint64_t seed = 1;
/** In the tests that send many. */
inline uint64_t frames_per_port = 200'000;

/** Without names all but those of the line rate, which take their time. */
inline bool is_chosen(const char* name, int count, char** parts) {
  const bool is_slow = std::strncmp(name, "line_rate", 9) == 0;
  bool is_named = count == 0 && !is_slow;
  for (int i = 0; i < count; i++) {
    is_named |= std::strstr(name, parts[i]) != nullptr;
  }
  return is_named;
}

/** Returns the index of the first argument after [--seed N] [--frames N]. */
inline int take_options(int argc, char** argv) {
  int first = 1;
  for (; first + 1 < argc; first += 2) {
    const bool is_seed = std::strcmp(argv[first], "--seed") == 0;
    if (!is_seed && std::strcmp(argv[first], "--frames") != 0) break;
    (is_seed ? seed : frames_per_port) = std::strtoull(argv[first + 1], nullptr, 10);
  }
  return first;
}

/** BENCH_test [--seed N] [--frames N] [part of a test's name]... */
inline int run_tests(int argc, char** argv) {
  const int first = take_options(argc, argv);
  unsigned failed = 0, ran = 0;
  for (const test::Test& test : test::tests()) {
    if (!is_chosen(test.name, argc - first, argv + first)) {
      continue;
    }
    ran++;
    test::failures() = 0;
    try {
      test.run();
    } catch (const Hopeless& hopeless) {
      std::printf("%s\n", hopeless.why);
    }
    if (test::failures() != 0) {
      failed++;
      std::printf("FAILED %s (--seed %llu)\n", test.name, static_cast<unsigned long long>(seed));
    }
    std::fflush(stdout);
  }
  const char* folder = std::strrchr(argv[0], '/');
  std::printf("%s: %u tests, %u failed, seed %llu\n", folder == nullptr ? argv[0] : folder + 1, ran, failed,
              static_cast<unsigned long long>(seed));
  return failed == 0 && ran > 0 ? 0 : 1;
}

}  // namespace flowstone::sim
