// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.fastcapa;

import dev.flowstone.rules.Place;

/** A key and its value, as they stand in the file. */
record Setting(Place place, String key, String value) {}
