import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { markedFiles, readMark } from "../tools/marks.js";

const code = 'import { test } from "vitest";\n';

describe("the mark of a test file", () => {
  test("is its first line", () => {
    expect(readMark("a.test.ts", `// @slow\n\n${code}`)).toEqual({ path: "a.test.ts", mark: "slow", onlyInFull: false });
    expect(readMark("a.test.ts", `// @long only-in-full\n\n${code}`)).toEqual({ path: "a.test.ts", mark: "long", onlyInFull: true });
    expect(readMark("a.test.ts", `// @isolated\n\n${code}`).mark).toBe("isolated");
    expect(readMark("a.test.ts", code).mark).toBeUndefined();
  });

  test.each([
    ["a misspelled mark", `// @slwo\n\n${code}`],
    ["a misspelled addition", `// @slow only-full\n\n${code}`],
    ["other letters", `// @Slow\n\n${code}`],
    ["no blank", `//@slow\n\n${code}`],
    ["another comment", `/** @slow */\n\n${code}`],
    ["no empty line, so that it would move with the first import", `// @slow\n${code}`],
    ["a line after the first", `${code}// @slow\n`],
    ["a second mark", `// @slow\n\n// @long\n\n${code}`],
    ["an addition without a mark", `// only-in-full\n\n${code}`],
    ["a mark of another tool", `// @ts-nocheck\n\n${code}`],
  ])("is refused: %s", (_, text) => {
    expect(() => readMark("test/a.test.ts", text)).toThrow(/^test\/a\.test\.ts: a test file is marked by its first line/);
  });

  test("is known or refused, whatever its first line says after @", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z -]*$/), (words) => {
        const known = /^(?:slow|long|isolated)(?: only-in-full)?$/.test(words);
        const read = () => readMark("a.test.ts", `// @${words}\n\n${code}`);
        if (known) expect(read().mark).toBe(words.split(" ")[0]);
        else expect(read).toThrow("a.test.ts: ");
      }),
    );
  });
});

test("Each file of test/e2e and test/fuzz, and each of crashes and attacks, has a mark", () => {
  const files = markedFiles(new URL("../../", import.meta.url));
  expect(files.length).toBeGreaterThan(800);
  const neverQuick = /^test\/(?:e2e\/(?!shop\/(?:orderTotal|passwords)\.)|fuzz\/)|^test\/attacks\/\w+Attacks\.test\.ts$|[cC]rash\.test\.ts$/;
  expect(files.flatMap(({ path, mark }) => (neverQuick.test(path) && mark === undefined ? [path] : []))).toEqual([]);
});
