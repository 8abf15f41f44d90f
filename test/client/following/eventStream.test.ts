import fc from "fast-check";
import { UnexpectedAnswerError } from "restwright/client";
import { describe, expect, test } from "vitest";
import { type EventBlock, eventStreamParser } from "../../../src/client/calls/eventStream.js";
import { propertyRuns } from "../../tools/propertyRuns.js";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const parseAll = (text: string) => eventStreamParser()(bytesOf(text));

/** What listeners get, as the standard tells of it: the type, the data and the last id. */
function dispatched(blocks: readonly EventBlock[]) {
  let last = "";
  return blocks.flatMap(({ event, data, id }) => {
    last = id ?? last;
    return data === undefined ? [] : [[event, data, last]];
  });
}

/** The same bytes in pieces that end at these places. */
function parsedInPieces(bytes: Uint8Array, cuts: readonly number[]) {
  const parse = eventStreamParser();
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return ends.flatMap((end, index) => parse(bytes.subarray(ends[index - 1] ?? 0, end)));
}

describe("The examples of the standard", () => {
  test.each<[string, string, unknown[]]>([
    [
      "three messages",
      "data: This is the first message.\n\ndata: This is the second message, it\ndata: has two lines.\n\ndata: This is the third message.\n\n",
      [
        ["message", "This is the first message.", ""],
        ["message", "This is the second message, it\nhas two lines.", ""],
        ["message", "This is the third message.", ""],
      ],
    ],
    [
      "types of events",
      "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\nevent: add\ndata: 113411\n\n",
      [
        ["add", "73857293", ""],
        ["remove", "2153", ""],
        ["add", "113411", ""],
      ],
    ],
    ["three lines of data", "data: YHOO\ndata: +2\ndata: 10\n\n", [["message", "YHOO\n+2\n10", ""]]],
    [
      "comments, an id, and an id without a value",
      ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
      [
        ["message", "first event", "1"],
        ["message", "second event", ""],
        ["message", " third event", ""],
      ],
    ],
    [
      "data without a value",
      "data\n\ndata\ndata\n\ndata:",
      [
        ["message", "", ""],
        ["message", "\n", ""],
      ],
    ],
    [
      "a space after the colon",
      "data:test\n\ndata: test\n\n",
      [
        ["message", "test", ""],
        ["message", "test", ""],
      ],
    ],
  ])("%s", (_, text, expected) => {
    expect(dispatched(parseAll(text))).toEqual(expected);
  });
});

describe("A stream", () => {
  test.each<[string, string, EventBlock[]]>([
    ["ends lines with CR", "event: a\rdata: 1\r\r", [{ event: "a", data: "1" }]],
    ["ends lines with CRLF", "event: a\r\ndata: 1\r\n\r\n", [{ event: "a", data: "1" }]],
    ["mixes ends of lines", "event: a\rdata: 1\ndata: 2\r\n\n", [{ event: "a", data: "1\n2" }]],
    ["begins with a byte order mark", "\uFEFFdata: 1\n\n", [{ event: "message", data: "1" }]],
    ["has one byte order mark only", "\uFEFF\uFEFFdata: 1\n\n", []],
    ["moves the position without data", "id: 7\n\n", [{ event: "message", id: "7" }]],
    ["resets the position", "id\n\n", [{ event: "message", id: "" }]],
    ["has an id with NUL, which is ignored", "id: 7\0\ndata: 1\n\n", [{ event: "message", data: "1" }]],
    ["takes the last id of a block", "id: 7\nid: 8\ndata: 1\n\n", [{ event: "message", data: "1", id: "8" }]],
    ["says how long to wait", "retry: 2000\n\n", [{ event: "message", retryMs: 2_000 }]],
    ["has a time that is no number", "retry: 2s\n\nretry: -1\n\nretry:\n\nretry: 1.5\n\n", []],
    ["has fields that are unknown, or in other case", "Data: 1\nfoo: 2\n data: 3\n\n", []],
    ["has comments only", ": hello\n\n:\n\n", []],
    ["has an empty type", "event\ndata: 1\n\n", [{ event: "message", data: "1" }]],
    ["breaks off within a block", "data: 1\n\ndata: 2\n", [{ event: "message", data: "1" }]],
    ["breaks off after its last line", "data: 1", []],
  ])("%s", (_, text, expected) => {
    expect(parseAll(text)).toEqual(expected);
  });

  test("has characters that are not UTF-8, which are replaced", () => {
    expect(eventStreamParser()(new Uint8Array([...bytesOf("data: "), 0xff, 0x0a, 0x0a]))).toEqual([{ event: "message", data: "\uFFFD" }]);
  });

  test.each([
    ["a line without an end", "data: 123456"],
    ["many lines", "data: 1\ndata: 2\n"],
    ["a comment", ": 1234567890\n"],
  ])("is refused if a block is too long: %s", (_, text) => {
    const parse = eventStreamParser(11);
    expect(parse(bytesOf("data: 1\n\ndata: 1\n\n"))).toHaveLength(2);
    expect(() => parse(bytesOf(text))).toThrow(UnexpectedAnswerError);
  });

  test("takes a block of one mebibyte, and no longer one", () => {
    const data = "x".repeat(2 ** 20 - "data: ".length);
    expect(parseAll(`data: ${data}\n\n`)).toHaveLength(1);
    expect(() => parseAll(`data: ${data}x\n\n`)).toThrow(/longer than 1048576 characters/);
  });
});

const line = fc.oneof(
  fc.constantFrom("data: 1", "data", "data: {}", "id: 7", "id", "event: changed", ": comment", "", "", "retry: 50", "\uFEFFdata: 2", "data: 😀é"),
  fc.string({ unit: "binary", maxLength: 12 }),
);
const stream = fc
  .array(fc.tuple(line, fc.constantFrom("\n", "\r", "\r\n")), { maxLength: 30 })
  .map((lines) => bytesOf(lines.map((each) => each.join("")).join("")));

test("Any division into chunks gives the same blocks", () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(), { maxLength: 40 }), (bytes, cuts) => {
      expect(parsedInPieces(bytes, cuts)).toEqual(eventStreamParser()(bytes));
    }),
    { numRuns: propertyRuns(3_000) },
  );
});

test("Single bytes give the same blocks", () => {
  const bytes = bytesOf("\uFEFFevent: a\r\ndata: é😀\r\rid: 7\n\r\ndata: 2\r\n\r\n");
  expect(parsedInPieces(bytes, [...bytes.keys()])).toEqual([
    { event: "a", data: "é😀" },
    { event: "message", id: "7" },
    { event: "message", data: "2" },
  ]);
});
