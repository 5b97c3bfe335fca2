// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.user;

import dev.flowstone.rules.function.UserFunction;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;

/**
 * The classes of the jars in a folder, as it is on this machine. Only the folder is ever named by
 * whoever starts the job: rules, which may come from elsewhere, name classes in it.
 */
public final class FunctionJars implements Closeable {
  private final File folder;
  private final URLClassLoader loader;

  private FunctionJars(File folder, URLClassLoader loader) {
    this.folder = folder;
    this.loader = loader;
  }

  /**
   * Opens a folder.
   *
   * @param parent has the job's own classes
   * @throws IllegalArgumentException if there is no such folder or no jar in it
   */
  public static FunctionJars open(File folder, ClassLoader parent) {
    File[] jars = folder.listFiles((_, name) -> name.endsWith(".jar"));
    if (jars == null || jars.length == 0) {
      throw new IllegalArgumentException(
          "no jars in "
              + folder
              + ", which --functions names: each machine that runs the job"
              + " needs them there");
    }
    Arrays.sort(jars);
    URL[] urls = Arrays.stream(jars).map(FunctionJars::url).toArray(URL[]::new);
    return new FunctionJars(folder, new URLClassLoader("flowstone-functions", urls, parent));
  }

  private static URL url(File jar) {
    try {
      return jar.toURI().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(jar + " cannot be named by a URL", e);
    }
  }

  /**
   * An instance of a rule's class.
   *
   * @throws IllegalArgumentException if there is none, and why
   */
  public PacketFunction make(UserFunction function) {
    String name = function.className();
    try {
      Class<?> type = Class.forName(name, true, loader);
      if (!PacketFunction.class.isAssignableFrom(type)) {
        throw new IllegalArgumentException(
            name + " is no " + PacketFunction.class.getName() + ": it must implement it");
      }
      Constructor<?> constructor = type.getConstructor();
      return (PacketFunction) constructor.newInstance();
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException("no jar in " + folder + " has a class " + name, e);
    } catch (NoSuchMethodException e) {
      throw new IllegalArgumentException(
          name + " needs a public constructor without parameters", e);
    } catch (ReflectiveOperationException | LinkageError e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IllegalArgumentException("an instance of " + name + " cannot be made: " + cause, e);
    }
  }

  @Override
  public void close() throws IOException {
    loader.close();
  }
}
