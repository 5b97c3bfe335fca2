// SPDX-License-Identifier: Apache-2.0
// emulator_test FOLDER [part of a test's name]...: FOLDER has what make built.
#include "card_process.hpp"

int main(int argument_count, char** arguments) {
  using namespace flowstone::card::test;
  if (argument_count < 2) {
    std::fprintf(stderr, "%s FOLDER [part of a test's name]...\n", arguments[0]);
    return 2;
  }
  build_folder = arguments[1];
  if (const char* program = std::getenv("FLOWSTONE_CARD_PROGRAM")) card_program = program;
  unsigned ran = 0, failed = 0;
  for (const flowstone::test::Test& test : flowstone::test::tests()) {
    bool is_named = argument_count == 2;
    for (int i = 2; i < argument_count; i++) is_named |= std::strstr(test.name, arguments[i]) != nullptr;
    if (!is_named) continue;
    ran++;
    const unsigned before = flowstone::test::failures();
    test.run();
    if (flowstone::test::failures() != before) {
      failed++;
      std::printf("FAILED %s\n", test.name);
    }
    std::fflush(stdout);
  }
  std::printf("%u tests, %u failed\n", ran, failed);
  return failed == 0 && ran > 0 ? 0 : 1;
}
