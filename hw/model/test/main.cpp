// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

int main() {
  for (const auto& test : flowstone::test::tests()) {
    const unsigned before = flowstone::test::failures();
    test.run();
    if (flowstone::test::failures() != before) {
      std::printf("FAILED %s\n", test.name);
    }
  }
  std::printf("%zu tests, %u failed checks\n", flowstone::test::tests().size(), flowstone::test::failures());
  return flowstone::test::failures() == 0 ? 0 : 1;
}
