// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.traffic.synthetic.SyntheticOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CardFeedTest {
  private static final Path PIPE = Path.of("pipe");

  @ParameterizedTest
  @ValueSource(strings = {"a.pcap,b.pcap", "generator:rate=5", "none", "synthetic.pcap", "pipe:p"})
  void shouldLeaveToTheCardWhatItKnows(String text) {
    CardFeed feed = CardFeed.parse(text);
    assertThat(feed.argument(PIPE)).isEqualTo(text);
    assertThat(feed.start(PIPE)).isEmpty();
    assertThat(feed.isSent()).isFalse();
    assertThat(feed.hasTimes()).isEqualTo(!text.startsWith("generator"));
  }

  @Test
  void shouldKnowTheCapturesThatACardCouldSend() {
    assertThat(CardFeed.parse("a.pcap,b/c.pcap").captures())
        .containsExactly(Path.of("a.pcap"), Path.of("b/c.pcap"));
    assertThat(CardFeed.parse("none").captures()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"generator", "generator:rate=5", "pipe:p", "synthetic"})
  void shouldRefuseWhatACardCannotSend(String text) {
    CardFeed feed = CardFeed.parse(text);
    assertThatThrownBy(feed::captures)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("--feed " + text + ": a card without a cable sends captures");
  }

  @Test
  void shouldTakeTheOptionsOfATapOfSyntheticTraffic() {
    CardFeed feed =
        CardFeed.parse(
            "synthetic:preset=syn-flood,flood=2k,rate=1.5k,packets=7,seed=3,unlimited,start=1970-01-01T00:00:01Z");
    SyntheticOptions options = ((CardFeed.Synthetic) feed).traffic().options();
    assertThat(options)
        .isEqualTo(
            SyntheticOptions.preset("syn-flood")
                .withFloodRate(2000)
                .withPacketsPerSecond(1500)
                .withPackets(7)
                .withSeed(3)
                .withStartNs(1_000_000_000));
    assertThat(feed.argument(PIPE)).isEqualTo("pipe:pipe");
    assertThat(feed.hasTimes()).isTrue();
    assertThat(feed.isSent()).isTrue();
    assertThat(CardFeed.parse("synthetic")).isInstanceOf(CardFeed.Synthetic.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "synthetic:preset=ocean|ocean",
        "synthetic:rate=0|--rate must be 1 to 1g packets per second: 0",
        "synthetic:flood=5|--flood is for the preset syn-flood alone",
        "synthetic:rings=2|unknown option --rings",
        "synthetic:start=soon|--start is now"
      })
  void shouldSayWhatIsWrongWithThem(String text, String said) {
    assertThatThrownBy(() -> CardFeed.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(said);
  }
}
