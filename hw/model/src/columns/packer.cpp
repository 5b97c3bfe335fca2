// SPDX-License-Identifier: Apache-2.0
#include "packer.hpp"

#include <cstring>

#include "prediction.hpp"

namespace flowstone::columns {
namespace {

constexpr uint32_t kPacketKinds = 1u << FS_RECORD_KIND_IPV4 | 1u << FS_RECORD_KIND_IPV6 | 1u << FS_RECORD_KIND_OTHER |
                                  1u << FS_RECORD_KIND_IPV4_ENCAPSULATED | 1u << FS_RECORD_KIND_IPV6_ENCAPSULATED;

inline uint32_t kind_bit(const fs_packet_record& packet) {
  return 1u << (packet.descriptor >> FS_PACKET_RECORD_KIND_SHIFT & FS_PACKET_RECORD_KIND_MASK);
}

inline uint32_t signed_19(uint32_t number) {
  constexpr uint32_t kUnused = 32 - FS_PACKET_RECORD_TRAFFIC_CLASS_SHIFT;
  return static_cast<uint32_t>(static_cast<int32_t>(number << kUnused) >> kUnused);
}

inline uint32_t signed_16(uint32_t number) { return static_cast<uint32_t>(static_cast<int16_t>(number)); }

}  // namespace

Packer::Packer(Memory& memory, uint32_t max_packets, const Secret& secret)
    : columns_(memory, max_packets),
      flows_(memory, max_packets, secret),
      pairs_(memory, max_packets),
      profiles_(memory, max_packets),
      writer_(memory, max_packets) {}

void Packer::begin(uint32_t packets, uint32_t time_base_low) {
  columns_.clear();
  flows_.clear(packets);
  profiles_.clear(packets);
  packets_ = 0;
  previous_time_ = time_base_low;
  kinds_ = 0;
  begun_flows_ = 0;
  directions_ = 0;
  following_ = 0;
}

void Packer::add(const fs_packet_record* packets, uint32_t count, const void* upcoming) {
  const uintptr_t upcoming_address = reinterpret_cast<uintptr_t>(upcoming);
  uint32_t* const times = columns_.plain[FS_PACKET_COLUMNS_TIME] + packets_;
  uint32_t* const flags = columns_.plain[FS_PACKET_COLUMNS_TCP_FLAGS] + packets_;
  uint32_t* const payloads = columns_.plain[FS_PACKET_COLUMNS_PAYLOAD_LENGTH] + packets_;
  uint32_t* const codes = columns_.plain[FS_PACKET_COLUMNS_DIRECTION] + packets_;
  uint32_t previous_time = previous_time_;
  uint32_t kinds = kinds_;
  for (uint32_t i = 0; i < count; i++) {
    const fs_packet_record& packet = packets[i];
    __builtin_prefetch(reinterpret_cast<const void*>(upcoming_address + i * sizeof packet));
    times[i] = packet.time_low - previous_time;
    previous_time = packet.time_low;
    flags[i] = rotated_flags(packet.tcp_flags);
    payloads[i] = packet.payload_length;
    kinds |= kind_bit(packet);
    const uint32_t side = side_of(packet);
    codes[i] = follow(packet, {flows_.find_or_add(key_of(packet, side)), side});
  }
  previous_time_ = previous_time;
  kinds_ = kinds;
  packets_ += count;
}

/** What a packet differs in from what its sender's latest one makes one expect. Returns its direction's code. */
inline uint32_t Packer::follow(const fs_packet_record& packet, SenderName name) {
  const Profile profile(packet);
  Sender& sender = flows_.flows()[name.flow].senders[name.side];
  const uint32_t code = sender.direction_code;
  if (code == 0) {
    start(packet, name, profile);
    sender.direction_code = directions_;
  } else {
    const uint32_t row = following_++;
    columns_.sparse[FS_PACKET_COLUMNS_SEQUENCE].add_unless_zero(row, zigzag(packet.sequence - sender.next_sequence));
    const uint32_t udp = mask_if(packet.protocol == kUdp);
    const uint32_t expected = (udp_length_word(packet) & udp) | (sender.acknowledgement & ~udp);
    columns_.plain[FS_PACKET_COLUMNS_ACKNOWLEDGEMENT][row] = zigzag(packet.acknowledgement - expected);
    if (profile.word() != sender.profile) {
      change(row, Profile(sender.profile), profile);
    }
  }
  sender.next_sequence = next_sequence(packet);
  sender.acknowledgement = packet.acknowledgement;
  sender.profile = profile.word();
  return code;
}

/** The first packet of a direction. */
void Packer::start(const fs_packet_record& packet, SenderName name, Profile profile) {
  const uint32_t direction = directions_++;
  const Sender& opposite = flows_.flows()[name.flow].senders[name.side ^ 1];
  const uint32_t second = mask_if(opposite.direction_code != 0);
  columns_.plain[FS_PACKET_COLUMNS_DIRECTION_FLOW][direction] = (begun_flows_ - name.flow) & second;
  columns_.plain[FS_PACKET_COLUMNS_FIRST_FROM_B][begun_flows_] = name.side;  // until a flow begins here
  begun_flows_ += 1 + second;
  columns_.plain[FS_PACKET_COLUMNS_DIRECTION_PROFILE][direction] = profiles_.code_of(profile, columns_);
  const uint32_t udp = mask_if(packet.protocol == kUdp);
  const uint32_t answer = mask_if(packet.protocol == kTcp) & second;
  const uint32_t sequence = (udp_ports_word(packet) & udp) | (opposite.acknowledgement & answer);
  const uint32_t acknowledgement = (udp_length_word(packet) & udp) | (opposite.next_sequence & answer);
  columns_.plain[FS_PACKET_COLUMNS_FIRST_SEQUENCE][direction] = zigzag(packet.sequence - sequence);
  columns_.plain[FS_PACKET_COLUMNS_FIRST_ACKNOWLEDGEMENT][direction] = zigzag(packet.acknowledgement - acknowledgement);
}

void Packer::change(uint32_t row, Profile before, Profile profile) {
  columns_.sparse[FS_PACKET_COLUMNS_WINDOW_STEP].add_unless_zero(row,
                                                                 zigzag(signed_16(profile.window() - before.window())));
  columns_.sparse[FS_PACKET_COLUMNS_OVERHEAD_STEP].add_unless_zero(
      row, zigzag(signed_19(profile.overhead() - before.overhead())));
  columns_.sparse[FS_PACKET_COLUMNS_TRAIT_STEP].add_unless_zero(row, zigzag(profile.traits() - before.traits()));
}

uint8_t* Packer::end(uint8_t* body) {
  if ((kinds_ & ~kPacketKinds) != 0) {
    return nullptr;
  }
  pairs_.fill(flows_, columns_);
  const fs_packet_columns_header header = {static_cast<uint16_t>(pairs_.count()), static_cast<uint16_t>(flows_.count()),
                                           static_cast<uint16_t>(profiles_.count()),
                                           static_cast<uint16_t>(directions_)};
  std::memcpy(body, &header, sizeof header);
  uint8_t* target = body + sizeof header;
  const auto write_table = [&](uint32_t first, uint32_t last, uint32_t rows) {
    for (uint32_t column = first; column <= last; column++) {
      target = is_sparse(column) ? writer_.write(columns_.sparse[column], rows, target)
                                 : writer_.write(columns_.plain[column], rows, target);
    }
  };
  write_table(FS_PACKET_COLUMNS_A_ADDRESS_0, FS_PACKET_COLUMNS_PROTOCOL, pairs_.count());
  write_table(FS_PACKET_COLUMNS_FLOW_PAIR, FS_PACKET_COLUMNS_FIRST_FROM_B, flows_.count());
  write_table(FS_PACKET_COLUMNS_PROFILE_WINDOW, FS_PACKET_COLUMNS_DESCRIPTOR_HIGH, profiles_.count());
  write_table(FS_PACKET_COLUMNS_DIRECTION_FLOW, FS_PACKET_COLUMNS_FIRST_ACKNOWLEDGEMENT, directions_);
  write_table(FS_PACKET_COLUMNS_TIME, FS_PACKET_COLUMNS_PAYLOAD_LENGTH, packets_);
  write_table(FS_PACKET_COLUMNS_SEQUENCE, FS_PACKET_COLUMNS_TRAIT_STEP, packets_ - directions_);
  std::memset(target, 0, FS_PACKET_COLUMNS_HEADER_TAIL_BYTES);
  return target + FS_PACKET_COLUMNS_HEADER_TAIL_BYTES;
}

}  // namespace flowstone::columns
