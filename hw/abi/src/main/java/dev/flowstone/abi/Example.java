// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.Map;

/** Values for the fields of a layout, as the YAML has them; fields not named are zero. */
record Example(String title, Map<String, Object> values) {}
