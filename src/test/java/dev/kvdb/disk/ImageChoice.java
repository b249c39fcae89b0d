package dev.kvdb.disk;

import java.util.ArrayList;
import java.util.List;

/**
 * Which of the pending changes survive a power cut. Equal choices make equal images.
 *
 * @param data which changes of bytes and lengths survive
 * @param names which changes of names survive
 * @param seed of every random decision
 */
public record ImageChoice(Data data, Names names, long seed) {
  /** Which changes of bytes and lengths survive. */
  public enum Data {
    /** None. */
    NOTHING,
    /** All. */
    EVERYTHING,
    /** Those before a random point of the history. */
    PREFIX,
    /** A random set; a change's bytes and the length it gave the file are decided apart. */
    SUBSET,
    /** Most, each with a random set, head or tail of its sectors of 512 bytes. */
    TORN,
    /** One, while one before it is lost; the others at random. */
    REORDER,
    /** The newest. */
    ONLY_LAST,
    /** All but one: the whole of it, or only its bytes, or only its length. */
    ALL_BUT_ONE
  }

  /** Which changes of names survive. */
  public enum Names {
    /** None: every name leads where it led when its directory was last synced. */
    UNDONE,
    /** All. */
    KEPT,
    /** A random set. */
    RANDOM,
    /** As {@link Data} says, in one history with the changes of bytes. */
    AS_DATA
  }

  /** Every way with the names kept, and each that matters with them undone or mixed. */
  public static List<ImageChoice> standard(long... seeds) {
    List<ImageChoice> choices = new ArrayList<>();
    choices.add(new ImageChoice(Data.NOTHING, Names.UNDONE, 0));
    choices.add(new ImageChoice(Data.NOTHING, Names.KEPT, 0));
    choices.add(new ImageChoice(Data.EVERYTHING, Names.UNDONE, 0));
    choices.add(new ImageChoice(Data.EVERYTHING, Names.KEPT, 0));
    choices.add(new ImageChoice(Data.ONLY_LAST, Names.KEPT, 0));
    for (long seed : seeds) {
      choices.add(new ImageChoice(Data.PREFIX, Names.AS_DATA, seed));
      choices.add(new ImageChoice(Data.SUBSET, Names.RANDOM, seed));
      choices.add(new ImageChoice(Data.SUBSET, Names.KEPT, seed));
      choices.add(new ImageChoice(Data.TORN, Names.KEPT, seed));
      choices.add(new ImageChoice(Data.REORDER, Names.AS_DATA, seed));
      choices.add(new ImageChoice(Data.REORDER, Names.KEPT, seed));
      choices.add(new ImageChoice(Data.ALL_BUT_ONE, Names.KEPT, seed));
      choices.add(new ImageChoice(Data.ALL_BUT_ONE, Names.AS_DATA, seed));
    }
    return choices;
  }
}
