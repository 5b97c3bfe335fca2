// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InterfacePresenceTest {
  private final List<String> said = new ArrayList<>();

  private InterfacePresence presence(boolean waits, boolean there) {
    InterfacePresence presence = new InterfacePresence("eth0", waits, said::add);
    presence.begin(there);
    return presence;
  }

  @Test
  void shouldSayNothingOfAnInterfaceThatIsUpFromTheBeginning() {
    InterfacePresence presence = presence(false, true);
    presence.look(true);
    assertThat(presence.isUp()).isTrue();
    assertThat(said).isEmpty();
  }

  @Test
  void shouldSayOnceThatItIsDownAndOnceThatItIsUpAgain() {
    InterfacePresence presence = presence(false, true);
    presence.look(false);
    presence.look(false);
    assertThat(presence.isUp()).isFalse();
    assertThat(presence.isLost()).isFalse();
    presence.look(true);
    presence.look(true);
    assertThat(presence.isUp()).isTrue();
    assertThat(said)
        .containsExactly(
            "interface eth0 is down; capture goes on when it is up", "interface eth0 is up again");
    assertThat(presence.timesAway()).isEqualTo(1);
  }

  /** Who does not wait ends with an error that says so. */
  @Test
  void shouldBeLostInSilenceWhereNobodyWaits() {
    InterfacePresence presence = presence(false, true);
    presence.wentAway();
    assertThat(presence.isLost()).isTrue();
    assertThat(said).isEmpty();
  }

  @Test
  void shouldBeWaitedFor() {
    InterfacePresence presence = presence(true, false);
    assertThat(presence.isGone()).isTrue();
    assertThat(presence.isLost()).isFalse();
    presence.cameBack();
    presence.wentAway();
    presence.wentAway();
    presence.cameBack();
    assertThat(said)
        .containsExactly(
            "there is no interface eth0 yet; waiting for it",
            "interface eth0 is there; capturing",
            "interface eth0 went away; waiting for it",
            "interface eth0 is there; capturing");
    assertThat(presence.timesAway()).as("not before it was there").isEqualTo(1);
  }

  @Test
  void shouldCountOnceWhatGoesDownBeforeItGoesAway() {
    InterfacePresence presence = presence(true, true);
    presence.look(false);
    presence.wentAway();
    assertThat(presence.timesAway()).isEqualTo(1);
  }
}
