package dev.kvdb.nativecalls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.RecordComponent;
import java.util.Map;
import java.util.Set;
import jnr.constants.platform.Errno;
import jnr.constants.platform.OpenFlags;
import org.junit.jupiter.api.Test;

/** Our tables of numbers, against those of jnr-constants. */
class ErrorNamesTest {
  /** Second names of a number, and the one that we use. */
  private static final Map<String, String> SYNONYMS =
      Map.of("EWOULDBLOCK", "EAGAIN", "EDEADLOCK", "EDEADLK", "ENOTSUP", "EOPNOTSUPP");

  private static final PosixConstants CONSTANTS = LinuxConstants.of(System.getProperty("os.arch"));

  @Test
  void everyErrorThatJnrKnowsHasItsName() {
    int compared = 0;
    for (Errno errno : Errno.values()) {
      if (errno.defined()) {
        String expected = SYNONYMS.getOrDefault(errno.name(), errno.name());
        assertEquals(expected, CONSTANTS.errors().name(errno.intValue()), errno.name());
        assertNotEquals("unknown error", CONSTANTS.errors().description(errno.intValue()));
        compared++;
      }
    }
    assertTrue(compared > 70, "only " + compared + " error numbers compared");
  }

  @Test
  void errorNumbersInTheConstantsAreThoseOfTheTable() throws Exception {
    for (RecordComponent component : PosixConstants.class.getRecordComponents()) {
      if (component.getName().startsWith("E")) {
        int number = (int) component.getAccessor().invoke(CONSTANTS);
        assertEquals(Errno.valueOf(component.getName()).intValue(), number, component.getName());
      }
    }
    assertEquals(Errno.EOPNOTSUPP.intValue(), LinuxConstants.EOPNOTSUPP);
    assertEquals(Errno.valueOf("ENOSYS").intValue(), LinuxConstants.ENOSYS);
  }

  @Test
  void openFlagsAreThoseOfJnr() throws Exception {
    Set<String> unknownToJnr = Set.of("O_CLOEXEC", "O_DIRECTORY");
    int compared = 0;
    for (RecordComponent component : PosixConstants.class.getRecordComponents()) {
      String name = component.getName();
      if (name.startsWith("O_") && !unknownToJnr.contains(name)) {
        int number = (int) component.getAccessor().invoke(CONSTANTS);
        assertEquals(OpenFlags.valueOf(name).intValue(), number, name);
        compared++;
      }
    }
    assertTrue(compared >= 5, "only " + compared + " flags compared");
  }

  @Test
  void unknownNumbersAreShownAsNumbers() {
    assertEquals("E4711", CONSTANTS.errors().name(4711));
    assertEquals("unknown error", CONSTANTS.errors().description(4711));
  }

  @Test
  void theDirectoryFlagDependsOnTheArchitecture() {
    assertEquals(0200000, LinuxConstants.of("amd64").O_DIRECTORY());
    assertEquals(040000, LinuxConstants.of("aarch64").O_DIRECTORY());
  }
}
