package dev.kvdb.engine;

import java.util.List;

public record VerifyResult(long pagesChecked, long entriesChecked, List<String> problems) {}
