// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * {@code hw/abi/digests.txt}: what each layout was in each version. Lines are added and never
 * changed, so that a layout which moves without its version being raised is noticed.
 */
final class DigestLedger {
  static final String PATH = "hw/abi/digests.txt";
  private static final String HEADER =
      """
      # What each layout was in each version: version constant, version, layout, SHA-256 of its canonical form.
      # %s from hw/abi/*.yaml, which adds lines and changes none: see hw/abi/README.md.
      """
          .formatted(GeneratedFile.MARK);

  private final Map<Key, String> digests;

  private DigestLedger(Map<Key, String> digests) {
    this.digests = new TreeMap<>(digests);
  }

  /** A layout in one version. */
  private record Key(String versionName, long version, String layout) implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
        Comparator.comparing(Key::versionName)
            .thenComparingLong(Key::version)
            .thenComparing(Key::layout);

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }

    boolean isOf(VersionName name) {
      return versionName.equals(name.toString());
    }
  }

  static DigestLedger read(Path projectRoot) throws IOException {
    Path file = projectRoot.resolve(PATH);
    return parse(Files.exists(file) ? Files.readString(file) : "");
  }

  static DigestLedger parse(String text) {
    Map<Key, String> digests = new TreeMap<>();
    for (String line : text.lines().filter(line -> !line.startsWith("#")).toList()) {
      String[] words = line.split(" ", -1);
      if (words.length != 4 || !words[1].matches("\\d{1,9}")) {
        throw new AbiException(
            PATH + ": expected version constant, version, layout and digest, found '" + line + "'");
      }
      digests.put(new Key(words[0], Long.parseLong(words[1]), words[2]), words[3]);
    }
    return new DigestLedger(digests);
  }

  /** With the layouts as they are now; an error when one is not what its version says it is. */
  DigestLedger with(Abi abi) {
    Map<Key, String> current = current(abi);
    List<String> problems = new ArrayList<>();
    current.forEach((key, digest) -> checkMoved(abi, key, digest, problems));
    abi.versionNames().forEach(name -> checkVersion(abi, name, current, problems));
    if (!problems.isEmpty()) {
      throw new AbiException(problems);
    }
    current.putAll(digests);
    return new DigestLedger(current);
  }

  private static Map<Key, String> current(Abi abi) {
    Map<Key, String> current = new TreeMap<>();
    for (Layout layout : abi.layouts()) {
      for (VersionName name : layout.versions()) {
        long version = name.current(abi).orElseThrow();
        current.put(new Key(name.toString(), version, layout.name()), LayoutDigest.of(abi, layout));
      }
    }
    return current;
  }

  private void checkMoved(Abi abi, Key key, String digest, List<String> problems) {
    String recorded = digests.getOrDefault(key, digest);
    if (!recorded.equals(digest)) {
      problems.add(
          "layout %s is not what %s %d says it is: recorded %s, now %s; %s"
              .formatted(
                  key.layout(),
                  key.versionName(),
                  key.version(),
                  recorded,
                  digest,
                  remedy(abi, key)));
    }
  }

  private void checkVersion(
      Abi abi, VersionName name, Map<Key, String> current, List<String> problems) {
    long version = name.current(abi).orElseThrow();
    List<Key> known = digests.keySet().stream().filter(key -> key.isOf(name)).toList();
    long latest = known.stream().mapToLong(Key::version).max().orElse(version);
    if (latest > version) {
      problems.add(
          "%s is %d, but %s has version %d: versions only rise"
              .formatted(name, version, PATH, latest));
    }
    for (Key key : known) {
      if (key.version() == version && !current.containsKey(key)) {
        problems.add(
            "layout %s is part of %s %d and is gone; %s"
                .formatted(key.layout(), name, version, remedy(abi, key)));
      }
    }
  }

  private static String remedy(Abi abi, Key key) {
    VersionName name = VersionName.parse(key.versionName()).orElseThrow();
    String source =
        abi.pages().stream()
            .filter(page -> page.layouts().stream().anyMatch(l -> l.name().equals(name.layout())))
            .map(Page::source)
            .findFirst()
            .orElseThrow();
    return "raise %s in %s to %d and run: %s (a version that was never released may change: delete its line in %s instead)"
        .formatted(name.constant(), source, key.version() + 1, GeneratedFile.COMMAND, PATH);
  }

  GeneratedFile file() {
    return new GeneratedFile(
        PATH,
        HEADER
            + digests.entrySet().stream()
                .map(entry -> line(entry.getKey(), entry.getValue()))
                .collect(Collectors.joining()));
  }

  private static String line(Key key, String digest) {
    return "%s %d %s %s\n".formatted(key.versionName(), key.version(), key.layout(), digest);
  }
}
