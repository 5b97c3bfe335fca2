// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import java.util.function.Consumer;

/**
 * Whether an interface is up, down or gone, as far as anybody has looked. Says each change in a
 * line. One thread.
 */
final class InterfacePresence {
  private enum State {
    UP,
    DOWN,
    GONE
  }

  private final String name;
  private final boolean waits;
  private final Consumer<String> say;
  private State state = State.GONE;
  private long timesAway;

  /**
   * @param waits whether an interface that is gone is waited for
   */
  InterfacePresence(String name, boolean waits, Consumer<String> say) {
    this.name = name;
    this.waits = waits;
    this.say = say;
  }

  /** At the beginning: it is there, or there is none yet. */
  void begin(boolean there) {
    if (there) {
      state = State.UP;
    } else {
      say.accept("there is no interface " + name + " yet; waiting for it");
    }
  }

  /** There is one of that name, after there was none. */
  void cameBack() {
    state = State.UP;
    say.accept("interface " + name + " is there; capturing");
  }

  /** It is up or down. */
  void look(boolean up) {
    if (!up) {
      leave(State.DOWN, "interface " + name + " is down; capture goes on when it is up");
    } else if (state == State.DOWN) {
      state = State.UP;
      say.accept("interface " + name + " is up again");
    }
  }

  void wentAway() {
    leave(State.GONE, waits ? "interface " + name + " went away; waiting for it" : "");
  }

  private void leave(State now, String words) {
    if (state == now) {
      return;
    }
    if (state == State.UP) {
      timesAway++;
    }
    state = now;
    if (!words.isEmpty()) {
      say.accept(words);
    }
  }

  /** Whether packets may come now: only then does their absence mean anything. */
  boolean isUp() {
    return state == State.UP;
  }

  boolean isGone() {
    return state == State.GONE;
  }

  /** Nothing will come any more. */
  boolean isLost() {
    return isGone() && !waits;
  }

  /** How often it went down or away; what goes down before it goes away went once. */
  long timesAway() {
    return timesAway;
  }
}
