// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.NativeCallException;
import dev.flowstone.offheap.net.PacketSocket;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.raw.SourceCounters;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Frames of a network interface, as the kernel stamps them. Nothing is copied: descriptors point
 * into the kernel's block, which goes back to the kernel with the call of {@link #fill} that
 * follows its last packet. Capture begins with the first such call. A VLAN tag that the card took
 * out is put back, and counts in the length.
 *
 * <p>On a loopback interface every frame shows twice, leaving and arriving; the leaving one is
 * skipped.
 */
public final class LiveSource implements PacketSource {
  private static final int HARDWARE_ETHERNET = 1;
  private static final int HARDWARE_PPP = 512;
  private static final int HARDWARE_LOOPBACK = 772;
  private static final int HARDWARE_TUNNEL4 = 768;
  private static final int HARDWARE_TUNNEL6 = 769;
  private static final int HARDWARE_NONE = 65534;
  private static final int LINK_TYPE_ETHERNET = 1;
  private static final int LINK_TYPE_RAW_IP = 12;

  private enum Listening {
    NOT_YET,
    YES,
    NO_MORE
  }

  private static final long SECOND_NS = 1_000_000_000;
  private static final long MILLISECOND_NS = 1_000_000;

  private final PacketSocket socket;
  private final KernelBlock blocks;
  private final String interfaceName;
  private final long ringBytes;
  private final int waitMs;
  private final int linkType;
  private final boolean loopback;
  private long block;
  private long frame;
  private int framesLeft;
  private Listening listening = Listening.NOT_YET;
  private boolean holdsBlock;
  private long packets;
  private long wireBytes;
  private long capturedBytes;
  private long kernelDrops;
  private long skipped;

  public LiveSource(LiveOptions options) {
    interfaceName = options.interfaceName();
    waitMs = (int) options.retire().toMillis();
    socket = open(options);
    blocks = new KernelBlock(socket.ring());
    ringBytes = socket.ring().byteSize();
    loopback = socket.hardwareType() == HARDWARE_LOOPBACK;
    try {
      linkType = linkType(socket.hardwareType());
    } catch (LiveCaptureException e) {
      socket.close();
      throw e;
    }
  }

  private static PacketSocket open(LiveOptions options) {
    try {
      return PacketSocket.open(
          options.interfaceName(),
          LiveOptions.BLOCK_BYTES,
          options.blocks(),
          (int) options.retire().toMillis(),
          options.promiscuous());
    } catch (NativeCallException e) {
      throw switch (e.errno()) {
        case PacketSocket.ERRNO_NOT_PERMITTED -> new LiveCaptureException(notPermitted(), e);
        case PacketSocket.ERRNO_NO_SUCH_DEVICE ->
            new LiveCaptureException(
                "no interface " + options.interfaceName() + "; there are: " + interfaces(), e);
        default ->
            new LiveCaptureException(
                "cannot listen to " + options.interfaceName() + ": " + e.getMessage(), e);
      };
    }
  }

  /**
   * With file capabilities the dynamic linker no longer looks beside the program for its libraries.
   */
  private static String notPermitted() {
    String java = ProcessHandle.current().info().command().orElse("$(command -v java)");
    return "live capture needs the capability CAP_NET_RAW: run as root, or once: sudo setcap"
        + " cap_net_raw+ep $(readlink -f "
        + java
        + "); if java then does not find libjli.so: echo "
        + System.getProperty("java.home")
        + "/lib | sudo tee /etc/ld.so.conf.d/java.conf && sudo ldconfig";
  }

  private static String interfaces() {
    try {
      return String.join(
          ", ",
          NetworkInterface.networkInterfaces().map(NetworkInterface::getName).sorted().toList());
    } catch (SocketException e) {
      return "(cannot be listed: " + e.getMessage() + ")";
    }
  }

  private int linkType(int hardwareType) {
    return switch (hardwareType) {
      case HARDWARE_ETHERNET, HARDWARE_LOOPBACK -> LINK_TYPE_ETHERNET;
      case HARDWARE_PPP, HARDWARE_TUNNEL4, HARDWARE_TUNNEL6, HARDWARE_NONE -> LINK_TYPE_RAW_IP;
      default ->
          throw new LiveCaptureException(
              "interface "
                  + interfaceName
                  + " has hardware type "
                  + hardwareType
                  + "; accepted: Ethernet (1), loopback (772) and IP tunnels (512, 768, 769, 65534)");
    };
  }

  @Override
  public int fill(RawPacketBatch batch) {
    batch.begin(socket.ring());
    if (listening == Listening.NOT_YET) {
      socket.listen();
      listening = Listening.YES;
    }
    if (framesLeft == 0) {
      giveBack();
      if (!awaitBlock()) {
        return listening == Listening.YES ? 0 : END;
      }
      holdsBlock = true;
      framesLeft = blocks.packets(block);
      frame = blocks.firstFrame(block);
    }
    while (framesLeft > 0 && batch.hasRoom()) {
      add(batch);
      framesLeft--;
      if (framesLeft > 0) {
        frame = blocks.nextFrame(frame);
      }
    }
    packets += batch.count();
    return batch.count();
  }

  /** The kernel hands the last block over when its time is up, also when nothing comes any more. */
  private boolean awaitBlock() {
    if (blocks.isReady(block)) {
      return true;
    }
    socket.await(listening == Listening.YES ? waitMs : 2 * waitMs);
    return blocks.isReady(block);
  }

  private void giveBack() {
    if (holdsBlock) {
      blocks.giveBack(block);
      holdsBlock = false;
      block = (block + LiveOptions.BLOCK_BYTES) % ringBytes;
    }
  }

  private void add(RawPacketBatch batch) {
    if (loopback && blocks.isOutgoing(frame)) {
      skipped++;
      return;
    }
    long data = blocks.data(frame);
    int captured = blocks.capturedBytes(frame);
    int wire = blocks.wireBytes(frame);
    if (linkType == LINK_TYPE_ETHERNET && blocks.hasVlan(frame)) {
      blocks.restoreVlan(frame);
      data -= KernelBlock.VLAN_BYTES;
      captured += KernelBlock.VLAN_BYTES;
      wire += KernelBlock.VLAN_BYTES;
    }
    batch.append(data, blocks.timeNs(frame), captured, wire, linkType, 0);
    wireBytes += Integer.toUnsignedLong(wire);
    capturedBytes += captured;
  }

  @Override
  public boolean stopCatching() {
    if (listening == Listening.YES) {
      socket.stopListening();
    }
    listening = Listening.NO_MORE;
    return true;
  }

  @Override
  public int clock() {
    return RingClock.WALL;
  }

  /** Frames may still wait in a block that the kernel has not handed over. */
  @Override
  public long idleClockNs() {
    Instant now = Instant.now();
    return now.getEpochSecond() * SECOND_NS + now.getNano() - 2L * waitMs * MILLISECOND_NS;
  }

  /** Asks the kernel for its drops; do not call it for every batch. */
  @Override
  public SourceCounters counters() {
    kernelDrops += socket.takeDrops();
    return new SourceCounters(
        packets, wireBytes, capturedBytes, kernelDrops, skipped, Map.of(), List.of());
  }

  @Override
  public double progress() {
    return Double.NaN;
  }

  @Override
  public void close() {
    socket.close();
  }
}
