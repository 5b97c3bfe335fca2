// SPDX-License-Identifier: Apache-2.0
#include "capture.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "pcap.hpp"

namespace flowstone::card {
namespace {

constexpr uint32_t kSectionHeader = 0x0A0D0D0A;
constexpr uint32_t kByteOrder = 0x1A2B3C4D;
constexpr uint32_t kInterface = 1, kSimplePacket = 3, kEnhancedPacket = 6;
constexpr uint16_t kTimeResolution = 9, kTimeOffset = 14;

}  // namespace

/** A cursor over one mapped file. */
class CaptureFile {
 public:
  explicit CaptureFile(const std::string& path) : path_(path), mapping_(map(path)), bytes_(mapping_.address, mapping_.count) {
    rewind();
  }
  ~CaptureFile() { munmap(const_cast<uint8_t*>(mapping_.address), mapping_.count); }
  CaptureFile(const CaptureFile&) = delete;
  CaptureFile& operator=(const CaptureFile&) = delete;

  const uint8_t* base() const { return mapping_.address; }

  void rewind() {
    bytes_.is_swapped = false;
    interfaces_.clear();
    const uint32_t magic = bytes_.u32(0);
    is_blocks_ = magic == kSectionHeader;
    if (is_blocks_) {
      offset_ = 0;
      return;
    }
    pcap_ = PcapHeader::read(bytes_.data(), path_);
    bytes_.is_swapped = pcap_.is_swapped;
    offset_ = PcapHeader::kBytes;
  }

  /** False: the file is over. */
  bool next(fs_raw_packet& packet, uint64_t& skipped) { return is_blocks_ ? next_block(packet, skipped) : next_record(packet, skipped); }

 private:
  struct Mapping {
    const uint8_t* address;
    uint64_t count;
  };

  struct Interface {
    uint16_t link_type;
    uint32_t snap_bytes;
    uint64_t units_per_second;
    int64_t offset_s;
  };

  static Mapping map(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw std::runtime_error(path + " cannot be opened: " + std::strerror(errno));
    struct stat status;
    void* address = MAP_FAILED;
    if (fstat(file, &status) == 0 && status.st_size >= 24) {
      address = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    }
    close(file);
    if (address == MAP_FAILED) throw std::runtime_error(path + " is no capture: it has not even a whole header");
    madvise(address, static_cast<size_t>(status.st_size), MADV_SEQUENTIAL);
    return {static_cast<const uint8_t*>(address), static_cast<uint64_t>(status.st_size)};
  }

  bool next_record(fs_raw_packet& packet, uint64_t& skipped) {
    while (const std::optional<PcapRecord> record = PcapRecord::read(bytes_, offset_, pcap_)) {
      if (record->captured_bytes > kLongestFrame || !bytes_.has(record->data_offset, record->captured_bytes)) break;
      offset_ = record->end();
      if (record->fill(packet)) return true;
      skipped++;
    }
    skipped += offset_ < bytes_.count();
    offset_ = bytes_.count();
    return false;
  }

  bool next_block(fs_raw_packet& packet, uint64_t& skipped) {
    while (bytes_.has(offset_, 12)) {
      const uint64_t block = offset_;
      if (bytes_.u32(block) == kSectionHeader) begin_section(block);
      const uint32_t type = bytes_.u32(block), total_bytes = bytes_.u32(block + 4);
      if (total_bytes < 12 || total_bytes % 4 != 0 || !bytes_.has(block, total_bytes)) break;
      offset_ = block + total_bytes;
      if (type == kInterface && total_bytes >= 20) {
        add_interface(block, total_bytes);
      } else if (type == kEnhancedPacket && total_bytes >= 32) {
        if (read_enhanced(block, total_bytes, packet)) return true;
        skipped++;
      } else if (type == kSimplePacket && total_bytes >= 16) {
        if (read_simple(block, total_bytes, packet)) return true;
        skipped++;
      }
    }
    skipped += offset_ < bytes_.count();
    offset_ = bytes_.count();
    return false;
  }

  void begin_section(uint64_t block) {
    bytes_.is_swapped = false;
    bytes_.is_swapped = bytes_.u32(block + 8) != kByteOrder;
    interfaces_.clear();
  }

  void add_interface(uint64_t block, uint32_t total_bytes) {
    Interface interface{bytes_.u16(block + 8), bytes_.u32(block + 12), 1'000'000, 0};
    const uint64_t end = block + total_bytes - 4;
    for (uint64_t option = block + 16; option + 4 <= end;) {
      const uint16_t code = bytes_.u16(option), length = bytes_.u16(option + 2);
      if (code == 0 || option + 4 + length > end) break;
      if (code == kTimeResolution && length == 1) interface.units_per_second = units(bytes_.u8(option + 4));
      if (code == kTimeOffset && length == 8) {
        const uint64_t first = bytes_.u32(option + 4), second = bytes_.u32(option + 8);
        const bool is_big_endian = bytes_.is_swapped;  // this program runs on little-endian machines alone
        interface.offset_s = static_cast<int64_t>(is_big_endian ? first << 32 | second : second << 32 | first);
      }
      option += 4 + (uint64_t{length} + 3) / 4 * 4;
    }
    interfaces_.push_back(interface);
  }

  /** Powers of 10, or of 2 with the highest bit set; what fits into no number of 64 bits says nothing. */
  static uint64_t units(uint8_t resolution) {
    const uint32_t exponent = resolution & 0x7F;
    if ((resolution & 0x80) != 0) return exponent < 64 ? uint64_t{1} << exponent : 1'000'000;
    uint64_t units = 1;
    if (exponent > 19) return 1'000'000;
    for (uint32_t i = 0; i < exponent; i++) units *= 10;
    return units;
  }

  bool read_enhanced(uint64_t block, uint32_t total_bytes, fs_raw_packet& packet) const {
    const uint32_t number = bytes_.u32(block + 8), captured = bytes_.u32(block + 20), wire = bytes_.u32(block + 24);
    if (number >= interfaces_.size() || captured > total_bytes - 32 || captured > kLongestFrame) return false;
    const Interface& interface = interfaces_[number];
    const uint64_t time = uint64_t{bytes_.u32(block + 12)} << 32 | bytes_.u32(block + 16);
    const unsigned __int128 scaled = static_cast<unsigned __int128>(time) * 1'000'000'000 / interface.units_per_second;
    const uint64_t time_ns = static_cast<uint64_t>(scaled) + static_cast<uint64_t>(interface.offset_s * 1'000'000'000);
    return fill_packet(packet, block + 28, captured, wire, interface.link_type, time_ns);
  }

  bool read_simple(uint64_t block, uint32_t total_bytes, fs_raw_packet& packet) const {
    if (interfaces_.empty()) return false;
    const uint32_t wire = bytes_.u32(block + 8), there = total_bytes - 16;
    const uint32_t snap = interfaces_[0].snap_bytes == 0 ? UINT32_MAX : interfaces_[0].snap_bytes;
    const uint32_t most = wire < snap ? wire : snap;
    const uint32_t captured = most < there ? most : there;
    if (captured > kLongestFrame) return false;
    return fill_packet(packet, block + 12, captured, wire, interfaces_[0].link_type, 0);
  }

  std::string path_;
  Mapping mapping_;
  Bytes bytes_;
  bool is_blocks_ = false;
  PcapHeader pcap_;
  uint64_t offset_ = 0;
  std::vector<Interface> interfaces_;
};

CaptureFeed::CaptureFeed(const std::vector<std::string>& paths, uint64_t repeats) : repeats_(repeats) {
  for (const std::string& path : paths) files_.push_back(std::make_unique<CaptureFile>(path));
}

CaptureFeed::~CaptureFeed() = default;

FrameBatch CaptureFeed::next(fs_raw_packet* packets, uint32_t most) {
  // A capture without a frame for us, sent for ever, would be looked through for ever.
  for (size_t looked = 0; looked <= files_.size(); looked++) {
    if (file_ == files_.size()) {
      if (++rounds_ == repeats_ || files_.empty()) {
        rounds_--;
        return {};
      }
      for (const auto& file : files_) file->rewind();
      file_ = 0;
    }
    FrameBatch batch{files_[file_]->base(), 0};
    while (batch.count < most && files_[file_]->next(packets[batch.count], skipped_)) batch.count++;
    if (batch.count < most) file_++;
    if (batch.count > 0) return batch;
  }
  return {};
}

}  // namespace flowstone::card
