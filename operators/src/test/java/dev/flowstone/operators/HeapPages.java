// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.state.MapState;

/** Pages of the one key that is chosen. */
final class HeapPages implements MapState<Integer, byte[]> {
  private final Map<Integer, byte[]> pages = new TreeMap<>();

  @Override
  public byte[] get(Integer number) {
    return pages.get(number);
  }

  @Override
  public void put(Integer number, byte[] page) {
    pages.put(number, page);
  }

  @Override
  public void putAll(Map<Integer, byte[]> more) {
    pages.putAll(more);
  }

  @Override
  public void remove(Integer number) {
    pages.remove(number);
  }

  @Override
  public boolean contains(Integer number) {
    return pages.containsKey(number);
  }

  @Override
  public Iterable<Map.Entry<Integer, byte[]>> entries() {
    return pages.entrySet();
  }

  @Override
  public Iterable<Integer> keys() {
    return pages.keySet();
  }

  @Override
  public Iterable<byte[]> values() {
    return pages.values();
  }

  @Override
  public Iterator<Map.Entry<Integer, byte[]>> iterator() {
    return pages.entrySet().iterator();
  }

  @Override
  public boolean isEmpty() {
    return pages.isEmpty();
  }

  @Override
  public void clear() {
    pages.clear();
  }
}
