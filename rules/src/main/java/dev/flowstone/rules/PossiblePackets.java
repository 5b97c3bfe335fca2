// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.RecordKind;
import java.util.Optional;

/**
 * The packets of a match as far as its conditions can contradict one another: by version,
 * encapsulation, fragment, protocol, flags, and whether there are ports. What it takes for possible
 * may never come; what it takes for impossible cannot.
 */
record PossiblePackets(Match match) {
  private static final int[] IP_KINDS = {
    RecordKind.IPV4, RecordKind.IPV6, RecordKind.IPV4_ENCAPSULATED, RecordKind.IPV6_ENCAPSULATED
  };

  boolean hasAny() {
    return (!match.asksIp() && match.allows(RecordKind.OTHER, false))
        || hasAny(ByteMatch.ANY, ByteMatch.ANY);
  }

  /** Any IP packet of such a protocol and, if that is TCP, of such flags. */
  boolean hasAny(ByteMatch protocols, ByteMatch flags) {
    for (int kind : IP_KINDS) {
      if (ofVersion(match.source(), kind) && ofVersion(match.destination(), kind)) {
        if (hasAny(kind, false, protocols, flags) || hasAny(kind, true, protocols, flags)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean ofVersion(Optional<AddressMatch> asked, int kind) {
    return asked.isEmpty() || asked.get().ipv4() == PacketRecord.isIpv4(kind);
  }

  private boolean hasAny(int kind, boolean isLaterFragment, ByteMatch protocols, ByteMatch flags) {
    if (!match.allows(kind, isLaterFragment)) {
      return false;
    }
    for (int protocol = 0; protocol <= ByteMatch.MOST; protocol++) {
      if (protocols.matches(protocol)
          && match.protocol().orElse(ByteMatch.ANY).matches(protocol)
          && canHavePorts(protocol, isLaterFragment)
          && canHaveFlags(protocol, isLaterFragment, flags)) {
        return true;
      }
    }
    return false;
  }

  private boolean canHavePorts(int protocol, boolean isLaterFragment) {
    return (Protocols.hasPorts(protocol) && !isLaterFragment)
        || (isNoneAllowed(match.sourcePort()) && isNoneAllowed(match.destinationPort()));
  }

  private static boolean isNoneAllowed(Optional<PortMatch> asked) {
    return asked.isEmpty() || asked.get().matches(0);
  }

  private boolean canHaveFlags(int protocol, boolean isLaterFragment, ByteMatch flags) {
    if (protocol != Protocols.TCP) {
      return match.tcpFlags().isEmpty();
    }
    ByteMatch asked = match.tcpFlags().orElse(ByteMatch.ANY);
    return isLaterFragment ? asked.matches(0) && flags.matches(0) : asked.overlaps(flags);
  }
}
