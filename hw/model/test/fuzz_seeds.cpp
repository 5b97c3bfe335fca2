// SPDX-License-Identifier: Apache-2.0
// fuzz_seeds FOLDER: writes each odd frame as an input of the fuzzer.
#include <cstdio>
#include <string>

#include "frame_builder.hpp"
#include "fuzz_input.hpp"

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
    return 2;
  }
  unsigned number = 0;
  for (const auto& odd : flowstone::test::odd_frames()) {
    const std::string path = std::string(arguments[1]) + "/frame-" + std::to_string(number++);
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) {
      std::perror(path.c_str());
      return 1;
    }
    unsigned char prefix[flowstone::test::kFuzzPrefixBytes] = {};
    prefix[0] = static_cast<unsigned char>(odd.frame.link_type & 255);
    prefix[1] = static_cast<unsigned char>(odd.frame.link_type >> 8);
    std::fwrite(prefix, 1, sizeof prefix, file);
    std::fwrite(odd.frame.bytes.data(), 1, odd.frame.bytes.size(), file);
    std::fclose(file);
  }
  std::printf("%u seeds in %s\n", number, arguments[1]);
  return 0;
}
