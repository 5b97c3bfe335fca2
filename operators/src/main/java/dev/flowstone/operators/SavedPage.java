// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.offheap.flows.FlowTableSize;
import dev.flowstone.offheap.flows.PackedPage;

/** A page of flows as state had it, packed still. */
final class SavedPage {
  final int number;
  final FlowTableSize size;

  /** Whether it is in keyed state as it is. */
  final boolean isSaved;

  private final byte[] packed;
  private final int offset;

  SavedPage(int number, FlowTableSize size, byte[] packed, int offset, boolean isSaved) {
    this.number = number;
    this.size = size;
    this.packed = packed;
    this.offset = offset;
    this.isSaved = isSaved;
  }

  /** One of keyed state. */
  SavedPage(int number, byte[] value, FlowPageHeader header) {
    this(number, new FlowTableSize(header.stateBytesOf(value), 1), value, header.sizeBytes(), true);
  }

  /** Else pages hold another number of flows, and get other numbers. */
  boolean isOf(int stateBytes) {
    return size.stateBytes() == stateBytes;
  }

  int lengthBytes() {
    return packed.length - offset;
  }

  /** Takes what {@link #unpack} writes. */
  byte[] content() {
    return new byte[size.contentBytes()];
  }

  /** Whether it was a page. */
  boolean unpack(byte[] content) {
    return PackedPage.unpack(packed, offset, packed.length, content);
  }
}
