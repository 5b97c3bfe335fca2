// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.model.abi.CardRingRegistersLayout;
import dev.flowstone.model.abi.CardSourceRegistersLayout;
import dev.flowstone.model.abi.CardTapRegistersLayout;

/** Where a kernel has the registers that all kernels have, and what it calls itself. */
enum KernelLayout {
  TAP(
      CardTapRegistersLayout.MAGIC,
      CardTapRegistersLayout.VERSION,
      CardTapRegistersLayout.CONTROL_OFFSET,
      CardTapRegistersLayout.IDLE_MASK << CardTapRegistersLayout.IDLE_SHIFT,
      CardTapRegistersLayout.STOP_OFFSET,
      CardTapRegistersLayout.MAGIC_OFFSET,
      CardTapRegistersLayout.VERSION_OFFSET,
      CardTapRegistersLayout.BUILD_OFFSET),
  RINGS(
      CardRingRegistersLayout.MAGIC,
      CardRingRegistersLayout.VERSION,
      CardRingRegistersLayout.CONTROL_OFFSET,
      CardRingRegistersLayout.IDLE_MASK << CardRingRegistersLayout.IDLE_SHIFT,
      CardRingRegistersLayout.STOP_OFFSET,
      CardRingRegistersLayout.MAGIC_OFFSET,
      CardRingRegistersLayout.VERSION_OFFSET,
      CardRingRegistersLayout.BUILD_OFFSET),
  SOURCE(
      CardSourceRegistersLayout.MAGIC,
      CardSourceRegistersLayout.VERSION,
      CardSourceRegistersLayout.CONTROL_OFFSET,
      CardSourceRegistersLayout.IDLE_MASK << CardSourceRegistersLayout.IDLE_SHIFT,
      CardSourceRegistersLayout.STOP_OFFSET,
      CardSourceRegistersLayout.MAGIC_OFFSET,
      CardSourceRegistersLayout.VERSION_OFFSET,
      CardSourceRegistersLayout.BUILD_OFFSET);

  final int magic;
  final int version;
  final long controlOffset;
  final int idleBit;
  final long stopOffset;
  final long magicOffset;
  final long versionOffset;
  final long buildOffset;

  KernelLayout(
      int magic,
      int version,
      long controlOffset,
      int idleBit,
      long stopOffset,
      long magicOffset,
      long versionOffset,
      long buildOffset) {
    this.magic = magic;
    this.version = version;
    this.controlOffset = controlOffset;
    this.idleBit = idleBit;
    this.stopOffset = stopOffset;
    this.magicOffset = magicOffset;
    this.versionOffset = versionOffset;
    this.buildOffset = buildOffset;
  }
}
