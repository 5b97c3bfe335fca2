// SPDX-License-Identifier: Apache-2.0
// Either engine in a card of its own: over the captures of a folder and over made packets each gives the records that the parser
// library gives under the card's profile, bit by bit but for the time, in the same order. FLOWSTONE_CAPTURES names the folder, and
// FLOWSTONE_CARD_ENGINE the engine.
#include <algorithm>
#include <filesystem>

#include "../../sim/capture_blocks.hpp"
#include "../feed/capture.hpp"
#include "../feed/generator.hpp"
#include "card_process.hpp"
#include "flowstone.h"
#include "host.hpp"

namespace flowstone::card::test {
namespace {

#define TAP(field) offsetof(fs_card_tap_registers, field)
#define STATE(field) offsetof(fs_card_ring_state, field)

constexpr uint32_t kWindowBytes = 128;

std::string engine() {
  const char* name = std::getenv("FLOWSTONE_CARD_ENGINE");
  return name == nullptr ? "model" : name;
}

HostOptions options(uint32_t ring_count, uint32_t ports = 1, uint32_t slots_log2 = 12) {
  HostOptions options;
  options.xclbin = build_folder + "/flowstone.xclbin";
  options.ring_count = ring_count;
  options.ports = ports;
  options.slots_log2 = slots_log2;
  return options;
}

/** Records of each ring, as the library makes them and the table sends them. */
std::vector<std::vector<fs_packet_record>> expected_records(Feed& feed, const HostOptions& options, uint32_t port = 0) {
  std::vector<std::vector<fs_packet_record>> rings(options.ring_count);
  fs_raw_packet packets[256];
  fs_packet_record records[256];
  for (FrameBatch batch = feed.next(packets, 256); batch.count > 0; batch = feed.next(packets, 256)) {
    for (uint32_t i = 0; i < batch.count; i++) {
      packets[i].flags = port == 0 ? uint16_t{0} : uint16_t{FS_RAW_PACKET_FLAG_INGRESS_PORT_1};
      // Over a wire comes a whole frame; what the RTL gets where its beginning alone is known is what was captured.
      if (engine() == "rtl" && packets[i].captured_bytes <= kWindowBytes) packets[i].wire_bytes = packets[i].captured_bytes;
    }
    flowstone_parse(batch.base, packets, batch.count, FS_PARSE_PROFILE_CARD, records);
    for (uint32_t i = 0; i < batch.count; i++) {
      const uint32_t group = flowstone_key_group(records[i].flow_hash, options.max_parallelism);
      rings[group * options.ring_count / options.max_parallelism].push_back(records[i]);
    }
  }
  return rings;
}

/** What was captured of the frames of captures. */
std::vector<sim::Frame> frames_of(const std::vector<std::string>& paths) {
  std::vector<sim::Frame> frames;
  CaptureFeed feed(paths, 1);
  fs_raw_packet packets[256];
  for (FrameBatch batch = feed.next(packets, 256); batch.count > 0; batch = feed.next(packets, 256)) {
    for (uint32_t i = 0; i < batch.count; i++) {
      const uint8_t* bytes = batch.base + packets[i].data_offset;
      frames.emplace_back(bytes, bytes + packets[i].captured_bytes);
    }
  }
  return frames;
}

/** The same of frames that are whole, several times over. */
std::vector<std::vector<fs_packet_record>> expected_records(const std::vector<sim::Frame>& frames, const HostOptions& options,
                                                            uint32_t port, uint32_t rounds) {
  std::vector<std::vector<fs_packet_record>> rings(options.ring_count);
  for (size_t i = 0; i < rounds * frames.size(); i++) {
    const sim::Frame& frame = frames[i % frames.size()];
    fs_raw_packet packet = {};
    packet.captured_bytes = packet.wire_bytes = static_cast<uint32_t>(frame.size());
    packet.link_type = kLinkEthernet;
    packet.flags = port == 0 ? uint16_t{0} : uint16_t{FS_RAW_PACKET_FLAG_INGRESS_PORT_1};
    fs_packet_record record;
    flowstone_parse(frame.data(), &packet, 1, FS_PARSE_PROFILE_CARD, &record);
    const uint32_t group = flowstone_key_group(record.flow_hash, options.max_parallelism);
    rings[group * options.ring_count / options.max_parallelism].push_back(record);
  }
  return rings;
}

bool is_same(fs_packet_record expected, fs_packet_record actual) {
  expected.time_low = actual.time_low = 0;
  return std::memcmp(&expected, &actual, sizeof expected) == 0;
}

void check_ring(const std::vector<fs_packet_record>& expected, const std::vector<fs_packet_record>& actual, uint32_t ring) {
  CHECK_EQUAL(expected.size(), actual.size());
  for (size_t i = 0; i < expected.size() && i < actual.size(); i++) {
    if (is_same(expected[i], actual[i])) continue;
    std::printf("ring %u, record %zu: descriptor %08x, expected %08x\n", ring, i, actual[i].descriptor, expected[i].descriptor);
    CHECK(!"a record differs");
    return;
  }
}

void run(Host& host, uint64_t packets) {
  host.keeps_records = true;
  CHECK(host.open());
  CHECK(host.start());
  CHECK(host.read_until(packets, 600'000));
  CHECK(host.stop(60'000));
  host.read_rings();
  CHECK_EQUAL(packets, host.packets());
  CHECK_EQUAL(0, host.lost());
  CHECK_EQUAL(0, host.damaged());
  for (uint32_t ring = 0; ring < host.options().ring_count; ring++) CHECK_EQUAL(0, host.check(ring).most_unexplained());
}

uint64_t count(const std::vector<std::vector<fs_packet_record>>& rings) {
  uint64_t count = 0;
  for (const auto& ring : rings) count += ring.size();
  return count;
}

/** Those of the folder that a port can take, by name. */
std::vector<std::string> captures() {
  const char* folder = std::getenv("FLOWSTONE_CAPTURES");
  std::vector<std::string> paths;
  if (folder == nullptr) return paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string end = entry.path().extension();
    if (end != ".pcap" && end != ".pcapng" && end != ".cap") continue;
    try {
      CaptureFeed feed({entry.path()}, 1);
      paths.push_back(entry.path());
    } catch (const std::exception&) {
      continue;  // of another link type
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(captures_give_the_librarys_records_in_their_order) {
  const std::vector<std::string> paths = captures();
  if (paths.empty()) {
    std::printf("SKIPPED: FLOWSTONE_CAPTURES names no folder with captures\n");
    return;
  }
  std::string feed;
  for (const std::string& path : paths) feed += (feed.empty() ? "" : ",") + path;
  for (const uint32_t ring_count : {1u, 4u}) {
    const HostOptions wanted = options(ring_count);
    CaptureFeed source(paths, 1);
    const auto expected = expected_records(source, wanted);
    CardFolder folder;
    CardProcess card(folder, {"--engine", engine(), "--feed", feed, "--pace", "wait"});
    Host host(wanted);
    run(host, count(expected));
    for (uint32_t ring = 0; ring < ring_count; ring++) check_ring(expected[ring], host.check(ring).records, ring);
    std::printf("%llu records of %zu captures, %u rings, engine %s: the same\n", static_cast<unsigned long long>(count(expected)),
                paths.size(), ring_count, engine().c_str());
  }
}

/** At most as many of them, at equal distances, as fit into one ring in all rounds of both ports. */
std::vector<sim::Frame> some_of(const std::vector<sim::Frame>& frames) {
  constexpr size_t kMost = 1500;
  const size_t stride = (frames.size() + kMost - 1) / kMost;
  std::vector<sim::Frame> some;
  for (size_t i = 0; i < frames.size(); i += stride) some.push_back(frames[i]);
  return some;
}

/** Of a card without a cable: what was captured is the frame, and its bytes come out of the card's memory. */
TEST(captures_in_the_cards_memory_give_the_librarys_records_in_each_ports_order) {
  constexpr uint32_t kRounds = 2;
  const std::vector<std::string> paths = captures();
  if (paths.empty()) {
    std::printf("SKIPPED: FLOWSTONE_CAPTURES names no folder with captures\n");
    return;
  }
  // Each ring has space for all records, so a host that is slow loses none.
  HostOptions wanted = options(4, 2, 13);
  wanted.xclbin = build_folder + "/flowstone-pcapsrc.xclbin";
  wanted.design = &kCableless;
  const std::vector<sim::Frame> frames = some_of(frames_of(paths));
  std::vector<std::vector<fs_packet_record>> expected[kPorts];
  for (uint32_t port = 0; port < kPorts; port++) expected[port] = expected_records(frames, wanted, port, kRounds);
  CardFolder folder;
  CardProcess card(folder, {"--engine", engine(), "--design", kCableless.name});
  Host host(wanted);
  host.keeps_records = true;
  CHECK(host.open());
  CHECK(host.start());
  for (uint32_t port = 0; port < kPorts; port++) {
    host.write(source_kernel(port), offsetof(fs_card_source_registers, gap_cycles), 30);
    CHECK(host.start_source(port, sim::capture_blocks(frames), kRounds) != nullptr);
  }
  CHECK(host.read_until(2 * kRounds * frames.size(), 600'000));
  CHECK(host.stop(60'000));
  host.read_rings();
  CHECK_EQUAL(2 * kRounds * frames.size(), host.packets());
  CHECK_EQUAL(0, host.lost() + host.damaged());
  for (uint32_t ring = 0; ring < wanted.ring_count; ring++) {
    std::vector<fs_packet_record> ports[kPorts];
    for (const fs_packet_record& record : host.check(ring).records) {
      ports[record.descriptor >> FS_PACKET_RECORD_INGRESS_PORT_SHIFT & FS_PACKET_RECORD_INGRESS_PORT_MASK].push_back(record);
    }
    for (uint32_t port = 0; port < kPorts; port++) check_ring(expected[port][ring], ports[port], ring);
  }
}

TEST(made_packets_of_two_ports_give_the_librarys_records_in_each_ports_order) {
  const HostOptions wanted = options(8, 2, 10);
  GeneratorFeed first({20'000, 500, 1}), second({10'000, 50, 2});
  const auto of_first = expected_records(first, wanted, 0), of_second = expected_records(second, wanted, 1);
  CardFolder folder;
  CardProcess card(folder, {"--engine", engine(), "--feed", "generator:packets=20000,flows=500,seed=1", "--feed",
                            "generator:packets=10000,flows=50,seed=2", "--pace", "wait"});
  Host host(wanted);
  run(host, count(of_first) + count(of_second));
  for (uint32_t ring = 0; ring < 8; ring++) {
    std::vector<fs_packet_record> ports[2];
    for (const fs_packet_record& record : host.check(ring).records) {
      ports[record.descriptor >> FS_PACKET_RECORD_INGRESS_PORT_SHIFT & FS_PACKET_RECORD_INGRESS_PORT_MASK].push_back(record);
    }
    check_ring(of_first[ring], ports[0], ring);
    check_ring(of_second[ring], ports[1], ring);
  }
}

TEST(a_ring_that_nobody_reads_drops_and_tells_of_all_of_it) {
  CardFolder folder;
  CardProcess card(folder, {"--engine", engine(), "--feed", "generator:packets=5000", "--pace", "max"});
  Host host(options(2, 1, 10));
  CHECK(host.open());
  CHECK(host.start());
  CHECK(card.await_state("port-0.over", "true"));
  CHECK(host.stop(60'000));
  while (host.read_rings() > 0) {
  }
  CHECK_EQUAL(5000, host.packets() + host.lost());
  CHECK(host.lost() > 2000);
  CHECK_EQUAL(0, host.unexplained());
  for (uint32_t ring = 0; ring < 2; ring++) {
    CHECK_EQUAL(host.ring(ring, STATE(dropped_packets)), host.ring(ring, STATE(lost_recorded)));
    CHECK_EQUAL(host.ring(ring, STATE(offered_packets)), host.check(ring).packets() + host.check(ring).lost());
  }
}

TEST(a_ring_hears_of_the_time_while_nothing_comes) {
  CardFolder folder;
  CardProcess card(folder, {"--engine", engine(), "--feed", "generator:packets=10"});
  Host host(options(2, 1, 10));
  CHECK(host.open());
  const uint64_t wanted_ns = 1'795'219'200'000'000'000;
  host.write(0, TAP(time_set_high), static_cast<uint32_t>(wanted_ns >> 32));
  host.write(0, TAP(time_set_low), static_cast<uint32_t>(wanted_ns));
  CHECK(host.start());
  usleep(2'500'000);
  host.read_rings();
  for (uint32_t ring = 0; ring < 2; ring++) {
    CHECK(host.check(ring).times() >= 2);
    CHECK(host.check(ring).latest_ns() > wanted_ns + 1'000'000'000);
    CHECK(host.check(ring).latest_ns() < wanted_ns + 20'000'000'000);
  }
  const uint64_t card_ns = host.port(0, TAP(time_ns));
  CHECK(card_ns > wanted_ns + 2'000'000'000 && card_ns < wanted_ns + 20'000'000'000);
  CHECK(host.stop(60'000));
  usleep(1'200'000);
  const uint64_t cpu_ms = card.cpu_ms();
  std::printf("%llu ms of CPU time in 2.5 s without traffic, engine %s\n", static_cast<unsigned long long>(cpu_ms), engine().c_str());
  CHECK(cpu_ms < 1500);
}

TEST(with_the_captures_time_records_have_it) {
  CardFolder folder;
  const std::string path = folder.path() + "/two.pcap";
  {
    const uint32_t words[] = {0xA1B23C4D, 0x00040002, 0, 0, 65535, 1, 1700000000, 123456789, 60, 60};
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(words), sizeof words).write(std::string(60, '\1').data(), 60);
    const uint32_t later[] = {1700000005, 7, 60, 60};
    file.write(reinterpret_cast<const char*>(later), sizeof later).write(std::string(60, '\1').data(), 60);
  }
  CardProcess card(folder, {"--engine", engine(), "--feed", path, "--time", "capture", "--pace", "wait"});
  Host host(options(1, 1, 10));
  run(host, 2);
  CHECK_EQUAL(2, host.check(0).records.size());
  if (host.check(0).records.size() != 2) return;
  CHECK(host.check(0).first_ns() - 1'700'000'000'123'456'789 < 1000);  // no time was told before there was one
  // The RTL takes some cycles until a frame's first beat has its time.
  const uint32_t first = static_cast<uint32_t>(1'700'000'000'123'456'789), second = static_cast<uint32_t>(1'700'000'005'000'000'007);
  CHECK(host.check(0).records[0].time_low - first < 1000);
  CHECK(host.check(0).records[1].time_low - second < 1000);
}

TEST(kernels_stop_and_start_again) {
  CardFolder folder;
  CardProcess card(folder, {"--engine", engine(), "--feed", "generator:packets=3000,rate=20000"});
  Host host(options(1, 1, 12));
  CHECK(host.open());
  CHECK(host.start());
  CHECK(host.read_until(1000));
  CHECK(host.stop(60'000));
  host.read_rings();
  const uint64_t first = host.packets();
  CHECK_EQUAL(first, host.port(0, TAP(sent_packets)));
  CHECK_EQUAL(0, host.unexplained());
  host.close();
  Host again(options(1, 1, 12));
  CHECK(again.open());
  CHECK(again.start());
  CHECK_EQUAL(0, again.ring(0, STATE(head)) >> 12);
  CHECK(card.await_state("port-0.over", "true"));
  CHECK(again.read_until(0));
  CHECK(again.stop(60'000));
  again.read_rings();
  CHECK_EQUAL(3000, first + again.packets());
  CHECK_EQUAL(0, again.unexplained());
}

}  // namespace
}  // namespace flowstone::card::test
