// SPDX-License-Identifier: Apache-2.0
/** Rules as text: YAML, of which JSON is a part. */
package dev.flowstone.rules.yaml;
