// SPDX-License-Identifier: Apache-2.0
// A card without a cable, whose sources send what a host has put into its memory.
#include <vector>

#include "../../sim/capture_blocks.hpp"
#include "card_books.hpp"
#include "card_process.hpp"

namespace flowstone::card::test {
namespace {

HostOptions cableless(uint32_t ports) {
  HostOptions wanted = options();
  wanted.xclbin = build_folder + "/flowstone-pcapsrc.xclbin";
  wanted.design = &kCableless;
  wanted.ports = ports;
  return wanted;
}

std::vector<uint8_t> blocks_of(size_t frames) {
  std::vector<sim::Frame> all;
  for (size_t i = 0; i < frames; i++) all.emplace_back(60 + i % 1400, static_cast<uint8_t>(i));
  return sim::capture_blocks(all);
}

TEST(a_card_without_a_cable_sends_what_a_host_has_put_into_its_memory) {
  CardFolder folder;
  CardProcess card(folder, {"--design", "u280_pcapsrc"});
  Host host(cableless(2));
  CHECK(host.open());
  CHECK(host.start());
  CHECK_EQUAL(0, host.write(source_kernel(0), offsetof(fs_card_source_registers, gap_cycles), 100));
  const xrtRunHandle first = host.start_source(0, blocks_of(1000), 3), second = host.start_source(1, blocks_of(77), 1);
  CHECK(first != nullptr && second != nullptr);
  CHECK(host.read_until(3077));
  CHECK_EQUAL(ERT_CMD_STATE_COMPLETED, xrtRunWaitFor(first, 5000));
  CHECK_EQUAL(ERT_CMD_STATE_COMPLETED, xrtRunWaitFor(second, 5000));
  CHECK_EQUAL(3000, host.read64(source_kernel(0), offsetof(fs_card_source_registers, sent_packets)));
  CHECK_EQUAL(77, host.read64(source_kernel(1), offsetof(fs_card_source_registers, sent_packets)));
  CHECK_EQUAL(0, host.read(source_kernel(0), offsetof(fs_card_source_registers, status)));
  CHECK(host.stop());
  host.read_rings();
  check_books(host);
  CHECK_EQUAL(3000, host.port(0, TAP(received_packets)));
  CHECK(card.await_state("port-0.packets", "3000"));
  CHECK(card.await_state("port-1.packets", "77"));
}

TEST(a_source_without_an_end_runs_until_it_is_stopped) {
  CardFolder folder;
  CardProcess card(folder, {"--design", "u280_pcapsrc"});
  Host host(cableless(1));
  CHECK(host.open());
  CHECK(host.start());
  const xrtRunHandle run = host.start_source(0, blocks_of(100), 0);
  CHECK(host.read_until(1000));
  CHECK_EQUAL(ERT_CMD_STATE_TIMEOUT, xrtRunWaitFor(run, 20));
  host.write(source_kernel(0), kStopOffset, 1);
  CHECK_EQUAL(ERT_CMD_STATE_COMPLETED, xrtRunWaitFor(run, 5000));
  CHECK_EQUAL(host.read64(source_kernel(0), offsetof(fs_card_source_registers, sent_packets)), host.port(0, TAP(received_packets)));
}

TEST(memory_that_refuses_a_read_shows_in_the_sources_status) {
  CardFolder folder;
  CardProcess card(folder, {"--design", "u280_pcapsrc", "--fault", "refused-read:after=500"});
  Host host(cableless(1));
  CHECK(host.open());
  CHECK(host.start());
  const xrtRunHandle run = host.start_source(0, blocks_of(1000), 0);
  CHECK_EQUAL(ERT_CMD_STATE_COMPLETED, xrtRunWaitFor(run, 5000));
  CHECK_EQUAL(1, host.read(source_kernel(0), offsetof(fs_card_source_registers, status)));
  CHECK_EQUAL(host.read64(source_kernel(0), offsetof(fs_card_source_registers, sent_packets)),
              host.port(0, TAP(received_packets)) + host.port(0, TAP(bad_packets)));
  CHECK_EQUAL(1, card.faults("refused-read"));
}

TEST(sources_say_where_their_captures_belong_and_each_design_takes_its_own_xclbin) {
  CardFolder folder;
  CardProcess card(folder, {"--design", "u280_pcapsrc"});
  {
    Host host(cableless(1));
    CHECK(host.open());
    for (uint32_t port = 0; port < kPorts; port++) {
      const xrtKernelHandle kernel = host.kernel(source_kernel(port));
      CHECK_EQUAL(static_cast<int>(kRings + port), xrtKernelArgGroupId(kernel, 0));
      CHECK_EQUAL(offsetof(fs_card_source_registers, base_address), xrtKernelArgOffset(kernel, 0));
      CHECK_EQUAL(offsetof(fs_card_source_registers, units), xrtKernelArgOffset(kernel, 1));
      CHECK_EQUAL(offsetof(fs_card_source_registers, rounds), xrtKernelArgOffset(kernel, 2));
    }
  }
  Host other(options());
  CHECK(!other.open());
}

}  // namespace
}  // namespace flowstone::card::test
