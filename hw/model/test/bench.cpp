// SPDX-License-Identifier: Apache-2.0
// bench: packets per second of the parser, and of parser and scatter, on one core, with a made mix of packets: IPv4
// 85 %, TCP 75 %, one VLAN tag 20 %, ARP 0.5 %, random addresses and ports. Nothing is drawn from a pattern that a
// branch predictor could learn. Time is this thread's CPU time, so that other load on the machine disturbs less. Prints
// the median and the spread of the rounds.
#include <time.h>

#include <algorithm>
#include <cstdio>

#include "mutation.hpp"

namespace flowstone::test {
namespace {

constexpr uint32_t kPackets = 65'536;
constexpr uint32_t kBatch = 1'024;
constexpr int kRounds = 31;
constexpr uint32_t kMaxParallelism = 128;
constexpr uint32_t kSlotsLog2 = 16;

struct Traffic {
  std::vector<uint8_t> bytes;
  std::vector<fs_raw_packet> packets;
  std::vector<fs_packet_record> records = std::vector<fs_packet_record>(kBatch);
};

void append(Traffic& traffic, const std::vector<uint8_t>& frame, uint32_t wire_bytes) {
  fs_raw_packet packet = {};
  packet.data_offset = traffic.bytes.size();
  packet.time_ns = 1'700'000'000'000'000'000 + traffic.packets.size() * 70;
  packet.captured_bytes = static_cast<uint32_t>(frame.size());
  packet.wire_bytes = wire_bytes;
  packet.link_type = 1;
  traffic.packets.push_back(packet);
  traffic.bytes.insert(traffic.bytes.end(), frame.begin(), frame.end());
}

void randomise(Random& random, uint8_t* bytes, size_t count) {
  for (size_t index = 0; index < count; index++) {
    bytes[index] = static_cast<uint8_t>(random.next() >> 56);
  }
}

/** Frames of 64 to 1,500 bytes on the wire (7:4:1), of which no more than snap_bytes are there. */
Traffic make_traffic(uint32_t snap_bytes) {
  Random random(1);
  Traffic traffic;
  while (traffic.packets.size() < kPackets) {
    FrameBuilder frame;
    if (random.below(200) == 0) {
      append(traffic, frame.ethernet(0x0806).zeros(46).bytes, 60);
      continue;
    }
    const bool tagged = random.below(100) < 20, ipv4 = random.below(100) < 85, tcp = random.below(100) < 75;
    const uint32_t size = random.below(12);
    const unsigned payload_bytes = size < 7 ? 12 : size < 11 ? 520 : 1420;
    const unsigned layer4_bytes = payload_bytes + (tcp ? 20 : 8);
    frame.ethernet(tagged ? 0x8100 : ipv4 ? 0x0800 : 0x86DD);
    if (tagged) frame.vlan(5, ipv4 ? 0x0800 : 0x86DD);
    const size_t ip = frame.bytes.size();
    ipv4 ? frame.ipv4(tcp ? 6 : 17, layer4_bytes) : frame.ipv6(tcp ? 6 : 17, layer4_bytes);
    ipv4 ? randomise(random, frame.bytes.data() + ip + 12, 8) : randomise(random, frame.bytes.data() + ip + 8, 32);
    const unsigned port = 1024 + random.below(60000);
    tcp ? frame.tcp(port, 443) : frame.udp(443, port, layer4_bytes);
    frame.zeros(payload_bytes);
    const uint32_t wire_bytes = static_cast<uint32_t>(frame.bytes.size());
    append(traffic, frame.cut(std::min(wire_bytes, snap_bytes)).bytes, wire_bytes);
  }
  return traffic;
}

/** By the batch, always into the same records, as a tap does. */
void parse_all(Traffic& traffic) {
  for (uint32_t first = 0; first < kPackets; first += kBatch) {
    flowstone_parse(traffic.bytes.data(), traffic.packets.data() + first, kBatch, FS_PARSE_PROFILE_SOFTWARE,
                    traffic.records.data());
  }
}

/** The same, and each batch goes into four rings. */
void parse_and_scatter(Traffic& traffic, std::vector<std::vector<fs_packet_record>>& rings) {
  uint8_t table[kMaxParallelism];
  fs_ring_target targets[4] = {};
  for (uint32_t group = 0; group < kMaxParallelism; group++) {
    table[group] = static_cast<uint8_t>(group % 4);
  }
  for (int ring = 0; ring < 4; ring++) {
    targets[ring].slots_address = reinterpret_cast<uint64_t>(rings[static_cast<size_t>(ring)].data());
    targets[ring].slots_log2 = kSlotsLog2;
    targets[ring].limit = kPackets;
    targets[ring].time_base_ns = traffic.packets[0].time_ns;
  }
  uint32_t ring = 0, reason = 0;
  for (uint32_t first = 0; first < kPackets; first += kBatch) {
    const fs_raw_packet* packets = traffic.packets.data() + first;
    flowstone_parse(traffic.bytes.data(), packets, kBatch, FS_PARSE_PROFILE_SOFTWARE, traffic.records.data());
    const uint32_t placed = flowstone_scatter(packets, traffic.records.data(), 0, 0, kBatch, table, kMaxParallelism,
                                              targets, &ring, &reason);
    if (placed != kBatch) {
      std::printf("scatter stopped at %u, reason %u\n", placed, reason);
      return;
    }
  }
}

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

template <typename Work>
void measure(const char* what, Work work) {
  std::vector<double> millions_per_second;
  work();  // warm
  for (int round = 0; round < kRounds; round++) {
    const double start_seconds = cpu_seconds();
    work();
    const double seconds = cpu_seconds() - start_seconds;
    millions_per_second.push_back(kPackets / seconds / 1e6);
  }
  std::sort(millions_per_second.begin(), millions_per_second.end());
  std::printf("%-52s median %6.1f Mpps, %.1f to %.1f in %d rounds\n", what, millions_per_second[kRounds / 2],
              millions_per_second.front(), millions_per_second.back(), kRounds);
}

void run() {
  Traffic snapped = make_traffic(96), whole = make_traffic(1514);
  std::vector<std::vector<fs_packet_record>> rings(4, std::vector<fs_packet_record>(1u << kSlotsLog2));
  Traffic small = snapped;
  measure("parse, 1,024 packets again and again (cache)", [&] {
    for (uint32_t first = 0; first < kPackets; first += kBatch) {
      flowstone_parse(small.bytes.data(), small.packets.data(), kBatch, FS_PARSE_PROFILE_SOFTWARE,
                      small.records.data());
    }
  });
  measure("parse, 65,536 packets cut to 96 bytes", [&] { parse_all(snapped); });
  measure("parse, 65,536 whole packets", [&] { parse_all(whole); });
  measure("parse and scatter, 65,536 whole packets, 4 rings", [&] { parse_and_scatter(whole, rings); });
}

}  // namespace
}  // namespace flowstone::test

int main() { flowstone::test::run(); }
