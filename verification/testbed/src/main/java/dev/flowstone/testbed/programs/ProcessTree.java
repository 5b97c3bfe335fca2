// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.programs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A process and all that it started, as the kernel sees them now. */
public record ProcessTree(ProcessHandle root) {
  private static final long KIB = 1024;
  private static final Pattern SHARE = Pattern.compile("(?m)^Pss:\\s+(\\d+) kB");
  private static final Pattern SOCKET = Pattern.compile("socket:\\[(\\d+)]");

  /** State LISTEN in the kernel's tables. */
  private static final String LISTEN = "0A";

  /** 127.0.0.1, ::1 and ::ffff:127.0.0.1 as those tables write them, word by word. */
  private static final Set<String> LOOPBACK =
      Set.of("0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F");

  private List<Path> folders() {
    return Stream.concat(Stream.of(root), root.descendants())
        .map(process -> Path.of("/proc", Long.toString(process.pid())))
        .toList();
  }

  /** Memory of all together; a page that several share counts once. */
  public long memoryBytes() {
    long kib = 0;
    for (Path process : folders()) {
      Matcher share = SHARE.matcher(read(process.resolve("smaps_rollup")));
      kib += share.find() ? Long.parseLong(share.group(1)) : 0;
    }
    return kib * KIB;
  }

  /** Addresses with ports, as the kernel writes them, where somebody else could connect. */
  public List<String> listeningBeyondLoopback() {
    return listening().stream()
        .filter(address -> !LOOPBACK.contains(address.substring(0, address.indexOf(':'))))
        .toList();
  }

  public List<String> listening() {
    Set<String> own = sockets();
    List<String> found = new ArrayList<>();
    for (String table : List.of("tcp", "tcp6")) {
      for (String line : read(Path.of("/proc/self/net", table)).lines().skip(1).toList()) {
        String[] columns = line.strip().split("\\s+", -1);
        if (columns[3].equals(LISTEN) && own.contains(columns[9])) {
          found.add(columns[1]);
        }
      }
    }
    return found;
  }

  private Set<String> sockets() {
    Set<String> inodes = new HashSet<>();
    for (Path process : folders()) {
      try (Stream<Path> descriptors = Files.list(process.resolve("fd"))) {
        descriptors.forEach(descriptor -> inodes.addAll(inode(descriptor)));
      } catch (IOException ended) {
        // A process that ended listens to nobody.
      }
    }
    return inodes;
  }

  private static Set<String> inode(Path descriptor) {
    try {
      Matcher socket = SOCKET.matcher(Files.readSymbolicLink(descriptor).toString());
      return socket.matches() ? Set.of(socket.group(1)) : Set.of();
    } catch (IOException closed) {
      return Set.of();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException ended) {
      return "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
