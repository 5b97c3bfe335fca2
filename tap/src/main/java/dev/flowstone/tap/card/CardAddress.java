// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.offheap.xrt.XrtDevice;
import dev.flowstone.offheap.xrt.XrtLibrary;

/** Which card: its number in the machine, or where it is on the bus. */
public sealed interface CardAddress {
  XrtDevice open(XrtLibrary library);

  /**
   * One by its number.
   *
   * @param number as XRT counts the cards
   */
  record ByNumber(int number) implements CardAddress {
    @Override
    public XrtDevice open(XrtLibrary library) {
      return library.open(number);
    }

    @Override
    public String toString() {
      return Integer.toString(number);
    }
  }

  /**
   * One by its place.
   *
   * @param text such as 0000:3b:00.1
   */
  record ByPlace(String text) implements CardAddress {
    @Override
    public XrtDevice open(XrtLibrary library) {
      return library.openByAddress(text);
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** Of what somebody typed. */
  static CardAddress parse(String text) {
    if (text.matches("\\d{1,4}")) {
      return new ByNumber(Integer.parseInt(text));
    }
    if (text.matches("([0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\\.[0-7]")) {
      return new ByPlace(text);
    }
    throw new IllegalArgumentException(
        "a card is a number, such as 0, or its place on the bus, such as 0000:3b:00.1: " + text);
  }
}
