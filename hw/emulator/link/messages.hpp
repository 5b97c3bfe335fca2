// SPDX-License-Identifier: Apache-2.0
// What a program asks of a card over its socket: one message there, one back, each whole (SOCK_SEQPACKET). What is done often, which is
// reading registers and copying slots, needs no message: it is done in memory that the answer to kHello hands over.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "../device/card.hpp"

namespace flowstone::card {

enum class Request : uint32_t {
  kHello,        // first: layout of the window; back come the memory and the window as descriptors, first: the card's process
  kLoad,         // uuid: make this xclbin the card's
  kUuid,         // uuid of the xclbin that is loaded; all zeros: none
  kOpenKernel,   // kernel, first: 1 for oneself alone
  kCloseKernel,  // kernel
  kAllocate,     // first: bytes, second: bank; back comes first: the address
  kFree,         // first: address
  kRead,         // kernel, first: offset; back comes first: the value
  kWrite,        // kernel, first: offset, second: value
  kStart,        // kernel, values: arguments
};

using Uuid = std::array<uint8_t, 16>;

struct Message {
  static constexpr uint32_t kMostValues = 32;

  Request request;
  int32_t status;  // of an answer: 0, or a negative errno
  uint32_t kernel;
  uint32_t value_count;
  uint64_t first;
  uint64_t second;
  Uuid uuid;
  RegisterValue values[kMostValues];
};

inline bool has_kernel(Request request) {
  return request == Request::kOpenKernel || request == Request::kCloseKernel || request == Request::kRead ||
         request == Request::kWrite || request == Request::kStart;
}

inline std::string socket_path(const std::string& folder, unsigned number) { return folder + "/card-" + std::to_string(number); }

/** False: the path is too long for a socket. */
inline bool fill_address(const std::string& path, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return true;
}

/** What the xclbin of a design is known by. It changes with the registers; each bitstream of a real card has one of its own. */
inline Uuid uuid_of(const Design& design) {
  Uuid uuid{FS_CARD_TAP_REGISTERS_VERSION, FS_CARD_RING_REGISTERS_VERSION};
  static_assert(FS_CARD_SOURCE_REGISTERS_VERSION == 1, "a later version of the sources needs another text");
  std::memcpy(uuid.data() + 2, design.uuid_text, 14);
  return uuid;
}

}  // namespace flowstone::card
