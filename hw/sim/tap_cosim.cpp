// SPDX-License-Identifier: Apache-2.0
// tap_cosim [--seed N] FILE...: the frames of captures through ht_tap, as the card would get them: what was captured is the frame.
#include "pcap.hpp"
#include "tap_expected.hpp"

namespace {

constexpr uint32_t kEthernet = 1;

}  // namespace

int main(int argument_count, char** paths) {
  using namespace flowstone::sim;
  uint64_t compared = 0;
  unsigned files = 0, passed_over = 0;
  for (int i = take_options(argument_count, paths); i < argument_count; i++) {
    const Capture capture = PcapFile::read(paths[i]);
    if (!capture.problem.empty() || capture.link_type != kEthernet) {
      std::printf("passed over: %s %s\n", paths[i],
                  capture.problem.empty() ? "has another link type than Ethernet" : capture.problem.c_str());
      passed_over++;
      continue;
    }
    flowstone::test::Random random(seed);
    Tap tap(random);
    std::vector<Expected> expected;
    for (const std::vector<uint8_t>& frame : capture.frames) {
      if (frame.empty()) continue;
      const uint32_t bytes = static_cast<uint32_t>(frame.size());
      expected.push_back(expect(tap, frame.data(), bytes, 0));
      expected.back().first_cycle = tap.send(frame.data(), bytes);
    }
    tap.idle(200);
    const unsigned before = flowstone::test::failures();
    check_all(tap, expected);
    if (flowstone::test::failures() != before) std::printf("FAILED %s\n", paths[i]);
    compared += expected.size();
    files++;
  }
  std::printf("%" PRIu64 " records of %u captures compared, %u passed over, %u failed checks, seed %" PRIu64 "\n", compared, files,
              passed_over, flowstone::test::failures(), seed);
  return flowstone::test::failures() == 0 && files > 0 ? 0 : 1;
}
