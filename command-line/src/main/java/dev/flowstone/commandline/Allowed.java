// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The values that an option's number or duration may have. {@link CommandRunner} refuses any other,
 * with what was typed and what is allowed, before the command begins.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface Allowed {
  /** The least value, written as somebody would type it. */
  String from();

  /** The greatest value; empty: there is none. */
  String to() default "";

  /** What is counted, such as seconds; empty: it goes without saying. */
  String unit() default "";

  /** Whether the number has no fraction, though the option's type could hold one. */
  boolean whole() default false;
}
