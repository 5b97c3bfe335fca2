// SPDX-License-Identifier: Apache-2.0
// A producer of one ring that knows nothing but docs/formats/ring-protocol.md and the layouts.
//
//   ring-producer FOLDER SLOTS_LOG2
//
// Makes the folder's ring, says "ready", and obeys lines of standard input, each answered by a line of counters:
//   write N    offers N packets in batches; the ring drops what finds no room
//   fill N     offers a batch of N packets, and does not publish it yet
//   lose N     N packets never reached this producer
//   end        says the last word
// The end of input without that is the death of a producer.
#include <inttypes.h>
#include <sys/random.h>

#include "ring.hpp"

namespace conformance {
namespace {

constexpr uint32_t kFrameBytes = 74;
constexpr uint64_t kBatchPackets = 64;
/** Between batches, so that readers on a small machine have a part in it. */
constexpr timespec kBatchPause = {0, 20000};
constexpr uint32_t kMaxParallelism = 128;
/** Two slots are left for the last LOSS and TIME record of all. */
constexpr uint64_t kFinalSlots = 2;
constexpr uint64_t kTimeIntervalSlots = 1 << 16;
constexpr int kLockTries = 20;
constexpr timespec kLockPause = {0, 5000000};
constexpr size_t kPathBytes = 4096;
constexpr size_t kLongestName = 32;

struct Path {
  char text[kPathBytes];

  __attribute__((format(printf, 3, 0))) Path(const char* folder, const char* name_format, uint32_t ring = 0) {
    const size_t length = strlen(folder);
    if (length > sizeof text - kLongestName - 1) {
      fail("%s: a path of %zu bytes is too long", folder, length);
    }
    memcpy(text, folder, length);
    text[length] = '/';
    snprintf(text + length + 1, kLongestName, name_format, ring);
  }
};

uint64_t random_word() {
  uint64_t word;
  if (getrandom(&word, sizeof word, 0) != sizeof word) {
    fail("getrandom: %s", strerror(errno));
  }
  return word;
}

// ---- Making the file: steps 1 to 6 ----

void take_folder(const char* folder) {
  mkdir(folder, 0700);
  const Path lock(folder, "tap.lock");
  const int file = open(lock.text, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  for (int tries = 0; file >= 0 && tries < kLockTries; tries++) {
    if (flock(file, LOCK_EX | LOCK_NB) == 0) {
      return;  // The descriptor stays open: the lock ends with the process.
    }
    nanosleep(&kLockPause, nullptr);
  }
  fail("%s: another tap fills these rings", folder);
}

constexpr const char* kRingName = "ring-%03u.ring";
constexpr const char* kTemporaryName = ".ring-%03u.tmp";

/** Removes an earlier producer's files of that name, from a ring's number on. */
void remove_from(const char* folder, const char* name_format, uint32_t first_ring) {
  for (uint32_t ring = first_ring; ring < FS_RING_FILE_HEADER_MAX_RINGS; ring++) {
    unlink(Path(folder, name_format, ring).text);
  }
}

void inherit(const char* former_path, fs_ring_file_header& header) {
  Ring former;
  if (!open_ring(former_path, former)) {
    const uint64_t tap = random_word() % (FS_RING_FILE_HEADER_STREAM_TAP_MASK >> 1) + 1;
    header.stream = tap << FS_RING_FILE_HEADER_STREAM_TAP_SHIFT | header.ring;
    return;
  }
  header.stream = former.header->stream;
  header.lineage[0] = {former.header->incarnation, load_acquire(former.header->offered_packets),
                       load_acquire(former.header->lost_before_tap)};
  header.lineage_count = 1;
  const uint32_t known = former.header->lineage_count;
  for (uint32_t i = 0; i < known && header.lineage_count < FS_RING_FILE_HEADER_LINEAGE_ENTRIES; i++) {
    header.lineage[header.lineage_count++] = former.header->lineage[i];
  }
}

Ring make_ring(const char* folder, uint32_t slots_log2) {
  const Path temporary(folder, kTemporaryName);
  const Path path(folder, kRingName);
  const int file = open(temporary.text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) {
    fail("%s: cannot make it: %s", temporary.text, strerror(errno));
  }
  const uint64_t block_bytes = static_cast<uint64_t>(status.st_blksize);
  const uint64_t wanted_bytes =
      FS_RING_FILE_HEADER_HEADER_BYTES + (uint64_t{sizeof(fs_packet_record)} << slots_log2);
  const uint64_t size_bytes = (wanted_bytes + block_bytes - 1) / block_bytes * block_bytes;
  const int error = posix_fallocate(file, 0, static_cast<off_t>(size_bytes));
  if (error != 0) {
    fail("%s: no room for the ring: %s", temporary.text, strerror(error));
  }
  const Ring ring = map_ring(file, size_bytes, temporary.text);
  close(file);
  fs_ring_file_header& header = *ring.header;
  header.abi_version = FS_RING_FILE_HEADER_ABI_VERSION;
  header.content = FS_RING_CONTENT_PACKET_RECORDS;
  header.ring = 0;
  header.ring_count = 1;
  header.incarnation = random_word();
  header.slots_log2 = slots_log2;
  header.clock = FS_RING_CLOCK_SYNTHETIC;
  header.max_parallelism = kMaxParallelism;
  header.created_ns = now_ns(CLOCK_REALTIME);
  header.producer_pid = static_cast<uint32_t>(getpid());
  memcpy(header.tap_name, "conformance", sizeof "conformance");
  inherit(path.text, header);  // The key-group table stays zero: all key groups are ring 0's.
  header.magic = FS_RING_FILE_HEADER_MAGIC;
  remove_from(folder, kRingName, 1);
  if (rename(temporary.text, path.text) != 0) {
    fail("%s: cannot rename it: %s", temporary.text, strerror(errno));
  }
  return ring;
}

// ---- Filling it: steps 7 to 16 ----

class Producer {
 public:
  explicit Producer(Ring ring) : ring_(ring), header_(*ring.header) {}

  void write(uint64_t packets) {
    while (packets > 0) {
      const uint64_t batch = least(packets, kBatchPackets);
      fill(batch);
      publish();
      packets -= batch;
      nanosleep(&kBatchPause, nullptr);
    }
  }

  void fill(uint64_t packets) {
    begin_batch(packets);
    for (uint64_t i = 0; i < packets; i++) {
      offer();
    }
  }

  void lose(uint64_t packets) {
    date_loss(next_time_ns());
    pending_before_tap_ += packets;
    lost_before_tap_ += packets;
  }

  void end() {
    batch_slots_ = FS_RING_FILE_HEADER_RESERVED_SLOTS;
    reserve();
    if (has_room(kFinalSlots)) {
      tell_loss();
      if (is_timed_) {
        tell_time(time_base_ns_, offered_);
      }
    }
    publish();
    store_release(header_.state, static_cast<uint32_t>(FS_RING_STATE_ENDED));
  }

  void answer() const {
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", offered_, written_, dropped_,
           lost_before_tap_, expired_lanes_);
    fflush(stdout);
  }

 private:
  uint64_t next_time_ns() const { return kFirstTimeNs + offered_ * kPacketGapNs; }

  bool has_room(uint64_t slots) const { return position_ + slots <= reserved_; }

  bool has_pending_loss() const { return pending_packets_ + pending_before_tap_ > 0; }

  void begin_batch(uint64_t packets) {
    const uint64_t wanted = 2 * packets + FS_RING_FILE_HEADER_RESERVED_SLOTS;
    batch_slots_ = wanted < ring_.slot_count() / 2 ? wanted : ring_.slot_count() / 2;
    reserve();
    if (!has_room(batch_slots_) && free_abandoned_lanes()) {
      reserve();
    }
  }

  void reserve() {
    announce(least(position_ + batch_slots_, allowed()));
    const uint64_t allowed_now = allowed();
    if (allowed_now < reserved_) {
      announce(allowed_now);
    }
  }

  static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

  void announce(uint64_t reserved) {
    reserved_ = reserved > position_ ? reserved : position_;
    __atomic_store_n(&header_.reserved_position, reserved_, __ATOMIC_SEQ_CST);
    full_fence();
  }

  /** How far the lanes let the producer write. */
  uint64_t allowed() const {
    uint64_t allowed = UINT64_MAX;
    for (const fs_ring_lane& lane : header_.lanes) {
      const uint64_t claim = __atomic_load_n(&lane.claim, __ATOMIC_SEQ_CST);
      if (claim_mode(claim) == FS_LANE_MODE_GATING) {
        allowed = least(allowed, claim_released(claim, position_) + ring_.slot_count());
      }
    }
    return allowed;
  }

  bool free_abandoned_lanes() {
    const uint64_t freed_before = expired_lanes_;
    for (fs_ring_lane& lane : header_.lanes) {
      const uint64_t claim = load_acquire(lane.claim);
      if (claim_mode(claim) == FS_LANE_MODE_GATING && free_if_abandoned(lane, claim)) {
        expired_lanes_++;
      }
    }
    return expired_lanes_ > freed_before;
  }

  void offer() {
    const uint64_t time_ns = next_time_ns();
    const uint64_t number = offered_;
    offered_++;
    offered_bytes_ += kFrameBytes;
    if (make_room(time_ns)) {
      put_packet(number, time_ns);
    } else {
      drop(time_ns);
    }
  }

  /** Tells first what must stand before the packet. False: there is no room for all of that. */
  bool make_room(uint64_t time_ns) {
    const uint64_t distance_ns = time_ns > time_base_ns_ ? time_ns - time_base_ns_ : time_base_ns_ - time_ns;
    const bool needs_time =
        !is_timed_ || distance_ns >= FS_TIME_RECORD_STEP_NS || position_ >= time_position_ + kTimeIntervalSlots;
    const uint64_t told = (has_pending_loss() ? 1 : 0) + (needs_time ? 1 : 0);
    const uint64_t needed = told + 1 + FS_RING_FILE_HEADER_RESERVED_SLOTS;
    if (!has_room(needed)) {
      reserve();
      if (!has_room(needed)) {
        return false;
      }
    }
    tell_loss();
    if (needs_time) {
      tell_time(time_ns, offered_ - 1);  // The packet was counted, but comes after the record.
    }
    return true;
  }

  void drop(uint64_t time_ns) {
    if (pending_packets_ == 0) {
      first_lost_ns_ = time_ns;
    }
    pending_packets_++;
    dropped_++;
    last_lost_ns_ = time_ns;
  }

  /** Dropped packets are dated rather than the news of what was lost earlier. */
  void date_loss(uint64_t time_ns) {
    if (!has_pending_loss()) {
      first_lost_ns_ = time_ns;
    }
    if (pending_packets_ == 0) {
      last_lost_ns_ = time_ns;
    }
  }

  void put_packet(uint64_t number, uint64_t time_ns) {
    fs_packet_record record = {};
    record.time_low = static_cast<uint32_t>(time_ns);
    record.flow_hash = 0xd5d2f2ec;  // The example of docs/formats/flow-hash.md.
    static const uint8_t source[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 10};
    static const uint8_t destination[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 198, 51, 100, 20};
    memcpy(record.source_address, source, sizeof source);
    memcpy(record.destination_address, destination, sizeof destination);
    record.source_port = 49152;
    record.destination_port = 443;
    record.sequence = static_cast<uint32_t>(number);
    record.protocol = 6;
    record.time_to_live = 64;
    record.descriptor = ring_.tag(FS_RECORD_KIND_IPV4, position_) | kFrameBytes;
    memcpy(ring_.slot(position_), &record, sizeof record);
    position_++;
    written_++;
  }

  void tell_loss() {
    if (!has_pending_loss()) {
      return;
    }
    fs_loss_record record = {};
    record.lost_packets = pending_packets_;
    record.first_lost_ns = first_lost_ns_;
    record.last_lost_ns = last_lost_ns_;
    record.dropped_packets = dropped_;
    record.lost_before_tap = pending_before_tap_;
    record.lost_before_tap_total = lost_before_tap_;
    record.descriptor = ring_.tag(FS_RECORD_KIND_LOSS, position_);
    put_control(&record);
    lost_recorded_ += pending_packets_;
    lost_before_tap_recorded_ += pending_before_tap_;
    pending_packets_ = 0;
    pending_before_tap_ = 0;
  }

  void tell_time(uint64_t time_ns, uint64_t offered_before) {
    fs_time_record record = {};
    record.time_ns = time_ns;
    record.offered_packets = offered_before;
    record.written_packets = written_;
    record.dropped_packets = dropped_;
    record.clock_trusted = 1;
    record.lost_before_tap = lost_before_tap_recorded_;
    record.descriptor = ring_.tag(FS_RECORD_KIND_TIME, position_);
    time_position_ = position_;
    time_base_ns_ = time_ns;
    is_timed_ = true;
    put_control(&record);
  }

  void put_control(const void* record) {
    memcpy(ring_.slot(position_), record, sizeof(fs_packet_record));
    store_release(header_.control_index[control_count_ % FS_RING_FILE_HEADER_CONTROL_INDEX_ENTRIES], position_);
    control_count_++;
    store_release(header_.control_count, control_count_);
    position_++;
  }

  void publish() {
    store_release(header_.offered_packets, offered_);
    store_release(header_.written_packets, written_);
    store_release(header_.dropped_packets, dropped_);
    store_release(header_.lost_recorded, lost_recorded_);
    store_release(header_.offered_bytes, offered_bytes_);
    store_release(header_.latest_time_ns, time_base_ns_);
    store_release(header_.lost_before_tap, lost_before_tap_);
    store_release(header_.lost_before_tap_recorded, lost_before_tap_recorded_);
    store_release(header_.expired_lanes, expired_lanes_);
    store_release(header_.position, position_);
    store_release(header_.reserved_position, position_);
  }

  const Ring ring_;
  fs_ring_file_header& header_;
  uint64_t position_ = 0;
  uint64_t reserved_ = 0;
  uint64_t batch_slots_ = 0;
  uint64_t control_count_ = 0;
  uint64_t offered_ = 0;
  uint64_t offered_bytes_ = 0;
  uint64_t written_ = 0;
  uint64_t dropped_ = 0;
  uint64_t lost_recorded_ = 0;
  uint64_t lost_before_tap_ = 0;
  uint64_t lost_before_tap_recorded_ = 0;
  uint64_t expired_lanes_ = 0;
  uint64_t pending_packets_ = 0;
  uint64_t pending_before_tap_ = 0;
  uint64_t first_lost_ns_ = 0;
  uint64_t last_lost_ns_ = 0;
  bool is_timed_ = false;
  uint64_t time_base_ns_ = 0;
  uint64_t time_position_ = 0;
};

void obey(Producer& producer) {
  char line[64];
  while (fgets(line, sizeof line, stdin) != nullptr) {
    uint64_t packets = 0;
    if (sscanf(line, "write %" SCNu64, &packets) == 1) {
      producer.write(packets);
    } else if (sscanf(line, "fill %" SCNu64, &packets) == 1) {
      producer.fill(packets);
    } else if (sscanf(line, "lose %" SCNu64, &packets) == 1) {
      producer.lose(packets);
    } else if (strcmp(line, "end\n") == 0) {
      producer.end();
    } else {
      fail("unknown command: %s", line);
    }
    producer.answer();
  }
}

}  // namespace
}  // namespace conformance

int main(int count, char** arguments) {
  const uint32_t slots_log2 = count == 3 ? static_cast<uint32_t>(strtoul(arguments[2], nullptr, 10)) : 0;
  if (slots_log2 < FS_RING_FILE_HEADER_LEAST_SLOTS_LOG2 || slots_log2 > FS_RING_FILE_HEADER_MOST_SLOTS_LOG2) {
    conformance::fail("usage: ring-producer FOLDER SLOTS_LOG2 (%u to %u)", FS_RING_FILE_HEADER_LEAST_SLOTS_LOG2,
                      FS_RING_FILE_HEADER_MOST_SLOTS_LOG2);
  }
  conformance::take_folder(arguments[1]);
  conformance::remove_from(arguments[1], conformance::kTemporaryName, 0);
  conformance::Producer producer(conformance::make_ring(arguments[1], slots_log2));
  puts("ready");
  fflush(stdout);
  conformance::obey(producer);
}
