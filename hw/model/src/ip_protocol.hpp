// SPDX-License-Identifier: Apache-2.0
// The protocols above IP that parser and packer know, by the numbers that IANA gives them.
#pragma once

#include <cstdint>

namespace flowstone {

enum IpProtocol : uint8_t {
  kHopByHop = 0,
  kIcmp = 1,
  kTcp = 6,
  kUdp = 17,
  kDccp = 33,
  kRouting = 43,
  kFragment = 44,
  kAuthentication = 51,
  kIcmpV6 = 58,
  kDestinationOptions = 60,
  kSctp = 132,
  kUdpLite = 136,
};

}  // namespace flowstone
