// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.util.List;

/** What stands below the table of stages. */
interface Below {
  Below NOTHING =
      new Below() {
        @Override
        public List<String> lines(int columns, int rows) {
          return List.of();
        }

        @Override
        public List<String> news() {
          return List.of();
        }
      };

  /** As much as fits in there, what matters most first. */
  List<String> lines(int columns, int rows);

  /** What has happened since this was asked last, where nothing can be drawn over. */
  List<String> news();
}
