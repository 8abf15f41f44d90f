import { PassThrough } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Display, RateWindow } from "../../../adapters/cli/terminal/display.js";
import { formatBytes, formatCount, formatSeconds } from "../../../adapters/cli/terminal/formatAmount.js";
import { jsonLine, printable, printableLines } from "../../../adapters/cli/terminal/printable.js";
import { type Progress, progressBar, progressSentence } from "../../../adapters/cli/terminal/progressLine.js";
import type { Terminal } from "../../../adapters/cli/terminal/terminal.js";

const half: Progress = { label: "Importing", unit: "rows", done: 5_000, total: 10_000, perSecond: 1_000 };

describe("a progress", () => {
  test.each([
    [79, "Importing [########........] 50 %  5,000 of 10,000 rows  1,000 rows/s  5 s left"],
    [200, "Importing [###############...............] 50 %  5,000 of 10,000 rows  1,000 rows/s  5 s left"],
    [65, "Importing  50 %  5,000 of 10,000 rows  1,000 rows/s  5 s left"],
    [20, "Importing  50 %  5,0"],
  ])("is a bar of %i columns", (columns, line) => {
    expect(progressBar(half, columns)).toBe(line);
  });

  test.each([
    [half, "Importing: 50 %, 5,000 of 10,000 rows, 1,000 rows/s, 5 s left"],
    [{ label: "Sending", unit: "bytes", done: 1_234_567, total: 2_000_000 }, "Sending: 61 %, 1.2 MB of 2.0 MB"],
    [{ label: "Fetching", unit: "bytes", done: 1_234_567, perSecond: 1e6 }, "Fetching: 1.2 MB, 1.0 MB/s"],
    [{ label: "Waiting", unit: "rows", done: 0, total: 0 }, "Waiting: 0 rows"],
    [{ ...half, done: 10_000 }, "Importing: 100 %, 10,000 of 10,000 rows, 1,000 rows/s"],
    [{ ...half, done: 0, fraction: 0.25, perSecond: undefined }, "Importing: 25 %, 0 of 10,000 rows"],
  ] as const)("%j is a sentence", (progress, sentence) => {
    expect(progressSentence(progress)).toBe(sentence);
  });

  test("never takes more columns than there are", () => {
    const progress = fc.record({
      label: fc.constantFrom("Sending", "Fetching errors"),
      unit: fc.constantFrom("rows" as const, "bytes" as const),
      done: fc.nat(1e12),
      total: fc.option(fc.nat(1e12), { nil: undefined }),
      fraction: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
      perSecond: fc.option(fc.double({ min: 0.001, max: 1e9, noNaN: true }), { nil: undefined }),
    });
    fc.assert(fc.property(progress, fc.integer({ min: 1, max: 200 }), (shown, columns) => progressBar(shown, columns).length <= columns));
  });
});

test.each([
  [formatCount(1_234_567), "1,234,567"],
  [formatBytes(999), "999 B"],
  [formatBytes(999_600), "1.0 MB"],
  [formatBytes(123_456_789), "123 MB"],
  [formatSeconds(0.2), "1 s"],
  [formatSeconds(61), "1 min 1 s"],
  [formatSeconds(3_725), "1 h 2 min"],
])("%s is an amount as people read it", (formatted, expected) => {
  expect(formatted).toBe(expected);
});

test("A rate is that of the last fifteen seconds", () => {
  const rate = new RateWindow();
  rate.add(0, 0);
  expect(rate.perSecond).toBeUndefined();
  for (let second = 1; second <= 20; second++) rate.add(second * 100, second * 1_000);
  expect(rate.perSecond).toBe(100);
  for (let second = 21; second <= 40; second++) rate.add(2_000 + (second - 20) * 10, second * 1_000);
  expect(rate.perSecond).toBe(10);
});

test("What a server says cannot move the cursor of a terminal", () => {
  expect(printable("a\u001b[2Jb\r\nc\u009bd")).toBe("a [2Jb c d");
  expect(printable("to \u202egpj.exe\u2066 \u2028x\u200f")).toBe("to gpj.exe x ");
  expect(printableLines("a\u001b]8;;x\u0007\n\tb\u202e\r")).toBe("a ]8;;x \n\tb  ");
  expect(jsonLine({ text: "a\u001b\u009b\u202e\u2028\n" })).toBe('{"text":"a\\u001b\\u009b\\u202e\\u2028\\n"}\n');
  expect(printable("\u{1f469}\u200d\u{1f4bb} über עברית")).toBe("\u{1f469}\u200d\u{1f4bb} über עברית");
});

describe("a display", () => {
  function display(isTTY: boolean, isQuiet = false) {
    let now = 0;
    const stderr = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY, columns: 60 });
    const terminal: Terminal = {
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      stderr,
      variables: {},
      version: "1.2.3",
      packageFolder: "/usr/lib/restwright",
      interruption: new AbortController().signal,
      now: () => now,
      sleep: async () => {},
    };
    const shown = new Display(terminal, { isQuiet });
    const at = (ms: number, done: number) => {
      now = ms;
      shown.show({ label: "Importing", unit: "rows", done, total: 100 });
    };
    return { shown, at, text: () => stderr.read() ?? "" };
  }

  test("redraws one line of a terminal, ten times a second at most, and takes it away for what stays", () => {
    const { shown, at, text } = display(true);
    at(0, 0);
    at(50, 5);
    at(100, 10);
    shown.note("Trying again.");
    const erase = "\r\u001b[2K";
    expect(text().split(erase)).toEqual([
      "",
      `Importing [${".".repeat(28)}] 0 %  0 of 100 rows`,
      `Importing [##${".".repeat(24)}] 10 %  10 of 100 rows`,
      "Trying again.\n",
    ]);
  });

  test("writes a line every five seconds where there is no terminal", () => {
    const { at, text } = display(false);
    at(0, 0);
    at(4_999, 1);
    expect(text()).toBe("");
    at(5_000, 50);
    at(6_000, 60);
    expect(text()).toBe("Importing: 50 %, 50 of 100 rows, 10 rows/s, 5 s left\n");
  });

  test("is silent where people want it so, but for what went wrong", () => {
    const { shown, at, text } = display(false, true);
    at(0, 0);
    at(9_000, 50);
    shown.note("Imported.");
    shown.report("It has failed.");
    expect(text()).toBe("It has failed.\n");
  });
});
