package dev.kvdb.disk;

import dev.kvdb.nativecalls.NativeCallException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Runs a program on a simulated disk, then ends it at one operation after the other in one way
 * after the other, and has each result checked.
 *
 * <p>A checker gets a disk made of the image, and the marks that were set before the end. In rounds
 * of several programs the marks of all of them come in order, with an {@link Interruption} between
 * one program's and the next one's. Images that equal one of the same cut point are checked once.
 * Immutable; the methods that begin with {@code with} return a changed copy.
 */
public final class CutCampaign {
  /** Works on a disk, sets marks, and closes what it opened. */
  @FunctionalInterface
  public interface Program {
    void run(SimulatedDisk disk) throws Exception;
  }

  /** Looks at what is left, and throws if that breaks a promise the marks tell of. */
  @FunctionalInterface
  public interface Checker {
    void check(SimulatedDisk disk, List<Object> marks) throws Exception;
  }

  /** What ended a program; an element of the marks between two programs' own. */
  public enum Interruption {
    KILL,
    CUT
  }

  /**
   * What was done.
   *
   * @param operations how long the first program's history was
   * @param cuts at how many points the last program of a round was ended
   * @param images how many images were checked
   * @param duplicates how many equalled one of the same point and were not
   */
  public record Report(int operations, int cuts, int images, int duplicates) {
    private Report plus(Report other) {
      return new Report(
          operations, cuts + other.cuts, images + other.images, duplicates + other.duplicates);
    }
  }

  /** A program that was run on what an earlier one left, and all that led there. */
  private record Stage(SimulatedDisk disk, String story, List<Object> marks) {
    List<Object> marksBefore(int operations, Interruption end) {
      List<Object> all = new ArrayList<>(marks);
      all.addAll(disk.marksBefore(operations));
      if (end != null) {
        all.add(end);
      }
      return all;
    }
  }

  /** What is done with a stage once its program has run. */
  @FunctionalInterface
  private interface Continuation {
    Report apply(Stage stage) throws Exception;
  }

  private final Drive drive;
  private final List<ImageChoice> choices;
  private final List<ImageChoice> earlierChoices;
  private final CutPoints points;
  private final CutPoints earlierPoints;
  private final boolean checksLeaks;

  private CutCampaign(
      Drive drive,
      List<ImageChoice> choices,
      List<ImageChoice> earlierChoices,
      CutPoints points,
      CutPoints earlierPoints,
      boolean checksLeaks) {
    this.drive = drive;
    this.choices = List.copyOf(choices);
    this.earlierChoices = List.copyOf(earlierChoices);
    this.points = points;
    this.earlierPoints = earlierPoints;
    this.checksLeaks = checksLeaks;
  }

  /** Every operation, the standard choices with two seeds, a Linux drive, leaks are failures. */
  public static CutCampaign standard() {
    List<ImageChoice> earlier =
        List.of(
            new ImageChoice(ImageChoice.Data.NOTHING, ImageChoice.Names.KEPT, 0),
            new ImageChoice(ImageChoice.Data.SUBSET, ImageChoice.Names.RANDOM, 1),
            new ImageChoice(ImageChoice.Data.TORN, ImageChoice.Names.KEPT, 2));
    return new CutCampaign(
        Drive.LINUX,
        ImageChoice.standard(1, 2),
        earlier,
        CutPoints.every(1),
        CutPoints.every(1),
        true);
  }

  /** On another drive. */
  public CutCampaign withDrive(Drive newDrive) {
    return new CutCampaign(newDrive, choices, earlierChoices, points, earlierPoints, checksLeaks);
  }

  /** With other choices for the images that are checked. */
  public CutCampaign withChoices(List<ImageChoice> newChoices) {
    return new CutCampaign(drive, newChoices, earlierChoices, points, earlierPoints, checksLeaks);
  }

  /** With other choices for the images that a further program runs on. */
  public CutCampaign withEarlierChoices(List<ImageChoice> newChoices) {
    return new CutCampaign(drive, choices, newChoices, points, earlierPoints, checksLeaks);
  }

  /** With other points at which the last program of a round is ended. */
  public CutCampaign withPoints(CutPoints newPoints) {
    return new CutCampaign(drive, choices, earlierChoices, newPoints, earlierPoints, checksLeaks);
  }

  /** With other points at which the programs before the last one are ended. */
  public CutCampaign withEarlierPoints(CutPoints newPoints) {
    return new CutCampaign(drive, choices, earlierChoices, points, newPoints, checksLeaks);
  }

  /** With descriptors and mappings that a program or checker leaves open allowed. */
  public CutCampaign withLeaksAllowed() {
    return new CutCampaign(drive, choices, earlierChoices, points, earlierPoints, false);
  }

  /** Run, cut, check. */
  public Report cut(Program program, Checker checker) {
    return first(program, stage -> cutAndCheck(stage, checker));
  }

  /** Run, kill, check. */
  public Report kill(Program program, Checker checker) {
    return first(program, stage -> killAndCheck(stage, checker));
  }

  /** Run, kill, run the second program, cut it, check. */
  public Report killReopenCut(Program program, Program reopen, Checker checker) {
    return first(program, stage -> killed(stage, reopen, next -> cutAndCheck(next, checker)));
  }

  /** Run, cut, run the second program, cut it, check. */
  public Report cutReopenCut(Program program, Program reopen, Checker checker) {
    return first(program, stage -> cut(stage, reopen, next -> cutAndCheck(next, checker)));
  }

  /** Run, kill, run the second program, kill it, run it again, cut it, check. */
  public Report killReopenKillReopenCut(Program program, Program reopen, Checker checker) {
    return first(
        program,
        stage ->
            killed(
                stage, reopen, next -> killed(next, reopen, last -> cutAndCheck(last, checker))));
  }

  /**
   * Runs the program once for each point, on a disk that stops there, and has what a kill leaves at
   * the end checked, and what power cuts leave at the end and at some points before. The program
   * may end in any way that {@link DiskStopped#causedBy} knows, or return.
   *
   * @param afterKill checks what a kill leaves
   * @param afterCut checks what a power cut leaves
   */
  public Report stop(Program program, Checker afterKill, Checker afterCut) {
    int length = rehearse(program).size();
    Report report = new Report(length, 0, 0, 0);
    for (int point : points.of(length, 0)) {
      report =
          report.plus(
              disturbed(
                  program,
                  "stopped after " + point + " operations: ",
                  disk -> disk.stopAfter(point),
                  DiskStopped::causedBy,
                  afterKill,
                  afterCut));
    }
    return report;
  }

  /**
   * Runs the program once for each call of some kinds, which fails, and has what a kill leaves at
   * the end checked, and what power cuts leave at the end and at some points before it. The program
   * may end with an exception that a failed call caused, or go on.
   *
   * @param errnoName the error each call fails with
   * @param effect how much of the call is done all the same
   * @param kinds none given: all kinds
   */
  public Report fail(
      String errnoName,
      Effect effect,
      Program program,
      Checker afterKill,
      Checker afterCut,
      Kind... kinds) {
    List<Kind> chosen = kinds.length == 0 ? List.of(Kind.values()) : List.of(kinds);
    List<Operation> rehearsed = rehearse(program);
    int calls =
        (int)
            rehearsed.stream()
                .filter(o -> o.kind() != Kind.PUT && chosen.contains(o.kind()))
                .count();
    Report report = new Report(rehearsed.size(), 0, 0, 0);
    for (int point : points.of(calls, 0)) {
      int nth = Math.max(1, point);
      report =
          report.plus(
              disturbed(
                  program,
                  errnoName + " (" + effect + ") at call " + nth + " of " + chosen + ": ",
                  disk -> disk.failCall(nth, errnoName, effect, kinds),
                  CutCampaign::causedByFailedCall,
                  afterKill,
                  afterCut));
    }
    return report;
  }

  private static boolean causedByFailedCall(Throwable failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof NativeCallException || t instanceof InternalError) {
        return true;
      }
    }
    return false;
  }

  /** The history of an undisturbed run. */
  private List<Operation> rehearse(Program program) {
    List<Operation> history = new ArrayList<>();
    first(
        program,
        stage -> {
          history.addAll(stage.disk.operations());
          return new Report(0, 0, 0, 0);
        });
    return history;
  }

  private Report disturbed(
      Program program,
      String story,
      Consumer<SimulatedDisk> disturbance,
      Predicate<Throwable> isExpected,
      Checker afterKill,
      Checker afterCut) {
    try (SimulatedDisk disk = SimulatedDisk.create(drive)) {
      disturbance.accept(disk);
      try {
        program.run(disk);
      } catch (Throwable t) {
        if (!isExpected.test(t)) {
          throw failure(story + "the program failed", List.of(), t);
        }
      }
      checkLeaks(disk, story + "the program", List.of());
      Stage stage = new Stage(disk, story, List.of());
      checkKilled(stage, disk.operationCount(), afterKill);
      Report report = new Report(0, 0, 1, 0);
      for (int end : CutPoints.sampled(4).of(disk.operationCount(), disk.operationCount())) {
        report = report.plus(cutAndCheck(stage, end, afterCut));
      }
      return report;
    }
  }

  private Report first(Program program, Continuation then) {
    try (SimulatedDisk disk = SimulatedDisk.create(drive)) {
      Report report = run(new Stage(disk, "", List.of()), program, then);
      return new Report(disk.operationCount(), report.cuts, report.images, report.duplicates);
    }
  }

  private Report run(Stage stage, Program program, Continuation then) {
    try {
      program.run(stage.disk);
    } catch (Throwable t) {
      throw failure(stage.story + "the program failed", stage.marks, t);
    }
    checkLeaks(stage.disk, stage.story + "the program", stage.marks);
    try {
      return then.apply(stage);
    } catch (Exception e) {
      throw failure(stage.story, stage.marks, e);
    }
  }

  private Report killed(Stage stage, Program reopen, Continuation then) {
    Report report = new Report(0, 0, 0, 0);
    for (int point : earlierPoints.of(stage.disk.operationCount(), stage.marks.size())) {
      CrashImage image = stage.disk.kill(point);
      report = report.plus(continued(stage, image, Interruption.KILL, reopen, then));
    }
    return report;
  }

  private Report cut(Stage stage, Program reopen, Continuation then) {
    Report report = new Report(0, 0, 0, 0);
    for (int point : earlierPoints.of(stage.disk.operationCount(), stage.marks.size())) {
      Set<String> seen = new HashSet<>();
      for (ImageChoice choice : earlierChoices) {
        CrashImage image = stage.disk.cut(point, choice);
        if (seen.add(image.decisions())) {
          report = report.plus(continued(stage, image, Interruption.CUT, reopen, then));
        }
      }
    }
    return report;
  }

  private Report continued(
      Stage stage, CrashImage image, Interruption end, Program reopen, Continuation then) {
    List<Object> marks = stage.marksBefore(image.operations(), end);
    try (SimulatedDisk disk = SimulatedDisk.from(image)) {
      return run(new Stage(disk, stage.story + image + "; then ", marks), reopen, then);
    }
  }

  private Report cutAndCheck(Stage stage, Checker checker) {
    Report report = new Report(0, 0, 0, 0);
    for (int point : points.of(stage.disk.operationCount(), stage.marks.size())) {
      report = report.plus(cutAndCheck(stage, point, checker));
    }
    return report;
  }

  private Report cutAndCheck(Stage stage, int point, Checker checker) {
    Set<String> seen = new HashSet<>();
    List<Object> marks = stage.marksBefore(point, null);
    for (ImageChoice choice : choices) {
      CrashImage image = stage.disk.cut(point, choice);
      if (seen.add(image.decisions())) {
        check(image, stage.story, marks, checker);
      }
    }
    return new Report(0, 1, seen.size(), choices.size() - seen.size());
  }

  private Report killAndCheck(Stage stage, Checker checker) {
    int[] all = points.of(stage.disk.operationCount(), stage.marks.size());
    for (int point : all) {
      checkKilled(stage, point, checker);
    }
    return new Report(0, all.length, all.length, 0);
  }

  private void checkKilled(Stage stage, int point, Checker checker) {
    check(stage.disk.kill(point), stage.story, stage.marksBefore(point, null), checker);
  }

  private void check(CrashImage image, String story, List<Object> marks, Checker checker) {
    try (SimulatedDisk disk = SimulatedDisk.from(image)) {
      try {
        checker.check(disk, marks);
      } catch (Throwable t) {
        String decisions = image.decisions().isEmpty() ? "" : " [" + image.decisions() + "]";
        throw failure(story + image + decisions, marks, t);
      }
      checkLeaks(disk, story + image + ": the checker", marks);
    }
  }

  private void checkLeaks(SimulatedDisk disk, String who, List<Object> marks) {
    if (checksLeaks && (disk.openDescriptors() > 0 || disk.mappedBytes() > 0)) {
      throw failure(
          who
              + " left "
              + disk.openDescriptors()
              + " descriptors open and "
              + disk.mappedBytes()
              + " bytes mapped",
          marks,
          null);
    }
  }

  private static AssertionError failure(String story, List<Object> marks, Throwable cause) {
    int shown = Math.min(marks.size(), 20);
    String reason = cause == null ? "" : ": " + cause;
    return new AssertionError(
        story + reason + "; last marks: " + marks.subList(marks.size() - shown, marks.size()),
        cause);
  }
}
