// SPDX-License-Identifier: Apache-2.0
// A test is TEST(name) { ... }; a failed check names its place and both values, and the run goes on.
#pragma once

#include <cstdint>
#include <cstdio>
#include <vector>

namespace flowstone::test {

struct Test {
  const char* name;
  void (*run)();
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

inline unsigned& failures() {
  static unsigned count = 0;
  return count;
}

struct Registration {
  Registration(const char* name, void (*run)()) { tests().push_back({name, run}); }
};

inline void check_equal(uint64_t expected, uint64_t actual, const char* what, const char* file, int line) {
  if (expected != actual) {
    failures()++;
    std::printf("%s:%d: %s is %llu (0x%llx), expected %llu (0x%llx)\n", file, line, what,
                static_cast<unsigned long long>(actual), static_cast<unsigned long long>(actual),
                static_cast<unsigned long long>(expected), static_cast<unsigned long long>(expected));
  }
}

}  // namespace flowstone::test

#define TEST(name)                                                                \
  static void name();                                                             \
  static const flowstone::test::Registration registration_of_##name(#name, name); \
  static void name()

#define CHECK_EQUAL(expected, actual)                                                                             \
  flowstone::test::check_equal(static_cast<uint64_t>(expected), static_cast<uint64_t>(actual), #actual, __FILE__, \
                               __LINE__)
#define CHECK(condition) CHECK_EQUAL(true, static_cast<bool>(condition))
