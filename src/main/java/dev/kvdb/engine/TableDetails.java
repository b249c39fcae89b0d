package dev.kvdb.engine;

/** What a walk over a whole table finds; fill is the used part of the leaf pages, 0 to 1. */
public record TableDetails(
    String name,
    long entries,
    int height,
    long leafPages,
    long branchPages,
    long keyBytes,
    long valueBytes,
    double fill) {}
