// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

/** What one element of a field is. */
sealed interface FieldType {
  record Scalar(ScalarType type) implements FieldType {}

  record Bytes(int lengthBytes) implements FieldType {}

  /** Another layout, by name. */
  record Struct(String layout) implements FieldType {}
}
