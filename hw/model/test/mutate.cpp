// SPDX-License-Identifier: Apache-2.0
//
// Mutates the hand-made frames, many times: no crash, no read outside the frame, every record whole.
#include "flowstone.h"
#include "frames.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

constexpr uint32_t BATCH = 64;
constexpr uint32_t LONGEST_BYTES = 256;

struct Random {
    uint64_t state;
    uint32_t below(uint32_t bound) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return static_cast<uint32_t>(state >> 33) % bound;
    }
};

bool whole(const fs_packet_record& record, const fs_raw_packet& packet) {
    uint32_t kind = record.descriptor >> 26 & 7;
    uint32_t length = record.descriptor & 0x7ffff;
    return kind >= FS_RECORD_KIND_IPV4 && kind <= FS_RECORD_KIND_IPV6_ENCAPSULATED &&
           record.descriptor >> 29 == 0 && length == packet.wire_bytes &&
           record.flow_hash == flowstone_flow_hash(&record) &&
           (kind != FS_RECORD_KIND_OTHER ||
            (record.source_port >= FS_OTHER_REASON_NOT_IP && record.source_port <= FS_OTHER_REASON_TOO_DEEP));
}

}  // namespace

int main(int argc, char** argv) {
    long packets_wanted = argc > 1 ? std::atol(argv[1]) : 1000000;
    uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 0) : 0x9e3779b97f4a7c15u;
    const auto seeds = frames::all();
    Random random{seed};
    fs_raw_packet packets[BATCH] = {};
    fs_packet_record records[BATCH];
    for (long done = 0; done < packets_wanted; done += BATCH) {
        // A heap block of just the batch's size: the sanitizer sees a read past the last frame.
        frames::Frame bytes;
        for (auto& packet : packets) {
            const auto& seed_frame = seeds[random.below(static_cast<uint32_t>(seeds.size()))];
            frames::Frame frame = seed_frame.bytes;
            for (uint32_t i = random.below(6); i > 0 && !frame.empty(); i--) {
                frame[random.below(static_cast<uint32_t>(frame.size()))] = static_cast<uint8_t>(random.below(256));
            }
            if (random.below(4) == 0) frame.resize(random.below(LONGEST_BYTES));
            packet.data_offset = bytes.size();
            packet.captured_bytes = static_cast<uint32_t>(frame.size());
            packet.wire_bytes = packet.captured_bytes + random.below(9000);
            packet.link_type = random.below(16) ? seed_frame.link_type : static_cast<uint16_t>(random.below(300));
            bytes.insert(bytes.end(), frame.begin(), frame.end());
        }
        std::unique_ptr<uint8_t[]> exact(new uint8_t[bytes.size()]);
        std::memcpy(exact.get(), bytes.data(), bytes.size());
        flowstone_parse(exact.get(), packets, BATCH, static_cast<uint32_t>(done / BATCH & 1), records);
        for (uint32_t i = 0; i < BATCH; i++) {
            if (!whole(records[i], packets[i])) {
                std::fprintf(stderr, "FAILED: record %ld of seed 0x%llx is not whole\n", done + i,
                             static_cast<unsigned long long>(seed));
                return 1;
            }
        }
    }
    std::printf("parser model: %ld mutated packets, seed 0x%llx, all whole\n", packets_wanted,
                static_cast<unsigned long long>(seed));
}
