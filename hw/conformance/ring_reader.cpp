// SPDX-License-Identifier: Apache-2.0
// A reader of one ring that knows nothing but docs/formats/ring-protocol.md and the layouts.
//
//   ring-reader FILE NAME gating|observing EXPIRY_S
//
// Claims a lane from the oldest position on, says "ready", and obeys lines of standard input, each answered by one:
//   read       reads what there is: packets, lost in the ring, lost before the tap, unexplained, 1 if that was all
//   release    lets go of what it read       the same
//   alive      gives a sign of life          the same
//   follow     reads, releases and gives signs of life until the producer ends
//   leave      gives the lane up
// Packets must be numbered from 0 in their order and be kPacketGapNs apart. The end of input is the death of a reader.
#include <inttypes.h>

#include "ring.hpp"

namespace conformance {
namespace {

constexpr timespec kPause = {0, 100000};
/** Slots between two signs of life and releases while it follows. */
constexpr uint64_t kRunSlots = 100;

/** What became of the packets up to the reader's position; it counts from the ring's first. */
struct Account {
  uint64_t packets = 0;
  uint64_t accounted = 0;
  uint64_t accounted_before_tap = 0;
  uint64_t lost = 0;
  uint64_t lost_before_tap = 0;
  uint64_t unexplained = 0;
  bool has_jumped = false;

  void read() {
    packets++;
    accounted++;
  }

  void told(uint64_t ring_lost, uint64_t before_tap) {
    lost += ring_lost;
    accounted += ring_lost;
    lost_before_tap += before_tap;
    accounted_before_tap += before_tap;
  }

  void counted(uint64_t offered, uint64_t before_tap) {
    settle(offered, accounted, lost);
    settle(before_tap, accounted_before_tap, lost_before_tap);
    has_jumped = false;
  }

 private:
  void settle(uint64_t counted, uint64_t& accounted_so_far, uint64_t& lost_so_far) {
    const bool are_missing = counted > accounted_so_far;
    const uint64_t difference = are_missing ? counted - accounted_so_far : accounted_so_far - counted;
    lost_so_far += are_missing ? difference : 0;
    unexplained += are_missing && has_jumped ? 0 : difference;
    accounted_so_far = counted;
  }
};

class Reader {
 public:
  Reader(Ring ring, const char* path, const char* name, uint64_t mode, uint32_t expiry_s)
      : ring_(ring), header_(*ring.header), mode_(mode) {
    position_ = oldest(__atomic_load_n(&header_.reserved_position, __ATOMIC_SEQ_CST));
    if (position_ > 0) {
      lose_place();
    }
    claim(path, name, expiry_s);
    skip_what_is_gone();
  }

  /** Reads what there is, but no more than that many slots. True: that was all there ever will be. */
  bool read(uint64_t most_slots) {
    for (uint64_t i = 0; i < most_slots; i++) {
      if (mode_ == FS_LANE_MODE_GATING) {
        require_lane();
      }
      if (position_ == published_ && !look_further()) {
        return load_acquire(header_.state) == FS_RING_STATE_ENDED && !look_further() ? end() : false;
      }
      take_slot();
    }
    return false;
  }

  void release() { move_lane(position_); }

  void show_life() {
    if (holds_lane()) {
      store_release(lane_->alive_ns, now_ns(CLOCK_MONOTONIC));
    }
  }

  void leave() { exchange(lane_->claim, claim_, claim_word(claim_epoch(claim_), FS_LANE_MODE_FREE, 0)); }

  void answer(bool is_end) const {
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d\n", account_.packets, account_.lost,
           account_.lost_before_tap, account_.unexplained, is_end ? 1 : 0);
    fflush(stdout);
  }

 private:
  // ---- The lane: steps 2, 3, 7 ----

  void claim(const char* path, const char* name, uint32_t expiry_s) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || flock(file, LOCK_EX) != 0) {
      fail("%s: cannot lock it: %s", path, strerror(errno));
    }
    uint8_t padded[sizeof lane_->name] = {};
    memcpy(padded, name, strnlen(name, sizeof padded));
    lane_ = find_namesake(padded);
    if (lane_ == nullptr) {
      lane_ = find_vacant();
      memcpy(lane_->name, padded, sizeof padded);
    }
    lane_->reader_pid = static_cast<uint32_t>(getpid());
    lane_->claimed_ns = now_ns(CLOCK_REALTIME);
    lane_->expiry_s = expiry_s;
    store_release(lane_->alive_ns, now_ns(CLOCK_MONOTONIC));
    uint64_t former;
    do {
      former = load_acquire(lane_->claim);
      claim_ = claim_word(claim_epoch(former) + 1, mode_, position_);
    } while (!exchange(lane_->claim, former, claim_));
    close(file);
  }

  fs_ring_lane* find_namesake(const uint8_t* name) const {
    for (fs_ring_lane& lane : header_.lanes) {
      if (claim_mode(load_acquire(lane.claim)) != FS_LANE_MODE_FREE && memcmp(lane.name, name, sizeof lane.name) == 0) {
        return &lane;
      }
    }
    return nullptr;
  }

  fs_ring_lane* find_vacant() const {
    for (fs_ring_lane& lane : header_.lanes) {
      if (claim_mode(load_acquire(lane.claim)) == FS_LANE_MODE_FREE) {
        return &lane;
      }
    }
    for (fs_ring_lane& lane : header_.lanes) {
      if (free_if_abandoned(lane, load_acquire(lane.claim))) {
        return &lane;
      }
    }
    fail("all reader lanes are taken");
  }

  bool holds_lane() const {
    const uint64_t claim = load_acquire(lane_->claim);
    return claim_mode(claim) == mode_ && claim_epoch(claim) == claim_epoch(claim_);
  }

  void require_lane() const {
    if (!holds_lane()) {
      fail("the lane is lost");
    }
  }

  void move_lane(uint64_t released) {
    const uint64_t moved = claim_word(claim_epoch(claim_), mode_, released);
    if (!exchange(lane_->claim, claim_, moved)) {
      fail("the lane is lost");
    }
    claim_ = moved;
  }

  uint64_t oldest(uint64_t reserved) const {
    const uint64_t kept = ring_.slot_count() - FS_RING_FILE_HEADER_RESERVED_SLOTS;
    const uint64_t oldest = reserved > kept ? reserved - kept : 0;
    const uint64_t published = load_acquire(header_.position);
    return oldest < published ? oldest : published;
  }

  void skip_what_is_gone() {
    full_fence();
    uint64_t reserved;
    while (static_cast<int64_t>((reserved = load_acquire(header_.reserved_position)) - position_) >
           static_cast<int64_t>(ring_.slot_count())) {
      position_ = oldest(reserved);
      move_lane(position_);
      lose_place();
    }
    published_ = position_;
  }

  void lose_place() {
    account_.has_jumped = true;
    is_timed_ = false;
  }

  // ---- What stands in the slots: steps 5, 6, 8 ----

  bool look_further() {
    published_ = load_acquire(header_.position);
    return published_ != position_;
  }

  void take_slot() {
    fs_packet_record record;
    memcpy(&record, ring_.slot(position_), sizeof record);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (load_acquire(header_.reserved_position) - position_ > ring_.slot_count()) {
      skip_what_is_gone();
      return;
    }
    const uint32_t kind = kind_of(record.descriptor);
    if (record.descriptor >> FS_PACKET_RECORD_GENERATION_SHIFT != ring_.generation_of(position_)) {
      fail("position %" PRIu64 " has the descriptor %08x, of another lap", position_, record.descriptor);
    }
    position_++;
    if (kind == FS_RECORD_KIND_LOSS) {
      take_loss(record);
    } else if (kind == FS_RECORD_KIND_TIME) {
      take_time(record);
    } else if (is_timed_) {
      take_packet(record);
    }
  }

  void take_loss(const fs_packet_record& record) {
    fs_loss_record loss;
    memcpy(&loss, &record, sizeof loss);
    account_.told(loss.lost_packets, loss.lost_before_tap);
  }

  void take_time(const fs_packet_record& record) {
    fs_time_record time;
    memcpy(&time, &record, sizeof time);
    account_.counted(time.offered_packets, time.lost_before_tap);
    time_base_ns_ = time.time_ns;
    is_timed_ = true;
  }

  void take_packet(const fs_packet_record& record) {
    const int32_t distance_ns = static_cast<int32_t>(record.time_low - static_cast<uint32_t>(time_base_ns_));
    const uint64_t time_ns = time_base_ns_ + static_cast<uint64_t>(static_cast<int64_t>(distance_ns));
    if (record.sequence < next_number_ || time_ns != kFirstTimeNs + record.sequence * kPacketGapNs) {
      fail("position %" PRIu64 ": packet %u of time %" PRIu64 ", but the next is %u or later", position_ - 1,
           record.sequence, time_ns, next_number_);
    }
    next_number_ = record.sequence + 1;
    account_.read();
  }

  bool end() {
    account_.told(load_acquire(header_.dropped_packets) - load_acquire(header_.lost_recorded),
                  load_acquire(header_.lost_before_tap) - load_acquire(header_.lost_before_tap_recorded));
    account_.counted(load_acquire(header_.offered_packets), load_acquire(header_.lost_before_tap));
    return true;
  }

  const Ring ring_;
  fs_ring_file_header& header_;
  const uint64_t mode_;
  fs_ring_lane* lane_ = nullptr;
  uint64_t claim_ = 0;
  uint64_t position_ = 0;
  uint64_t published_ = 0;
  Account account_;
  bool is_timed_ = false;
  uint64_t time_base_ns_ = 0;
  uint32_t next_number_ = 0;
};

bool follow(Reader& reader) {
  while (!reader.read(kRunSlots)) {
    reader.release();
    reader.show_life();
    nanosleep(&kPause, nullptr);
  }
  return true;
}

void obey(Reader& reader) {
  char line[64];
  while (fgets(line, sizeof line, stdin) != nullptr) {
    bool is_end = false;
    if (strcmp(line, "read\n") == 0) {
      is_end = reader.read(UINT64_MAX);
    } else if (strcmp(line, "release\n") == 0) {
      reader.release();
    } else if (strcmp(line, "alive\n") == 0) {
      reader.show_life();
    } else if (strcmp(line, "follow\n") == 0) {
      is_end = follow(reader);
    } else if (strcmp(line, "leave\n") == 0) {
      reader.leave();
    } else {
      fail("unknown command: %s", line);
    }
    reader.answer(is_end);
  }
}

}  // namespace
}  // namespace conformance

int main(int count, char** arguments) {
  if (count != 5) {
    conformance::fail("usage: ring-reader FILE NAME gating|observing EXPIRY_S");
  }
  conformance::Ring ring;
  if (!conformance::open_ring(arguments[1], ring)) {
    conformance::fail("%s: no ring file of layout version %u", arguments[1], FS_RING_FILE_HEADER_ABI_VERSION);
  }
  const uint64_t mode = strcmp(arguments[3], "gating") == 0 ? FS_LANE_MODE_GATING : FS_LANE_MODE_OBSERVING;
  const uint32_t expiry_s = static_cast<uint32_t>(strtoul(arguments[4], nullptr, 10));
  conformance::Reader reader(ring, arguments[1], arguments[2], mode, expiry_s);
  puts("ready");
  fflush(stdout);
  conformance::obey(reader);
}
