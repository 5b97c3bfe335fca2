// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer's entry: two bytes of link type, one of profile and flags, the rest is the frame.
#include "flowstone.h"
#include "frames.hpp"

#include <cstdlib>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < 3) return 0;
    fs_raw_packet packet{};
    packet.link_type = static_cast<uint16_t>(data[0] | (data[1] & 1) << 8);
    packet.flags = data[2] & 2;
    packet.captured_bytes = packet.wire_bytes = static_cast<uint32_t>(size - 3);
    fs_packet_record record;
    flowstone_parse(data + 3, &packet, 1, data[2] & 1, &record);
    uint32_t kind = record.descriptor >> 26 & 7;
    if (kind < FS_RECORD_KIND_IPV4 || kind > FS_RECORD_KIND_IPV6_ENCAPSULATED) std::abort();
    if (record.flow_hash != flowstone_flow_hash(&record)) std::abort();
    return 0;
}

// Starts from the hand-made frames: without them most time would go into finding an EtherType.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed);
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
    static const auto seeds = frames::all();
    if (seed % 64 == 0) {
        const auto& frame = seeds[seed / 64 % seeds.size()];
        if (frame.bytes.size() + 3 <= most) {
            data[0] = static_cast<uint8_t>(frame.link_type);
            data[1] = static_cast<uint8_t>(frame.link_type >> 8);
            data[2] = 0;
            if (!frame.bytes.empty()) std::memcpy(data + 3, frame.bytes.data(), frame.bytes.size());
            size = frame.bytes.size() + 3;
        }
    }
    return LLVMFuzzerMutate(data, size, most);
}
