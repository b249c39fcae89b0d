package dev.kvdb.disk;

import dev.kvdb.nativecalls.NativeCallException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which calls are going to fail, and how. Not thread-safe. */
final class FaultPlan {
  private static final Map<String, Integer> ERRNO_BY_NAME =
      Map.ofEntries(
          Map.entry("EPERM", 1),
          Map.entry("ENOENT", 2),
          Map.entry("EIO", 5),
          Map.entry("EBADF", 9),
          Map.entry("ENOMEM", 12),
          Map.entry("EACCES", 13),
          Map.entry("EFAULT", 14),
          Map.entry("EEXIST", 17),
          Map.entry("EINVAL", 22),
          Map.entry("ENFILE", 23),
          Map.entry("EMFILE", 24),
          Map.entry("EFBIG", 27),
          Map.entry("ENOSPC", 28),
          Map.entry("EROFS", 30),
          Map.entry("EDQUOT", 122));

  /** One failure to come, or, if it repeats, all from one on. */
  private static final class Planned {
    private final Set<Kind> kinds;
    private final Failure failure;
    private final boolean repeats;
    private int callsLeft;

    Planned(Set<Kind> kinds, Failure failure, boolean repeats, int callsLeft) {
      this.kinds = kinds;
      this.failure = failure;
      this.repeats = repeats;
      this.callsLeft = callsLeft;
    }
  }

  /** How a call fails. */
  record Failure(String errnoName, Effect effect) {}

  private final List<Planned> plan = new ArrayList<>();

  void add(int nth, boolean repeats, String errnoName, Effect effect, Kind... kinds) {
    if (nth < 1) {
      throw new IllegalArgumentException("calls are counted from 1, not " + nth);
    }
    if (!ERRNO_BY_NAME.containsKey(errnoName)) {
      throw new IllegalArgumentException(
          errnoName + " is none of " + ERRNO_BY_NAME.keySet() + "; add it to the table");
    }
    Set<Kind> chosen = EnumSet.noneOf(Kind.class);
    for (Kind kind : kinds.length == 0 ? Kind.values() : kinds) {
      if (kinds.length > 0 || kind.isRecorded()) {
        chosen.add(kind);
      }
    }
    chosen.remove(Kind.PUT);
    plan.add(new Planned(chosen, new Failure(errnoName, effect), repeats, nth));
  }

  void clear() {
    plan.clear();
  }

  /** Counts a call; returns how it is to fail, or null if it is not. */
  Failure take(Kind kind) {
    Failure failure = null;
    Iterator<Planned> all = plan.iterator();
    while (all.hasNext()) {
      Planned planned = all.next();
      if (!planned.kinds.contains(kind)) {
        continue;
      }
      planned.callsLeft = Math.max(0, planned.callsLeft - 1);
      if (planned.callsLeft == 0) {
        failure = failure == null ? planned.failure : failure;
        if (!planned.repeats) {
          all.remove();
        }
      }
    }
    return failure;
  }

  static NativeCallException exception(String call, String subject, String errnoName) {
    return new NativeCallException(
        call, subject, ERRNO_BY_NAME.get(errnoName), errnoName, "simulated failure");
  }
}
