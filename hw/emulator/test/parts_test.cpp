// SPDX-License-Identifier: Apache-2.0
// The card's memory, its mailbox, its feeds, its command line.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

#include "../device/mailbox.hpp"
#include "../device/memory.hpp"
#include "../feed/capture.hpp"
#include "../feed/generator.hpp"
#include "../feed/pipe.hpp"
#include "../feed/wire.hpp"
#include "../process/options.hpp"
#include "card_process.hpp"
#include "ring_check.hpp"

namespace flowstone::card::test {
namespace {

// ---- Memory ----

TEST(a_bank_gives_out_its_first_gap_and_no_more_than_it_has) {
  DeviceMemory memory;
  const uint64_t first = *memory.allocate(1, 100);
  const uint64_t second = *memory.allocate(1, kPageBytes);
  CHECK_EQUAL(kBankBytes, first);
  CHECK_EQUAL(kBankBytes + kPageBytes, second);
  memory.free(first);
  CHECK_EQUAL(first, *memory.allocate(1, 5));
  CHECK_EQUAL(2 * kPageBytes, memory.used_bytes());
  CHECK(!memory.allocate(1, kBankBytes).has_value());
  CHECK(!memory.allocate(kBanks, 1).has_value());
  CHECK(!memory.allocate(0, 0).has_value());
  CHECK(memory.allocate(2, 2 * kPageBytes).has_value());
}

TEST(fresh_memory_looks_like_packets_and_freed_memory_keeps_its_bytes) {
  DeviceMemory memory;
  const uint64_t address = *memory.allocate(0, kPageBytes);
  const auto* slots = reinterpret_cast<const fs_packet_record*>(memory.at(address));
  CHECK_EQUAL(1, generation_of(slots[0]));
  CHECK_EQUAL(FS_RECORD_KIND_IPV4, kind_of(slots[63]));
  memory.at(address)[0] = 77;
  memory.free(address);
  CHECK_EQUAL(address, *memory.allocate(0, 2 * kPageBytes));
  CHECK_EQUAL(77, memory.at(address)[0]);
  CHECK_EQUAL(1, generation_of(slots[64]));
}

// ---- Mailbox ----

TEST(whoever_asks_has_an_answer_and_none_when_the_owner_is_gone) {
  Mailbox mailbox;
  int answers = 0;
  std::thread owner([&] {
    while (!mailbox.is_closed() && answers < 2) {
      mailbox.sleep_until(std::chrono::steady_clock::now() + std::chrono::seconds(1));
      mailbox.serve();
    }
    mailbox.close();
  });
  CHECK(mailbox.ask([&] { answers++; }));
  CHECK(mailbox.ask([&] { answers++; }));
  owner.join();
  CHECK(!mailbox.ask([&] { answers++; }));
  CHECK_EQUAL(2, answers);
}

// ---- Feeds ----

class ByteFile {
 public:
  explicit ByteFile(const CardFolder& folder, const char* name = "file") : path_(folder.path() + "/" + name) {}
  bool is_swapped = false;

  ByteFile& u16(uint16_t value) { return number(is_swapped ? __builtin_bswap16(value) : value); }
  ByteFile& u32(uint32_t value) { return number(is_swapped ? __builtin_bswap32(value) : value); }
  ByteFile& bytes(size_t count, uint8_t value) {
    bytes_.append(count, static_cast<char>(value));
    return *this;
  }
  const std::string& write() {
    std::ofstream(path_, std::ios::binary) << bytes_;
    return path_;
  }
  const std::string& bytes_so_far() const { return bytes_; }

  ByteFile& pcap_header(uint32_t magic, uint32_t link_type) { return u32(magic).u16(2).u16(4).u32(0).u32(0).u32(65535).u32(link_type); }
  ByteFile& pcap_record(uint32_t seconds, uint32_t fraction, uint32_t captured, uint32_t wire, uint8_t value) {
    return u32(seconds).u32(fraction).u32(captured).u32(wire).bytes(captured, value);
  }
  ByteFile& section() { return u32(0x0A0D0D0A).u32(28).u32(0x1A2B3C4D).u16(1).u16(0).u32(0xFFFFFFFF).u32(0xFFFFFFFF).u32(28); }
  /** Times in nanoseconds: option if_tsresol = 9. */
  ByteFile& interface(uint16_t link_type) {
    return u32(1).u32(32).u16(link_type).u16(0).u32(0).u16(9).u16(1).bytes(1, 9).bytes(3, 0).u16(0).u16(0).u32(32);
  }
  ByteFile& enhanced(uint32_t interface, uint64_t time, uint32_t captured, uint32_t wire, uint8_t value) {
    const uint32_t padded = (captured + 3) / 4 * 4;
    return u32(6).u32(32 + padded).u32(interface).u32(static_cast<uint32_t>(time >> 32)).u32(static_cast<uint32_t>(time)).u32(captured)
        .u32(wire).bytes(captured, value).bytes(padded - captured, 0).u32(32 + padded);
  }

 private:
  template <typename Number>
  ByteFile& number(Number value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  std::string path_;
  std::string bytes_;
};

std::string problem_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& problem) {
    return problem.what();
  }
  return "";
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(a_pcap_file_in_either_byte_order_gives_its_frames) {
  for (const bool is_swapped : {false, true}) {
    CardFolder folder;
    ByteFile file(folder);
    file.is_swapped = is_swapped;
    file.pcap_header(0xA1B2C3D4, 1).pcap_record(5, 7, 60, 1500, 0xAB).pcap_record(6, 0, 0, 60, 0).pcap_record(7, 1, 64, 64, 0xCD);
    CaptureFeed feed({file.write()}, 1);
    fs_raw_packet packets[8];
    const FrameBatch batch = feed.next(packets, 8);
    CHECK_EQUAL(2, batch.count);
    CHECK_EQUAL(5'000'007'000, packets[0].time_ns);
    CHECK_EQUAL(60, packets[0].captured_bytes);
    CHECK_EQUAL(1500, packets[0].wire_bytes);
    CHECK_EQUAL(0xAB, batch.base[packets[0].data_offset + 59]);
    CHECK_EQUAL(0xCD, batch.base[packets[1].data_offset]);
    CHECK_EQUAL(1, feed.skipped_packets());  // no byte, no frame
    CHECK_EQUAL(0, feed.next(packets, 8).count);
  }
}

TEST(a_pcapng_file_in_either_byte_order_gives_its_ethernet_frames) {
  for (const bool is_swapped : {false, true}) {
    CardFolder folder;
    ByteFile file(folder);
    file.is_swapped = is_swapped;
    file.section().interface(1).interface(113).enhanced(0, 1'700'000'000'123'456'789, 61, 61, 0x11).enhanced(1, 0, 60, 60, 0x22);
    file.u32(3).u32(16 + 60).u32(60).bytes(60, 0x33).u32(16 + 60);
    CaptureFeed feed({file.write()}, 1);
    fs_raw_packet packets[8];
    const FrameBatch batch = feed.next(packets, 8);
    CHECK_EQUAL(2, batch.count);
    CHECK_EQUAL(1'700'000'000'123'456'789, packets[0].time_ns);
    CHECK_EQUAL(61, packets[0].captured_bytes);
    CHECK_EQUAL(0x11, batch.base[packets[0].data_offset + 60]);
    CHECK_EQUAL(0x33, batch.base[packets[1].data_offset]);
    CHECK_EQUAL(1, feed.skipped_packets());
  }
}

TEST(captures_come_one_after_the_other_and_again) {
  CardFolder folder;
  const std::string first = ByteFile(folder, "first").pcap_header(0xA1B23C4D, 1).pcap_record(1, 2, 60, 60, 1).write();
  const std::string second = ByteFile(folder, "second").pcap_header(0xA1B23C4D, 1).pcap_record(1, 3, 60, 60, 2).write();
  CaptureFeed feed({first, second}, 2);
  fs_raw_packet packets[8];
  for (const uint64_t time_ns : {1'000'000'002, 1'000'000'003, 1'000'000'002, 1'000'000'003}) {
    CHECK_EQUAL(1, feed.next(packets, 8).count);
    CHECK_EQUAL(time_ns, packets[0].time_ns);
  }
  CHECK_EQUAL(0, feed.next(packets, 8).count);
  CHECK_EQUAL(0, feed.next(packets, 8).count);
}

TEST(a_file_that_is_cut_gives_what_is_whole) {
  CardFolder folder;
  ByteFile file(folder);
  file.pcap_header(0xA1B2C3D4, 1).pcap_record(1, 0, 60, 60, 1).u32(2).u32(0).u32(60).u32(60).bytes(30, 2);
  CaptureFeed feed({file.write()}, 1);
  fs_raw_packet packets[8];
  CHECK_EQUAL(1, feed.next(packets, 8).count);
  CHECK_EQUAL(0, feed.next(packets, 8).count);
  CHECK_EQUAL(1, feed.skipped_packets());
}

TEST(what_is_no_capture_of_ethernet_is_refused_by_name) {
  CardFolder folder;
  const std::string cooked = ByteFile(folder, "cooked").pcap_header(0xA1B2C3D4, 113).pcap_record(1, 0, 60, 60, 1).write();
  const std::string text = ByteFile(folder, "text").bytes(100, 'x').write();
  CHECK(has(problem_of([&] { CaptureFeed({cooked}, 1); }), "link type 113"));
  CHECK(has(problem_of([&] { CaptureFeed({text}, 1); }), "neither pcap nor pcapng"));
  CHECK(has(problem_of([&] { CaptureFeed({folder.path() + "/none"}, 1); }), "cannot be opened"));
}

/** The end of a pipe at which frames go in; opened when the wire has looked once. */
class PipeEnd {
 public:
  PipeEnd(PipeFeed& feed, const std::string& path) {
    fs_raw_packet packet;
    CHECK_EQUAL(0, feed.next(&packet, 1).count);
    CHECK(!feed.has_ended());
    file_ = open(path.c_str(), O_WRONLY | O_NONBLOCK);
    CHECK(file_ >= 0);
  }
  ~PipeEnd() { end(); }
  void send(const std::string& bytes) { CHECK_EQUAL(bytes.size(), static_cast<size_t>(write(file_, bytes.data(), bytes.size()))); }
  /** Whether somebody has the pipe open to read. */
  bool is_heard() const {
    pollfd look{file_, POLLOUT, 0};
    CHECK(poll(&look, 1, 0) >= 0);
    return (look.revents & POLLERR) == 0;
  }
  void end() {
    if (file_ >= 0) close(file_);
    file_ = -1;
  }

 private:
  int file_;
};

TEST(frames_come_through_a_pipe_as_they_are_sent) {
  for (const bool is_swapped : {false, true}) {
    CardFolder folder;
    const std::string path = folder.path() + "/pipe";
    PipeFeed feed(path);
    PipeEnd sender(feed, path);
    ByteFile file(folder);
    file.is_swapped = is_swapped;
    const std::string sent = file.pcap_header(0xA1B23C4D, 1).pcap_record(5, 7, 60, 1500, 0xAB).pcap_record(6, 1, 64, 64, 0xCD).bytes_so_far();
    fs_raw_packet packets[8];
    sender.send(sent.substr(0, 10));
    CHECK_EQUAL(0, feed.next(packets, 8).count);
    sender.send(sent.substr(10, 24 + 16 + 60 + 16 + 63 - 10));
    FrameBatch batch = feed.next(packets, 8);
    CHECK_EQUAL(1, batch.count);
    CHECK_EQUAL(5'000'000'007, packets[0].time_ns);
    CHECK_EQUAL(1500, packets[0].wire_bytes);
    CHECK_EQUAL(0xAB, batch.base[packets[0].data_offset + 59]);
    CHECK_EQUAL(0, feed.next(packets, 8).count);
    CHECK(!feed.has_ended());
    sender.send(sent.substr(sent.size() - 1));
    batch = feed.next(packets, 8);
    CHECK_EQUAL(1, batch.count);
    CHECK_EQUAL(0xCD, batch.base[packets[0].data_offset + 63]);
    sender.end();
    CHECK_EQUAL(0, feed.next(packets, 8).count);
    CHECK(feed.has_ended());
    CHECK_EQUAL(0, feed.skipped_packets());
  }
}

/** More than the buffer holds, in pieces that end anywhere. */
TEST(a_pipe_may_carry_more_than_fits_anywhere) {
  CardFolder folder;
  const std::string path = folder.path() + "/pipe";
  PipeFeed feed(path);
  PipeEnd sender(feed, path);
  ByteFile file(folder);
  file.pcap_header(0xA1B2C3D4, 1);
  constexpr uint32_t kFrames = 40'000;
  for (uint32_t i = 0; i < kFrames; i++) file.pcap_record(i, 0, 60 + i % 100, 200, static_cast<uint8_t>(i));
  const std::string sent = file.bytes_so_far();
  CHECK(sent.size() > 3'000'000);
  fs_raw_packet packets[100];
  uint32_t count = 0;
  for (size_t at = 0; at < sent.size() || count < kFrames;) {
    if (at < sent.size()) {
      const std::string piece = sent.substr(at, 9973);
      sender.send(piece);
      at += piece.size();
    }
    for (int look = 0; look < 2; look++) {
      const FrameBatch batch = feed.next(packets, 100);
      for (uint32_t i = 0; i < batch.count; i++, count++) {
        CHECK_EQUAL(uint64_t{count} * 1'000'000'000, packets[i].time_ns);
        CHECK_EQUAL(60 + count % 100, packets[i].captured_bytes);
        CHECK_EQUAL(static_cast<uint8_t>(count), batch.base[packets[i].data_offset + 59]);
      }
    }
  }
  CHECK_EQUAL(kFrames, count);
}

TEST(what_is_wrong_in_a_pipe_ends_it) {
  const auto skipped = [](const std::function<void(ByteFile&)>& write) {
    CardFolder folder;
    const std::string path = folder.path() + "/pipe";
    PipeFeed feed(path);
    PipeEnd sender(feed, path);
    ByteFile file(folder);
    write(file);
    sender.send(file.bytes_so_far());
    sender.end();
    fs_raw_packet packets[8];
    while (feed.next(packets, 8).count > 0) {
    }
    feed.next(packets, 8);
    CHECK(feed.has_ended());
    return feed.skipped_packets();
  };
  CHECK_EQUAL(1, skipped([](ByteFile& file) { file.bytes(10, 'x'); }));
  CHECK_EQUAL(1, skipped([](ByteFile& file) { file.bytes(100, 'x'); }));
  CHECK_EQUAL(1, skipped([](ByteFile& file) { file.pcap_header(0xA1B2C3D4, 113).pcap_record(1, 0, 60, 60, 1); }));
  CHECK_EQUAL(1, skipped([](ByteFile& file) { file.pcap_header(0xA1B2C3D4, 1).pcap_record(1, 0, 60, 60, 1).u32(1); }));
  CHECK_EQUAL(1, skipped([](ByteFile& file) { file.pcap_header(0xA1B2C3D4, 1).u32(1).u32(0).u32(1u << 30).u32(60); }));
  CHECK_EQUAL(1, skipped([](ByteFile& file) { file.pcap_header(0xA1B2C3D4, 1).pcap_record(1, 0, 0, 60, 1); }));
  CardFolder folder;
  const std::string path = folder.path() + "/pipe";
  PipeFeed feed(path);
  PipeEnd sender(feed, path);
  sender.send(std::string(100, 'x'));
  fs_raw_packet packet;
  feed.next(&packet, 1);
  CHECK(!sender.is_heard());
  CHECK(has(problem_of([&] { PipeFeed(ByteFile(folder, "file").bytes(1, 'x').write()); }), "is no pipe"));
  CHECK(has(problem_of([&] { PipeFeed(folder.path() + "/none/pipe"); }), "cannot make the pipe"));
}

TEST(a_wire_looks_again_where_its_feed_has_nothing_yet) {
  CardFolder folder;
  const std::string path = folder.path() + "/pipe";
  auto feed = std::make_unique<PipeFeed>(path);
  PipeEnd sender(*feed, path);
  Wire wire(std::move(feed), {Pace::Kind::kMost, 0});
  wire.resume(1000);
  CHECK_EQUAL(0, wire.arrived(5000).count);
  CHECK_EQUAL(5000 + Wire::kLookNs, wire.next_ns());
  CHECK(!wire.is_over());
  sender.send(ByteFile(folder).pcap_header(0xA1B2C3D4, 1).pcap_record(1, 0, 60, 60, 1).bytes_so_far());
  sender.end();
  CHECK_EQUAL(1, wire.arrived(6000).count);
  wire.take(1);
  CHECK_EQUAL(0, wire.arrived(7000).count);
  CHECK(wire.is_over());
}

TEST(a_generator_sends_as_many_packets_as_it_is_told_and_the_same_each_time) {
  GeneratorFeed first({40'000, 16, 3}), second({40'000, 16, 3});
  fs_raw_packet packets[1024], others[1024];
  uint64_t count = 0;
  for (FrameBatch batch = first.next(packets, 1024); batch.count > 0; batch = first.next(packets, 1024)) {
    const FrameBatch other = second.next(others, 1024);
    CHECK_EQUAL(batch.count, other.count);
    CHECK(std::memcmp(packets, others, batch.count * sizeof packets[0]) == 0);
    CHECK(std::memcmp(batch.base + packets[0].data_offset, other.base + others[0].data_offset, packets[0].captured_bytes) == 0);
    count += batch.count;
  }
  CHECK_EQUAL(40'000, count);
}

TEST(a_wire_brings_what_its_rate_says_by_now_and_no_more) {
  Wire wire(std::make_unique<GeneratorFeed>(GeneratorOptions{5000, 16, 1}), {Pace::Kind::kRate, 1'000'000});
  wire.resume(1'000'000'000);
  CHECK_EQUAL(0, wire.arrived(1'000'000'500).count);
  CHECK_EQUAL(100, wire.arrived(1'000'100'000).count);
  wire.take(40);
  CHECK_EQUAL(60, wire.arrived(1'000'100'000).count);
  CHECK_EQUAL(40, wire.taken_packets());
  CHECK_EQUAL(Wire::kBatch - 40, wire.arrived(2'000'000'000).count);
  CHECK(!wire.is_over());
}

TEST(a_wire_at_the_captures_pace_keeps_its_gaps) {
  CardFolder folder;
  ByteFile file(folder);
  file.pcap_header(0xA1B23C4D, 1).pcap_record(9, 0, 60, 60, 1).pcap_record(9, 500, 60, 60, 1).pcap_record(8, 0, 60, 60, 1);
  Wire wire(std::make_unique<CaptureFeed>(std::vector<std::string>{file.pcap_record(9, 900, 60, 60, 1).write()}, 1),
            {Pace::Kind::kCapture, 0});
  wire.resume(1000);
  CHECK_EQUAL(1, wire.arrived(1000).count);
  wire.take(1);
  CHECK_EQUAL(0, wire.arrived(1499).count);
  CHECK_EQUAL(1500, wire.next_ns());
  CHECK_EQUAL(2, wire.arrived(1500).count);  // the third says that it is earlier
  wire.take(2);
  CHECK_EQUAL(1, wire.arrived(1900).count);
  wire.take(1);
  CHECK_EQUAL(0, wire.arrived(2000).count);
  CHECK(wire.is_over());
  CHECK_EQUAL(UINT64_MAX, wire.next_ns());
}

// ---- Command line and faults ----

TEST(the_command_line_says_what_is_wrong_with_it) {
  const auto problem = [](std::vector<std::string> arguments) { return problem_of([&] { parse_options(arguments); }); };
  CHECK(has(problem({}), "--folder"));
  CHECK(has(problem({"--folder"}), "needs a value"));
  CHECK(has(problem({"--folder", "f", "--frobnicate", "1"}), "--frobnicate"));
  CHECK(has(problem({"--folder", "f", "--pace", "0"}), "--pace"));
  CHECK(has(problem({"--folder", "f", "--pace", "-1"}), "whole number"));
  CHECK(has(problem({"--folder", "f", "--time", "wall"}), "neither card nor capture"));
  CHECK(has(problem({"--folder", "f", "--feed", "a", "--feed", "b", "--feed", "c"}), "2 ports"));
  CHECK(has(problem({"--folder", "f", "--feed", "generator", "--time", "capture"}), "has no times"));
  CHECK(problem({"--folder", "f", "--feed", "pipe:p", "--time", "capture"}).empty());
  CHECK(has(problem({"--folder", "f", "--design", "u250"}), "u280_pcapsrc"));
  CHECK(has(problem({"--folder", "f", "--design", "u280_pcapsrc", "--feed", "generator"}), "leave --feed and --time out"));
  CHECK(has(problem({"--folder", "f", "--design", "u280_pcapsrc", "--time", "capture"}), "leave --feed and --time out"));
  CHECK(has(problem({"--folder", "f", "--fault", "refused-read"}), "add --design u280_pcapsrc"));
  CHECK(problem({"--folder", "f", "--design", "u280_pcapsrc", "--fault", "refused-read"}).empty());
  CHECK(has(problem({"--folder", "f", "--fault", "earthquake"}), "late-head"));
  CHECK(has(problem({"--folder", "f", "--fault", "hang:when=now"}), "\"when\""));
  CHECK(problem({"--folder", "f", "--fault", "late-head:after=5,every=10,count=3,ring=1,delay-us=1,slots=2"}).empty());
}

TEST(a_file_of_faults_is_read_by_lines) {
  CardFolder folder;
  const std::string path = folder.path() + "/faults";
  std::ofstream(path) << "# what goes wrong\nlate-head:after=10 # soon\n\nhang\n";
  const std::vector<FaultSpec> faults = read_faults(path);
  CHECK_EQUAL(2, faults.size());
  CHECK_EQUAL(10, faults[0].after);
  CHECK(faults[1].kind == FaultKind::kHang);
  std::ofstream(path) << "hang\nhank\n";
  CHECK(has(problem_of([&] { read_faults(path); }), "faults:2: "));
  CHECK(has(problem_of([&] { read_faults(path + "s"); }), "cannot be read"));
}

TEST(a_trigger_is_due_after_so_much_then_each_so_much_so_often) {
  FaultSpec spec{FaultKind::kDuplicate};
  spec.after = 100;
  spec.every = 50;
  spec.count = 2;
  FaultTrigger trigger(spec);
  CHECK(!trigger.is_due(99));
  CHECK(trigger.is_due(110));
  CHECK(!trigger.is_due(159));
  CHECK(trigger.is_due(160));
  CHECK(!trigger.is_due(1000));
}

}  // namespace
}  // namespace flowstone::card::test
