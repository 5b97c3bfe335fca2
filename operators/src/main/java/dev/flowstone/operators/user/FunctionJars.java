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
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The classes of the jars in a folder, as it is on this machine. Only the folder is ever named by
 * whoever starts the job: rules, which may come from elsewhere, name classes in it. A jar that is
 * put there later is found when a class is asked for that no other has; one that is replaced stays
 * what it was. One thread.
 */
public final class FunctionJars implements Closeable {
  private final File folder;
  private final Classes classes;
  private final Set<File> opened = new HashSet<>();

  /** To which jars can be added. */
  private static final class Classes extends URLClassLoader {
    Classes(ClassLoader parent) {
      super("flowstone-functions", new URL[0], parent);
    }

    /**
     * Returns a class that a jar has, not initialized. A rule can name any class: those that only
     * the job or Flink has are not loaded, and a class that is not a function never runs code.
     */
    Class<?> named(String name) throws ClassNotFoundException {
      if (findResource(name.replace('.', '/') + ".class") == null) {
        throw new ClassNotFoundException(name);
      }
      return Class.forName(name, false, this);
    }

    void add(File jar) {
      try {
        addURL(jar.toURI().toURL());
      } catch (MalformedURLException e) {
        throw new IllegalArgumentException(jar + " cannot be named by a URL", e);
      }
    }
  }

  private FunctionJars(File folder, ClassLoader parent) {
    this.folder = folder;
    classes = new Classes(parent);
  }

  /**
   * Opens a folder.
   *
   * @param parent has the job's own classes
   * @throws IllegalArgumentException if there is no such folder
   */
  public static FunctionJars open(File folder, ClassLoader parent) {
    requireThere(folder);
    FunctionJars jars = new FunctionJars(folder, parent);
    var _ = jars.addNew();
    return jars;
  }

  /** Throws if there is no such folder; jars may come later. */
  static void requireThere(File folder) {
    if (!folder.isDirectory()) {
      throw new IllegalArgumentException(
          "--functions: there is no folder "
              + folder
              + "; each machine that runs the job needs it, with the jars of functions");
    }
  }

  /** Whether there were any. */
  private boolean addNew() {
    File[] jars = folder.listFiles((_, name) -> name.endsWith(".jar"));
    if (jars == null) {
      return false;
    }
    Arrays.sort(jars);
    List<File> added = Arrays.stream(jars).filter(opened::add).toList();
    added.forEach(classes::add);
    return !added.isEmpty();
  }

  private Class<?> find(String name) throws ClassNotFoundException {
    try {
      return classes.named(name);
    } catch (ClassNotFoundException e) {
      if (addNew()) {
        return classes.named(name);
      }
      throw e;
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
      Class<?> type = find(name);
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
    classes.close();
  }
}
