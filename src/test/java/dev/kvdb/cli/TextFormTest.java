package dev.kvdb.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The text form and the other encodings. */
class TextFormTest {
  @ParameterizedTest
  @CsvSource({
    "61,a",
    "5c,\\\\",
    "090a0d,\\t\\n\\r",
    "00,\\x00",
    "7f,\\x7F",
    "20,' '",
    "c3a9,é",
    "e282ac,€",
    "f09f9880,😀",
    "c3,\\xC3",
    "c328,\\xC3(",
    "c080,\\xC0\\x80", // an overlong form
    "eda080,\\xED\\xA0\\x80", // a surrogate
    "f4908080,\\xF4\\x90\\x80\\x80", // beyond U+10FFFF
    "e282,\\xE2\\x82", // cut short
    "c285,\\xC2\\x85", // a control character
    "e280ae,\\xE2\\x80\\xAE", // turns the direction of text round
    "e280a8,\\xE2\\x80\\xA8" // a line separator
  })
  void everyByteHasItsForm(String hex, String text) {
    assertEquals(text, TextForm.format(HexFormat.of().parseHex(hex)));
    assertEquals(hex, HexFormat.of().formatHex(TextForm.parse(text)));
  }

  @Test
  void lowerCaseDigitsAndUnescapedCharactersAreTaken() {
    assertArrayEquals(new byte[] {(byte) 0xAB, '\t'}, TextForm.parse("\\xab\t"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\\", "\\q", "\\x", "\\x4", "\\xg0", "abc\\", "\uD800", "\\\\\uDC00"})
  void whatIsNoTextFormIsRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> TextForm.parse(text));
  }

  @Property(tries = 500)
  void formatAndParseAreInverse(@ForAll @Size(max = 40) byte[] bytes) {
    String text = TextForm.format(bytes);
    assertArrayEquals(bytes, TextForm.parse(text));
    assertTrue(text.chars().noneMatch(c -> c < ' ' || c == 0x7F), text);
  }

  @Property(tries = 500)
  void textSurvives(@ForAll String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    assertArrayEquals(bytes, TextForm.parse(TextForm.format(bytes)));
  }

  @Property(tries = 200)
  void otherEncodingsAreInverseToo(@ForAll @Size(max = 40) byte[] bytes) {
    for (Encoding encoding : new Encoding[] {Encoding.HEX, Encoding.BASE64}) {
      assertArrayEquals(bytes, encoding.parse(encoding.format(bytes)));
    }
  }

  @Property(tries = 200)
  void int64KeepsTheOrderOfNumbers(@ForAll long first, @ForAll long second) {
    byte[] a = Encoding.INT64.parse(Long.toString(first));
    byte[] b = Encoding.INT64.parse(Long.toString(second));
    assertEquals(
        Integer.signum(Long.compare(first, second)), Integer.signum(Arrays.compareUnsigned(a, b)));
    assertEquals(Long.toString(first), Encoding.INT64.format(a));
  }
}
