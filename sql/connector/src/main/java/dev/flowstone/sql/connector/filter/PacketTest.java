// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.filter;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.rules.AddressMatch;
import dev.flowstone.sql.connector.packets.PacketColumn;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;

/**
 * A condition on a packet, tried where the packet lies. True where SQL says TRUE, false where it
 * says FALSE or UNKNOWN: so there is no NOT, whose place {@link PushedFilters} takes.
 */
public sealed interface PacketTest extends Serializable {
  /**
   * Whether the packet is one.
   *
   * @param baseNs of its block
   */
  boolean holds(MemorySegment records, long at, long baseNs);

  /** Both; of flags alone it is one look. */
  static PacketTest both(PacketTest one, PacketTest other) {
    return one instanceof TcpFlags(int mask, int value)
            && other instanceof TcpFlags(int otherMask, int otherValue)
            && ((value ^ otherValue) & mask & otherMask) == 0
        ? new TcpFlags(mask | otherMask, value | otherValue)
        : new And(one, other);
  }

  /** Of a TCP packet: some flags are set and some are not. */
  record TcpFlags(int mask, int value) implements PacketTest {
    @Override
    public boolean holds(MemorySegment records, long at, long baseNs) {
      return (PacketRecord.tcpFlags(records, at) & mask) == value
          && PacketColumn.TCP_FLAGS.isPresent(records, at);
    }
  }

  /** Both. */
  record And(PacketTest one, PacketTest other) implements PacketTest {
    @Override
    public boolean holds(MemorySegment records, long at, long baseNs) {
      return one.holds(records, at, baseNs) && other.holds(records, at, baseNs);
    }
  }

  /** One of them, or both. */
  record Or(PacketTest one, PacketTest other) implements PacketTest {
    @Override
    public boolean holds(MemorySegment records, long at, long baseNs) {
      return one.holds(records, at, baseNs) || other.holds(records, at, baseNs);
    }
  }

  /** A number from {@code least} to {@code most}; of a truth value 1 is true. */
  record Within(PacketColumn column, long least, long most) implements PacketTest {
    @Override
    public boolean holds(MemorySegment records, long at, long baseNs) {
      long number = column.number(records, at, baseNs);
      return number >= least && number <= most && column.isPresent(records, at);
    }
  }

  /** An address of a prefix, or, if not {@code wanted}, an address of none. */
  record InPrefix(PacketColumn column, AddressMatch prefix, boolean wanted) implements PacketTest {
    @Override
    public boolean holds(MemorySegment records, long at, long baseNs) {
      return column.isPresent(records, at) && isIn(records, at) == wanted;
    }

    private boolean isIn(MemorySegment records, long at) {
      return (PacketColumn.IP.number(records, at, 0) == 4) == prefix.ipv4()
          && prefix.matches(column.addressHigh(records, at), column.addressLow(records, at));
    }
  }

  /** Whether there is a value. */
  record Present(PacketColumn column, boolean wanted) implements PacketTest {
    @Override
    public boolean holds(MemorySegment records, long at, long baseNs) {
      return column.isPresent(records, at) == wanted;
    }
  }
}
