// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import java.util.List;

/**
 * The sockets that share the packets of an interface, all packets of a flow for the same one. Each
 * is used by a thread of its own, but they begin together.
 */
final class CaptureGroup {
  private final List<CapturedInterface> members;
  private boolean listening;

  CaptureGroup(List<CapturedInterface> members) {
    this.members = List.copyOf(members);
  }

  /**
   * Begins, if nobody has. No frame is let through before all have joined: it would come to several
   * sockets, or later ones of its flow to another.
   */
  synchronized void listen() {
    if (listening) {
      return;
    }
    listening = true;
    members.forEach(CapturedInterface::listen);
    if (members.size() > 1) {
      int group = members.getFirst().beginGroup();
      members.stream().skip(1).forEach(member -> member.joinGroup(group));
    }
    members.forEach(CapturedInterface::begin);
  }
}
