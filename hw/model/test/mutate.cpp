// SPDX-License-Identifier: Apache-2.0
// mutate COUNT [SEED]: parses that many damaged packets, checks what holds for every one, and packs their records.
#include <cstdio>
#include <cstdlib>

#include "mutation.hpp"
#include "packing.hpp"
#include "properties.hpp"

int main(int argument_count, char** arguments) {
  using namespace flowstone::test;
  const uint64_t count = argument_count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 10'000'000;
  const uint64_t seed = argument_count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  Mutator mutator(seed, odd_frames());
  constexpr size_t kBatch = 1'000;
  Packing packing(kBatch);
  Random random(seed);
  std::vector<fs_packet_record> batch;
  uint64_t with_tuple = 0;
  for (uint64_t round = 0; round < count; round++) {
    if (round % 1'000'000 == 0 && round > 0) {
      std::printf("%llu of %llu packets\n", static_cast<unsigned long long>(round), static_cast<unsigned long long>(count));
      std::fflush(stdout);
    }
    const fs_raw_packet packet = mutator.next();
    const char* broken = broken_property(mutator.data(), packet);
    if (broken != nullptr) {
      std::printf("seed %llu, round %llu: does not hold: %s\nlink type %u, flags %u, bytes",
                  static_cast<unsigned long long>(seed), static_cast<unsigned long long>(round), broken,
                  packet.link_type, packet.flags);
      for (uint32_t index = 0; index < packet.captured_bytes; index++) {
        std::printf(" %02x", mutator.data()[index]);
      }
      std::printf("\n");
      return 1;
    }
    fs_packet_record record;
    flowstone_parse(mutator.data(), &packet, 1, FS_PARSE_PROFILE_SOFTWARE, &record);
    with_tuple += is_other(record) ? 0 : 1;
    batch.push_back(record);
    if (batch.size() == kBatch) {
      if (packing.pack(batch).empty() || packing.pack(wild_packets(random, kBatch)).empty() ||
          !packing.kept_to_its_memory()) {
        std::printf("seed %llu, round %llu: does not hold: records are packed, in the memory for it\n",
                    static_cast<unsigned long long>(seed), static_cast<unsigned long long>(round));
        return 1;
      }
      batch.clear();
    }
  }
  std::printf("%llu mutated packets, seed %llu: every property holds; %llu had a tuple\n",
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(with_tuple));
  return 0;
}
