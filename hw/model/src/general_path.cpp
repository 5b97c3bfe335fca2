// SPDX-License-Identifier: Apache-2.0
#include "general_path.hpp"

#include "flow_hash.hpp"
#include "link.hpp"
#include "network.hpp"
#include "transport.hpp"

namespace flowstone {
namespace {

void write_other(const fs_raw_packet& packet, uint16_t reason, uint16_t number, fs_packet_record& record) {
  record.source_port = reason;
  record.destination_port = number;
  record.descriptor = descriptor(packet, FS_RECORD_KIND_OTHER);
}

void write_ipv4_address(const uint8_t* address, uint8_t* field) {
  field[10] = 0xFF;
  field[11] = 0xFF;
  std::memcpy(field + 12, address, 4);
}

void write_addresses(const uint8_t* header, uint8_t ip_version, fs_packet_record& record) {
  if (ip_version == 4) {
    write_ipv4_address(header + 12, record.source_address);
    write_ipv4_address(header + 16, record.destination_address);
  } else {
    std::memcpy(record.source_address, header + 8, 16);
    std::memcpy(record.destination_address, header + 24, 16);
  }
}

uint32_t kind(const Layer3& layer3) {
  if (layer3.ip_version == 4) {
    return layer3.encapsulated ? FS_RECORD_KIND_IPV4_ENCAPSULATED : FS_RECORD_KIND_IPV4;
  }
  return layer3.encapsulated ? FS_RECORD_KIND_IPV6_ENCAPSULATED : FS_RECORD_KIND_IPV6;
}

}  // namespace

void parse_general(const uint8_t* data, const fs_raw_packet& packet, const Profile& profile, fs_packet_record& record) {
  record = {};
  record.time_low = static_cast<uint32_t>(packet.time_ns);
  if ((packet.flags & FS_RAW_PACKET_FLAG_ERF_TYPE) != 0) {
    return write_other(packet, FS_OTHER_REASON_ERF_TYPE, packet.link_type, record);
  }
  const Frame frame(data, packet, profile);
  const Layer3 layer3 = LinkWalk(frame, profile).layer3(packet.link_type);
  if (layer3.ip_version == 0) {
    return write_other(packet, layer3.reason, layer3.number, record);
  }
  const Network network =
      layer3.ip_version == 4 ? read_ipv4(frame, layer3.offset) : read_ipv6(frame, layer3.offset, profile);
  if (network.reason != 0) {
    return write_other(packet, network.reason, layer3.number, record);
  }
  if (hides_ports(network)) {
    return write_other(packet, FS_OTHER_REASON_TOO_DEEP, layer3.number, record);
  }
  write_addresses(frame.data + layer3.offset, layer3.ip_version, record);
  record.protocol = network.protocol;
  record.type_of_service = network.type_of_service;
  record.time_to_live = network.time_to_live;
  read_transport(frame, network, record);
  record.flow_hash = flow_hash(record);
  const uint32_t later_fragment = network.later_fragment ? 1u << FS_PACKET_RECORD_LATER_FRAGMENT_SHIFT : 0;
  record.descriptor = descriptor(packet, kind(layer3)) | later_fragment;
}

}  // namespace flowstone
