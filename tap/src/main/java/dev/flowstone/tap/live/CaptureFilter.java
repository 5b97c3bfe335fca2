// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import dev.flowstone.offheap.Reason;
import dev.flowstone.offheap.net.FilterCompiler;
import dev.flowstone.offheap.net.PacketFilter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Which packets of an interface are captured; the kernel passes over the others. */
public sealed interface CaptureFilter {

  /** The program for frames of a link type. */
  PacketFilter program(LinkType linkType);

  /** In the words of pcap-filter(7), such as {@code tcp port 443}. */
  static CaptureFilter of(String expression) {
    Expression filter = new Expression(expression);
    // What is no filter for Ethernet is none for what an interface turns out to be.
    filter.program(LinkType.ETHERNET);
    return filter;
  }

  /** As {@code tcpdump -ddd} prints it. */
  static CaptureFilter of(Path file) {
    try {
      return new Program(PacketFilter.parse(Files.readAllLines(file)));
    } catch (IOException e) {
      throw new IllegalArgumentException("--filter-program " + file + ": " + Reason.of(e), e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "--filter-program "
              + file
              + ": "
              + e.getMessage()
              + "; make one with tcpdump -i IFACE -ddd 'tcp port 443' > "
              + file,
          e);
    }
  }

  /** Words that libpcap compiles for each link type. */
  record Expression(String text) implements CaptureFilter {
    private static final Pattern VLAN = Pattern.compile("\\bvlan\\b");

    public Expression {
      if (VLAN.matcher(text).find()) {
        throw new IllegalArgumentException(
            "--filter '"
                + text
                + "': the kernel takes VLAN tags out of frames before filters see them, and only"
                + " tcpdump on the interface itself knows where they are then: tcpdump -i IFACE -ddd"
                + " '"
                + text
                + "' > FILE, and --filter-program FILE");
      }
    }

    @Override
    public PacketFilter program(LinkType linkType) {
      FilterCompiler compiler =
          FilterCompiler.find()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "--filter needs libpcap: apt-get install libpcap0.8; or --filter-program"
                              + " with what tcpdump -ddd '"
                              + text
                              + "' prints elsewhere"));
      try {
        return compiler.compile(text, linkType.number());
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "--filter '"
                + text
                + "': "
                + e.getMessage()
                + " (libpcap); man pcap-filter tells the words",
            e);
      }
    }
  }

  /** A program for the interface's frames, whatever they are. */
  record Program(PacketFilter filter) implements CaptureFilter {
    @Override
    public PacketFilter program(LinkType linkType) {
      return filter;
    }
  }
}
