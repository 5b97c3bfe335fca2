// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

import java.io.Serializable;
import java.lang.foreign.MemorySegment;

/**
 * One packet as an object, for programs that can afford one for each: on fast paths {@link
 * PacketRecord} reads the same fields where they lie. Flink takes it for a POJO: it is written
 * field by field, without Kryo, and a table has its fields for columns.
 *
 * @param timeNs UTC nanoseconds since 1970
 * @param flowHash what both directions of the flow share, see {@link FlowHash}; 0 without IP. A
 *     stream keyed by it has the key groups of the rings
 * @param tuple who sent it to whom; see there for a packet without IP
 * @param sequence TCP sequence number; else the first 32-bit word of layer 4; 0 when not readable
 * @param acknowledgement TCP acknowledgement number; else the second word; 0 when not readable
 * @param tcpWindow as sent, unscaled; 0 when not TCP
 * @param payloadLength bytes of layer 4 by the IP header; 65534 or more, 65535: not readable
 * @param tcpFlags 0 when not TCP or not readable
 * @param typeOfService IPv4 TOS or IPv6 traffic class
 * @param timeToLive IPv4 TTL or IPv6 hop limit
 * @param frameLength bytes on the wire
 * @param trafficClass rule of the tap's class table that matched; 0 none
 * @param laterFragment a fragment with an offset, which has no ports
 * @param ingressPort port of the card that it came in on
 * @param kind one of {@link dev.flowstone.model.abi.RecordKind}
 */
public record Packet(
    long timeNs,
    int flowHash,
    FlowTuple tuple,
    long sequence,
    long acknowledgement,
    int tcpWindow,
    int payloadLength,
    int tcpFlags,
    int typeOfService,
    int timeToLive,
    int frameLength,
    int trafficClass,
    boolean laterFragment,
    int ingressPort,
    int kind)
    implements Serializable {

  /**
   * The packet of a record.
   *
   * @param timeNs its full time, which the record has half of
   * @throws IllegalArgumentException if the record is not a packet's
   */
  public static Packet of(MemorySegment segment, long offsetBytes, long timeNs) {
    int descriptor = PacketRecord.descriptor(segment, offsetBytes);
    return new Packet(
        timeNs,
        PacketRecord.flowHash(segment, offsetBytes),
        FlowTuple.of(segment, offsetBytes),
        Integer.toUnsignedLong(PacketRecord.sequence(segment, offsetBytes)),
        Integer.toUnsignedLong(PacketRecord.acknowledgement(segment, offsetBytes)),
        PacketRecord.tcpWindow(segment, offsetBytes),
        PacketRecord.payloadLength(segment, offsetBytes),
        PacketRecord.tcpFlags(segment, offsetBytes),
        PacketRecord.typeOfService(segment, offsetBytes),
        PacketRecord.timeToLive(segment, offsetBytes),
        PacketRecord.frameLength(descriptor),
        PacketRecord.trafficClass(descriptor),
        PacketRecord.isLaterFragment(descriptor),
        PacketRecord.ingressPort(descriptor),
        PacketRecord.kind(descriptor));
  }
}
