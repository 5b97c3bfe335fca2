// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import dev.flowstone.offheap.NativeCallException;
import dev.flowstone.offheap.net.NetworkDevice;
import dev.flowstone.offheap.net.PacketFilter;
import dev.flowstone.offheap.net.PacketSocket;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * An interface and what becomes of it while its packets are captured: it may go down and come up
 * again, go away, and come back as another one of the same name. Closed by whoever made it; one
 * thread.
 */
final class CapturedInterface implements AutoCloseable {
  private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);

  private final String name;
  private final boolean waits;
  private final boolean stampedByHardware;
  private final Optional<CaptureFilter> filter;
  private final Consumer<String> say;
  private final PacketSocket socket;
  private final InterfacePresence presence;
  private boolean listening;
  private LinkType linkType = LinkType.ETHERNET;
  private Optional<PacketFilter> program = Optional.empty();
  private boolean loopback;
  private int longestFrameBytes;
  private long lookedNs = System.nanoTime() - LOOK_NS;

  CapturedInterface(LiveOptions options, Consumer<String> say) {
    name = options.interfaceName();
    waits = options.waitForInterface();
    stampedByHardware = options.timestamps() == LiveOptions.Timestamps.HARDWARE;
    filter = options.filter();
    this.say = say;
    presence = new InterfacePresence(name, waits, say);
    socket = open(options);
    try {
      presence.begin(attach());
    } catch (RuntimeException e) {
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
      if (e.errno() == PacketSocket.ERRNO_NOT_PERMITTED) {
        throw new LiveCaptureException(notPermitted(), e);
      }
      throw cannotListen(options.interfaceName(), e);
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

  /** Takes the interface if it is there; false: it is not, and is waited for. */
  private boolean attach() {
    try {
      socket.attach();
      linkType = LinkType.of(name, socket.hardwareType());
      program = filter.map(this::compiled);
      loopback = socket.hardwareType() == LinkType.HARDWARE_LOOPBACK;
      socket.ignoreOutgoing(loopback);
      NetworkDevice device = socket.device();
      longestFrameBytes = longestFrameBytes(device);
      stampByHardware(device);
      warnOfMergedFrames(device.offloads());
      if (listening) {
        socket.listen();
        socket.begin(program);
      }
      return true;
    } catch (NativeCallException e) {
      if (e.errno() != PacketSocket.ERRNO_NO_SUCH_DEVICE) {
        throw cannotListen(name, e);
      }
      if (!waits) {
        throw new LiveCaptureException("no interface " + name + "; there are: " + interfaces(), e);
      }
      return false;
    }
  }

  private static LiveCaptureException cannotListen(String name, NativeCallException e) {
    return new LiveCaptureException("cannot listen to " + name + ": " + e.getMessage(), e);
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

  private void stampByHardware(NetworkDevice device) {
    if (!stampedByHardware) {
      return;
    }
    try {
      device.stampReceived();
      socket.preferHardwareTimestamps();
    } catch (NativeCallException e) {
      throw new LiveCaptureException(
          "interface "
              + name
              + " cannot be made to stamp packets in hardware ("
              + e.getMessage()
              + "); ethtool -T "
              + name
              + " tells what it can; without --timestamps hardware the kernel stamps",
          e);
    }
  }

  private void warnOfMergedFrames(Set<NetworkDevice.Offload> offloads) {
    if (!offloads.isEmpty()) {
      String off =
          offloads.stream()
              .map(offload -> " " + offload.ethtoolName() + " off")
              .collect(Collectors.joining());
      say.accept(
          "interface "
              + name
              + " shows packets merged into longer frames, each counted as one packet; for single"
              + " packets: ethtool -K "
              + name
              + off);
    }
  }

  /** With two VLAN tags, as IEEE 802.1ad has them; the MTU counts neither. */
  private int longestFrameBytes(NetworkDevice device) {
    return device.mtuBytes() + linkType.headerBytes() + 2 * KernelBlock.VLAN_BYTES;
  }

  /** Frames come after {@link #begin}. */
  void listen() {
    listening = true;
    ifThere(socket::listen);
  }

  /** The number of a group that shares the frames; for one that listens. */
  int beginGroup() {
    int[] group = {0};
    ifThere(() -> group[0] = socket.beginGroup());
    return group[0];
  }

  void joinGroup(int group) {
    ifThere(() -> socket.joinGroup(group));
  }

  void begin() {
    ifThere(() -> socket.begin(program));
  }

  /** Whether the kernel takes it is known before anything begins. */
  private PacketFilter compiled(CaptureFilter words) {
    PacketFilter made = words.program(linkType);
    try {
      socket.tryFilter(made);
      return made;
    } catch (NativeCallException e) {
      throw new LiveCaptureException(
          "the kernel refuses this filter for " + name + ": " + e.getMessage(), e);
    }
  }

  void stopListening() {
    listening = false;
    ifThere(socket::stopListening);
  }

  /** It may go away at any moment. */
  private void ifThere(Runnable call) {
    try {
      if (!presence.isGone()) {
        call.run();
      }
    } catch (NativeCallException e) {
      if (e.errno() != PacketSocket.ERRNO_NO_SUCH_DEVICE) {
        throw cannotListen(name, e);
      }
      presence.wentAway();
    }
  }

  /** Waits for packets, and sees to the interface when none come. */
  void await(int timeoutMs) {
    PacketSocket.Event event = socket.await(timeoutMs);
    if (event == PacketSocket.Event.TROUBLE) {
      int error = socket.takeError();
      if (error != 0 && error != PacketSocket.ERRNO_NETWORK_DOWN) {
        throw cannotListen(name, new NativeCallException("capture on " + name, error));
      }
    }
    if (event == PacketSocket.Event.TROUBLE || !presence.isUp()) {
      look();
    }
  }

  private void look() {
    if (presence.isGone()) {
      lookForNewOne();
    } else if (!socket.isAttached()) {
      presence.wentAway();
    } else {
      presence.look(socket.device().isUp());
    }
  }

  private void lookForNewOne() {
    long nowNs = System.nanoTime();
    if (waits && nowNs - lookedNs >= LOOK_NS) {
      lookedNs = nowNs;
      if (attach()) {
        presence.cameBack();
      }
    }
  }

  InterfacePresence presence() {
    return presence;
  }

  /** Whether a frame is longer than the interface sends; what it sends may have changed. */
  boolean isMerged(int wireBytes) {
    if (wireBytes <= longestFrameBytes) {
      return false;
    }
    long nowNs = System.nanoTime();
    if (presence.isUp() && nowNs - lookedNs >= LOOK_NS) {
      lookedNs = nowNs;
      askForLongestFrame();
    }
    return wireBytes > longestFrameBytes;
  }

  private void askForLongestFrame() {
    try {
      longestFrameBytes = longestFrameBytes(socket.device());
    } catch (NativeCallException e) {
      if (e.errno() != PacketSocket.ERRNO_NO_SUCH_DEVICE) {
        throw e;
      }
      // It has another name now, or is about to be missed.
    }
  }

  LinkType linkType() {
    return linkType;
  }

  boolean isLoopback() {
    return loopback;
  }

  PacketSocket socket() {
    return socket;
  }

  @Override
  public void close() {
    socket.close();
  }
}
