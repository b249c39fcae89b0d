package dev.kvdb.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The figures of all repetitions by peer and name: median, smallest and largest. */
final class Figures {
  private final Map<String, List<Double>> values = new LinkedHashMap<>();

  void add(String peer, String name, double value) {
    values.computeIfAbsent(peer + " " + name, key -> new ArrayList<>()).add(value);
  }

  private List<Double> sorted(String peer, String name) {
    List<Double> list = new ArrayList<>(values.getOrDefault(peer + " " + name, List.of()));
    if (list.isEmpty()) {
      throw new IllegalStateException("no run reported " + name + " of " + peer);
    }
    Collections.sort(list);
    return list;
  }

  /** The middle one; of an even number the lower of the two in the middle. */
  double median(String peer, String name) {
    List<Double> list = sorted(peer, name);
    return list.get((list.size() - 1) / 2);
  }

  /** Median, smallest and largest, for people. */
  String range(String peer, String name) {
    List<Double> list = sorted(peer, name);
    return String.format(
        Locale.ROOT, "%.1f (%.1f-%.1f)", median(peer, name), list.getFirst(), list.getLast());
  }

  /** All values as JSON: an object of arrays. */
  String toJson() {
    StringBuilder json = new StringBuilder("{");
    values.forEach(
        (name, list) ->
            json.append(json.length() == 1 ? "" : ",")
                .append("\n    \"")
                .append(name)
                .append("\": ")
                .append(list));
    return json.append("\n  }").toString();
  }
}
