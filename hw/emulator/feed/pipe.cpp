// SPDX-License-Identifier: Apache-2.0
#include "pipe.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace flowstone::card {
namespace {

constexpr int kPipeBytes = 1 << 20;          // as much as anybody may ask for
constexpr size_t kLeastRoomBytes = 1 << 16;  // for one read
constexpr size_t kBufferBytes = kPipeBytes + kLongestFrame + kLeastRoomBytes;

}  // namespace

PipeFeed::PipeFeed(std::string path) : path_(std::move(path)), bytes_(kBufferBytes) {
  if (mkfifo(path_.c_str(), 0600) != 0 && errno != EEXIST) {
    throw std::runtime_error("cannot make the pipe " + path_ + ": " + std::strerror(errno));
  }
  struct stat status;
  if (stat(path_.c_str(), &status) != 0 || !S_ISFIFO(status.st_mode)) {
    throw std::runtime_error(path_ + " is no pipe: name it without \"pipe:\" if it is a capture");
  }
}

PipeFeed::~PipeFeed() { shut(); }

void PipeFeed::open() {
  file_ = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file_ < 0) {
    give_up(std::string("cannot be opened: ") + std::strerror(errno));
    return;
  }
  fcntl(file_, F_SETPIPE_SZ, kPipeBytes);  // a smaller one will do
}

void PipeFeed::give_up(const std::string& why) {
  std::fprintf(stderr, "flowstone-card: %s: %s; no more of it is taken\n", path_.c_str(), why.c_str());
  skipped_ += first_ < last_;
  first_ = last_ = 0;
  has_ended_ = true;
  shut();
}

/** Whoever still sends is told so by the kernel. */
void PipeFeed::shut() {
  if (file_ >= 0) close(file_);
  file_ = -1;
}

/** What was given out is not needed any more: its room is used again when there is little left behind it. */
void PipeFeed::receive() {
  if (kBufferBytes - last_ < kLeastRoomBytes || first_ == last_) {
    std::memmove(bytes_.data(), bytes_.data() + first_, last_ - first_);
    last_ -= first_;
    first_ = 0;
  }
  const ssize_t count = read(file_, bytes_.data() + last_, kBufferBytes - last_);
  if (count > 0) {
    last_ += static_cast<size_t>(count);
  } else if (count == 0) {
    // Before the first byte whoever will send has not come yet.
    has_ended_ = has_header_ || first_ < last_;
  } else if (errno != EAGAIN && errno != EINTR) {
    give_up(std::strerror(errno));
  }
}

FrameBatch PipeFeed::next(fs_raw_packet* packets, uint32_t most) {
  if (file_ < 0 && !has_ended_) open();
  if (!has_ended_) receive();
  if (!has_header_ && last_ - first_ >= PcapHeader::kBytes) {
    try {
      header_ = PcapHeader::read(bytes_.data() + first_, "what comes");
      has_header_ = true;
      first_ += PcapHeader::kBytes;
    } catch (const std::runtime_error& problem) {
      give_up(problem.what());
    }
  }
  FrameBatch batch{bytes_.data(), 0};
  if (!has_header_) {
    if (has_ended_ && first_ < last_) give_up("was closed before a header of pcap was whole");
    return batch;
  }
  Bytes bytes(bytes_.data(), last_);
  bytes.is_swapped = header_.is_swapped;
  while (batch.count < most) {
    const std::optional<PcapRecord> record = PcapRecord::read(bytes, first_, header_);
    if (record && record->captured_bytes > kLongestFrame) {
      give_up("no pcap any more: a frame of " + std::to_string(record->captured_bytes) + " bytes");
      break;
    }
    if (!record || !bytes.has(record->data_offset, record->captured_bytes)) break;
    first_ = record->end();
    if (record->fill(packets[batch.count])) {
      batch.count++;
    } else {
      skipped_++;
    }
  }
  if (has_ended_ && batch.count == 0 && first_ < last_) give_up("was closed in the middle of a frame");
  return batch;
}

}  // namespace flowstone::card
