package dev.kvdb.engine;

/**
 * Cheap sizes and counters of an open engine.
 *
 * @param lastCheckpointMillis milliseconds since 1970, 0 if not known
 * @param oldestSnapshot commit number, -1 if no snapshot is open
 */
public record EngineStats(
    int formatVersion,
    int pageBytes,
    long fileBytes,
    long pages,
    long freePages,
    long metaPages,
    long spaceMapPages,
    long catalogPages,
    long logBytes,
    int logFiles,
    long logFileBytes,
    long commitNumber,
    long lastCheckpointNumber,
    long lastCheckpointMillis,
    long checkpoints,
    int openSnapshots,
    long oldestSnapshot,
    long poolBytes,
    long poolBytesUsed,
    long evictions,
    long syncs) {}
