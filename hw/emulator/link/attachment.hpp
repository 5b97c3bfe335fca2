// SPDX-License-Identifier: Apache-2.0
// A program's side of a card: what both front ends, the library and the HAL, are made of. All calls may come from any thread; what
// fails returns a negative errno, -ENODEV once the card's process is gone. Closing it, or dying, gives everything back.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "messages.hpp"

namespace flowstone::card {

class Attachment {
 public:
  /** Null: there is no such card, and problem says why and what to do. */
  static std::unique_ptr<Attachment> open(unsigned number, std::string& problem);

  /** How many cards the folder has room for: one more than the highest number. */
  static unsigned count();

  ~Attachment();
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

  /** -EBUSY: another program has kernels open. */
  int load(const Uuid& uuid);
  int loaded(Uuid& uuid);

  /** -EBUSY: somebody has it for himself, or it is wanted alone and somebody has it. */
  int open_kernel(uint32_t kernel, bool is_exclusive);
  int close_kernel(uint32_t kernel);

  int read_register(uint32_t kernel, uint32_t offset_bytes, uint32_t& value);
  int write_register(uint32_t kernel, uint32_t offset_bytes, uint32_t value);

  static constexpr uint64_t kNotStarted = UINT64_MAX;
  /** Ticket: for wait(). -EBUSY: it runs. */
  int start(uint32_t kernel, const std::vector<RegisterValue>& arguments, uint64_t& ticket);
  bool has_ended(uint32_t kernel, uint64_t ticket) const;
  /** -ETIME: it still runs. */
  int wait(uint32_t kernel, uint64_t ticket, int64_t timeout_ms);

  int allocate(uint64_t bytes, uint32_t bank, uint64_t& address);
  int free(uint64_t address);
  int copy_to_card(uint64_t address, const void* from, uint64_t bytes);
  int copy_from_card(uint64_t address, void* to, uint64_t bytes);

 private:
  Attachment(int socket, int memory, int window);

  static std::unique_ptr<Attachment> greet(int socket, std::string& problem);
  bool is_alive();
  int ask(Message& message);
  CardWindow& window() const { return *reinterpret_cast<CardWindow*>(window_.address()); }

  const int socket_;
  SharedMemory memory_;
  SharedMemory window_;
  std::mutex mutex_;
  std::atomic<bool> is_gone_{false};
  std::atomic<uint64_t> looked_ns_{0};
};

/** A program's copy of a part of the card's memory. Fresh, it holds what looks like packets, as the memory of a real one may. */
class HostBuffer {
 public:
  explicit HostBuffer(uint64_t bytes);
  ~HostBuffer();
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;

  /** Null: the machine has no more memory. */
  uint8_t* address() const { return address_; }

 private:
  uint64_t bytes_;
  uint8_t* address_;
};

}  // namespace flowstone::card
