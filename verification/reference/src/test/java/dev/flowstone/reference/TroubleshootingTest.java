// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds the page against the code: it is of use only while it has the words that people see. */
class TroubleshootingTest {
  private static final String PAGE = "docs/troubleshooting.md";
  private static final Project PROJECT = Project.find();
  private static final String TEXT = PROJECT.read(PAGE);

  private static final Pattern MESSAGES = Pattern.compile("(?s)```message\n(.*?)\n```");
  private static final String WHAT_DIFFERS = "…";
  private static final int LEAST_FIXED_LETTERS = 12;

  /** The end of one literal, a sign of addition, and the begin of the next. */
  private static final Pattern BETWEEN_LITERALS = Pattern.compile("\"\\s*\\+\\s*\"");

  /** Words in backticks, but not those of whole blocks. */
  private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");

  private static final Pattern OPTION = Pattern.compile("--[a-z][a-z0-9-]+");

  /** Those of Flink's, Kafka's and the system's own programs. */
  private static final Set<String> OF_OTHERS =
      Set.of("--bootstrap-server", "--describe", "--enable-native-access", "--shm-size");

  @Test
  void shouldQuoteWhatTheProductSays() {
    List<String> sources = sources();
    List<String> unknown = messages().filter(message -> !isSaidIn(sources, message)).toList();
    assertThat(unknown).as("messages that no source has; change the page with the code").isEmpty();
    assertThat(messages()).hasSizeGreaterThan(40);
  }

  @Test
  void shouldFindNoMessageThatNobodySays() {
    List<String> sources =
        List.of(
            asSaid(
                "throw new X(\"%s: no room is left for \" + count + \" rings,\"\n + \" and %,d MiB\");"));
    assertThat(isSaidIn(sources, "…: no room is left for … rings, and … MiB")).isTrue();
    assertThat(isSaidIn(sources, "…: no room is left for … rings, or … MiB")).isFalse();
    assertThat(isSaidIn(sources, "… rings, and … MiB … no room is left for")).isFalse();
  }

  /** A line that is set in goes on with the one before. */
  private static Stream<String> messages() {
    return MESSAGES
        .matcher(TEXT)
        .results()
        .map(match -> match.group(1).replaceAll("\n +", " "))
        .flatMap(String::lines);
  }

  private static List<String> sources() {
    List<Path> files = new ArrayList<>(PROJECT.javaSources());
    files.addAll(PROJECT.below(PROJECT.root().resolve("build-support"), ".sh"));
    files.addAll(PROJECT.below(PROJECT.root().resolve("notebooks/flowstone"), ".py"));
    files.addAll(PROJECT.below(PROJECT.root().resolve("monitoring/src/main/resources"), ".js"));
    return files.stream().map(Project::read).map(TroubleshootingTest::asSaid).toList();
  }

  /** With literals that are added up as one. */
  private static String asSaid(String source) {
    return BETWEEN_LITERALS.matcher(source).replaceAll("").replace("\\\"", "\"");
  }

  /** Its fixed parts stand in one source, in their order. */
  private static boolean isSaidIn(List<String> sources, String message) {
    List<String> parts =
        Stream.of(message.replaceFirst("^(flowstone|warning): ", "").split(WHAT_DIFFERS))
            .map(String::strip)
            .filter(part -> part.length() > 1)
            .toList();
    assertThat(parts)
        .as("fixed words of: %s", message)
        .anyMatch(part -> part.length() >= LEAST_FIXED_LETTERS);
    return sources.stream().anyMatch(source -> hasInOrder(source, parts));
  }

  private static boolean hasInOrder(String source, List<String> parts) {
    String first = parts.getFirst();
    for (int at = source.indexOf(first); at >= 0; at = source.indexOf(first, at + 1)) {
      int end = at + first.length();
      for (int i = 1; i < parts.size() && end >= 0; i++) {
        int next = source.indexOf(parts.get(i), end);
        end = next < 0 ? -1 : next + parts.get(i).length();
      }
      if (end >= 0) {
        return true;
      }
    }
    return false;
  }

  @Test
  void shouldNameOptionsThatThereAre() {
    String reference = Reference.pages(PROJECT).stream().map(Page::text).reduce("", String::concat);
    Set<String> unknown = new TreeSet<>();
    CODE.matcher(TEXT)
        .results()
        .flatMap(code -> OPTION.matcher(code.group(1)).results())
        .map(MatchResult::group)
        .filter(option -> !OF_OTHERS.contains(option))
        .filter(
            option -> !Pattern.compile("[`, ]" + option + "[` ,\\[=]").matcher(reference).find())
        .forEach(unknown::add);
    assertThat(unknown).as("options in %s", PAGE).isEmpty();
  }

  @Test
  void shouldNameMetricsThatThereAre() {
    String metrics = PROJECT.read(Page.FOLDER + "/metrics.md");
    Set<String> unknown = new TreeSet<>();
    CODE.matcher(TEXT)
        .results()
        .map(code -> code.group(1).replaceAll("\\{.*", ""))
        .filter(
            word -> word.matches("(packets|flows|parts|results|rules|ring|backlog|flowstone_)\\w+"))
        .filter(word -> !metrics.contains("`" + word + "`"))
        .filter(word -> !word.matches("[a-z]+") && !word.equals("packet_counts"))
        .forEach(unknown::add);
    assertThat(unknown).as("metrics in %s", PAGE).isEmpty();
  }

  @Test
  void shouldLeadFromEachSymptomToItsSection() {
    Set<String> sections = new TreeSet<>();
    Pattern.compile("(?m)^## (.*)$")
        .matcher(TEXT)
        .results()
        .forEach(section -> sections.add(Words.anchor(section.group(1))));
    Set<String> linked = new TreeSet<>();
    Pattern.compile("\\]\\(#([^)]+)\\)")
        .matcher(TEXT)
        .results()
        .forEach(link -> linked.add(link.group(1)));
    assertThat(linked).isEqualTo(sections);
  }
}
