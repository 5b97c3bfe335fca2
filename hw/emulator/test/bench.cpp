// SPDX-License-Identifier: Apache-2.0
// emulator_bench FOLDER [million packets] [slots_log2]: what a packet record costs in CPU time, in the card's engine and at a host that
// copies each slot and looks at its generation. Made traffic, four rings, a wire that waits: nothing is lost, and all of it is counted.
#include <algorithm>
#include <cstdio>

#include "card_process.hpp"
#include "host.hpp"

namespace flowstone::card::test {
namespace {

constexpr int kRounds = 5;

double own_cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

struct Round {
  double card_ns, host_ns;
};

Round run(uint64_t packets, uint32_t slots_log2) {
  CardFolder folder;
  CardProcess card(folder, {"--feed", "generator:packets=" + std::to_string(packets), "--pace", "wait"});
  HostOptions options;
  options.xclbin = build_folder + "/flowstone.xclbin";
  options.slots_log2 = slots_log2;
  Host host(options);
  if (!host.open()) {
    std::printf("the card cannot be opened: %s\n", std::strerror(errno));
    return {};
  }
  CHECK(host.start());
  const double before = own_cpu_seconds();  // clearing the buffers costs once, not for each record
  CHECK(host.read_until(packets, 600'000));
  const double host_seconds = own_cpu_seconds() - before;
  CHECK(host.stop());
  host.read_rings();
  CHECK_EQUAL(packets, host.packets());
  usleep(1'200'000);
  const uint64_t card_ms = card.cpu_ms();  // before the start it did nothing
  return {static_cast<double>(card_ms) * 1e6 / static_cast<double>(packets), host_seconds * 1e9 / static_cast<double>(packets)};
}

}  // namespace
}  // namespace flowstone::card::test

int main(int argument_count, char** arguments) {
  using namespace flowstone::card::test;
  if (argument_count < 2) {
    std::fprintf(stderr, "%s FOLDER [million packets] [slots_log2]\n", arguments[0]);
    return 2;
  }
  build_folder = arguments[1];
  const uint64_t packets = (argument_count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 20) * 1'000'000;
  const uint32_t slots_log2 = argument_count > 3 ? static_cast<uint32_t>(std::strtoul(arguments[3], nullptr, 10)) : 18;
  std::vector<Round> rounds;
  for (int i = 0; i < kRounds; i++) rounds.push_back(run(packets, slots_log2));
  std::sort(rounds.begin(), rounds.end(), [](const Round& a, const Round& b) { return a.card_ns + a.host_ns < b.card_ns + b.host_ns; });
  const Round& median = rounds[kRounds / 2];
  const double sum = median.card_ns + median.host_ns;
  std::printf("%llu packets, 4 rings of 2^%u slots, median of %d rounds: card %.1f ns + host %.1f ns of CPU time a record, %.1f M records "
              "per CPU second; from %.1f to %.1f ns\n",
              static_cast<unsigned long long>(packets), slots_log2, kRounds, median.card_ns, median.host_ns, 1000 / sum,
              rounds.front().card_ns + rounds.front().host_ns, rounds.back().card_ns + rounds.back().host_ns);
  return flowstone::test::failures() == 0 ? 0 : 1;
}
