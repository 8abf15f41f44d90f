import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRange } from "../../../src/parts/blobs/range.js";

describe("a range of a file of 10,000 bytes", () => {
  test.each([
    // RFC 9110 §14.1.2
    ["bytes=0-499", { start: 0, end: 500 }],
    ["bytes=500-999", { start: 500, end: 1_000 }],
    ["bytes=-500", { start: 9_500, end: 10_000 }],
    ["bytes=9500-", { start: 9_500, end: 10_000 }],
    ["bytes=0-0", { start: 0, end: 1 }],
    ["bytes=-1", { start: 9_999, end: 10_000 }],
    ["bytes=9999-", { start: 9_999, end: 10_000 }],
    ["bytes=0-9999", { start: 0, end: 10_000 }],
    ["bytes=0-", { start: 0, end: 10_000 }],
    ["bytes=9000-20000", { start: 9_000, end: 10_000 }],
    ["bytes=0-99999999999999999999999999", { start: 0, end: 10_000 }],
    ["bytes=-20000", { start: 0, end: 10_000 }],
    ["bytes=00010-00019", { start: 10, end: 20 }],
    ["Bytes=0-1", { start: 0, end: 2 }],
    ["BYTES=0-1", { start: 0, end: 2 }],
    ["bytes= 0-1 ", { start: 0, end: 2 }],
    ["bytes=,0-1", { start: 0, end: 2 }],
    ["bytes=0-1, ,", { start: 0, end: 2 }],
  ])("%s is %o", (header, range) => {
    expect(parseRange(header, 10_000)).toEqual(range);
  });

  test.each(["bytes=10000-", "bytes=10000-10000", "bytes=99999999999999999999999999-", "bytes=-0", "bytes=-000"])("%s is unsatisfiable", (header) => {
    expect(parseRange(header, 10_000)).toBe("unsatisfiable");
  });

  test.each<[string | undefined, string]>([
    [undefined, "there is no header"],
    ["bytes=0-0,-1", "there are several ranges"],
    ["bytes= 0-999, 4500-5499, -1000", "there are several ranges"],
    ["bytes=500-600,601-999", "there are several ranges"],
    ["bytes=0-1, bytes=2-3", "the header was sent twice"],
    ["bytes=20000-,30000-", "several ranges are not looked at"],
    ["seconds=0-1", "the unit is another"],
    ["none", "there is no unit"],
    ["", "it is empty"],
    ["bytes", "it is malformed"],
    ["bytes=", "it is malformed"],
    ["bytes=,", "it is malformed"],
    ["bytes=-", "it is malformed"],
    ["bytes=--1", "it is malformed"],
    ["bytes=a-b", "it is malformed"],
    ["bytes=1", "it is malformed"],
    ["bytes=1-2-3", "it is malformed"],
    ["bytes=0 - 1", "it is malformed"],
    ["bytes =0-1", "it is malformed"],
    ["bytes=0x0-0x1", "it is malformed"],
    ["bytes=1e3-", "it is malformed"],
    ["bytes=+0-1", "it is malformed"],
    ["bytes=１-２", "it is malformed"],
    ["bytes=500-499", "its last byte comes before its first"],
    ["bytes=20000-19999", "its last byte comes before its first"],
  ])("%s is the whole: %s", (header, _why) => {
    expect(parseRange(header, 10_000)).toBeUndefined();
  });
});

test.each(["bytes=0-", "bytes=0-0", "bytes=-1", "bytes=-0", "bytes=5-"])("%s of an empty file is the whole of it", (header) => {
  expect(parseRange(header, 0)).toBeUndefined();
});

/** Looks at every byte, as the RFC says it. */
function naiveRange(first: number | undefined, last: number | undefined, size: number) {
  const positions = Array.from({ length: size }, (_, position) => position);
  if (size === 0 || (first !== undefined && last !== undefined && last < first)) return undefined;
  const chosen = first === undefined ? positions.slice(Math.max(0, size - (last ?? 0))) : positions.filter((at) => at >= first && at <= (last ?? at));
  const [start] = chosen;
  return start === undefined ? "unsatisfiable" : { start, end: start + chosen.length };
}

test("a range is the same as looking at every byte", () => {
  const number = fc.nat(15);
  const spec = fc.oneof(
    fc.tuple(number, fc.option(number, { nil: undefined })),
    number.map((last) => [undefined, last] as const),
  );
  fc.assert(
    fc.property(spec, fc.nat(12), ([first, last], size) => {
      expect(parseRange(`bytes=${first ?? ""}-${last ?? ""}`, size)).toEqual(naiveRange(first, last, size));
    }),
  );
});

test("whatever the header says, the range lies within the file and is not empty", () => {
  const header = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(..."0123456789-,= bytes") }).map((text) => `bytes=${text}`),
  );
  fc.assert(
    fc.property(header, fc.nat(1_000), (text, size) => {
      const range = parseRange(text, size);
      if (typeof range !== "object") return;
      expect(range.start).toBeGreaterThanOrEqual(0);
      expect(range.end).toBeGreaterThan(range.start);
      expect(range.end).toBeLessThanOrEqual(size);
    }),
  );
});
