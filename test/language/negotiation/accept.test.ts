import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { selectType } from "../../../src/language/negotiation/accept.js";
import { cpuMsSince } from "../../tools/cpuMs.js";

const offered = ["application/json", "text/event-stream"] as const;

describe("the media type that a client likes best", () => {
  test.each([
    [undefined, "application/json"],
    ["*/*", "application/json"],
    ["text/event-stream", "text/event-stream"],
    ["TEXT/Event-Stream", "text/event-stream"],
    ["text/event-stream;charset=utf-8", "text/event-stream"],
    ["text/event-stream, application/json", "application/json"],
    ["text/event-stream, application/json;q=0.9", "text/event-stream"],
    ["text/event-stream, */*", "application/json"],
    ["text/event-stream, */*;q=0.8", "text/event-stream"],
    ["text/*, application/json;q=0.999", "text/event-stream"],
    ["*/*, application/json;q=0.1", "text/event-stream"],
    ["text/event-stream;q=0, */*", "application/json"],
    ["application/json;q=0, */*;q=0.001", "text/event-stream"],
    // A browser's.
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/json"],
    // Axios's.
    ["application/json, text/plain, */*", "application/json"],
    ["text/event-stream;q=1.5, application/json;q=0.1", "application/json"],
    ["text/event-stream;q=0.1234", undefined],
    ["text/html", undefined],
    ["*/*;q=0", undefined],
    ["*;q=.2, application/json; q=0.1", "text/event-stream"],
    ["", "application/json"],
    [" , ,", "application/json"],
    [",;,=;q", undefined],
    ['text/event-stream;a="x,y;q=0";q=1, application/json;q=0.5', "text/event-stream"],
    ['text/event-stream;a="open, application/json', "text/event-stream"],
  ])("of Accept: %s is %s", (accept, type) => {
    expect(selectType(accept, offered)).toBe(type);
  });

  // RFC 9110 §12.5.1
  test.each([
    ["text/plain;q=0.5, text/html, text/x-dvi;q=0.8, text/x-c", ["text/plain", "text/x-dvi", "text/x-c", "text/html"], "text/x-c"],
    ["text/*;q=0.3, text/plain;q=0.7, */*;q=0.5", ["text/html", "image/jpeg", "text/plain"], "text/plain"],
    ["text/*;q=0.3, text/plain;q=0.7, */*;q=0.5", ["text/html", "image/jpeg"], "image/jpeg"],
    ["audio/*; q=0.2, audio/basic", ["audio/mpeg", "audio/basic"], "audio/basic"],
  ])("of Accept: %s among %j is %s", (accept, types, type) => {
    expect(selectType(accept, types)).toBe(type);
  });

  test("is one of those offered, or none, whatever is sent, and does not hang on where a range stands", () => {
    const range = fc.tuple(fc.constantFrom(...offered, "text/*", "*/*", "image/png"), fc.integer({ min: 0, max: 1_000 }));
    const property = fc.property(fc.array(range, { minLength: 1 }), fc.string(), (ranges, rubbish) => {
      expect([undefined, ...offered]).toContain(selectType(rubbish, offered));
      const header = (all: readonly (readonly [string, number])[]) => all.map(([type, q]) => `${type};q=${q / 1_000}`).join(", ");
      expect(selectType(header(ranges), offered)).toBe(selectType(header(ranges.toReversed()), offered));
    });
    fc.assert(property, { seed: 1 });
  });

  test.each([",", ";", '"', "a/b,", 'a/b;c="\\', "a/b;", "a/b;q=1 "])("of the longest header of %s is found soon", (piece) => {
    const header = piece.repeat(2_048).slice(0, 2_048);
    const start = process.cpuUsage();
    for (let turn = 0; turn < 100; turn++) expect(() => selectType(header, offered)).not.toThrow(TypeError);
    expect(cpuMsSince(start)).toBeLessThan(500);
  });
});
