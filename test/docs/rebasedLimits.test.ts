import { expect, test } from "vitest";
import { rebasedLimits } from "../package/rebasedLimits.js";

const text = `[
  { "name": "core", "path": "a.js", "limit": "90 kB", "ignore": ["zod"] },
  { "name": "query", "path": "b.js", "limit": "1 kB" }
]
`;

test("limits become the measured size + 2 %, rounded up to 10 bytes; the rest of the file stays", () => {
  const measured = [
    { name: "query", size: 1_000, sizeLimit: 1_000 },
    { name: "core", size: 89_917, sizeLimit: 90_000 },
  ];
  expect(rebasedLimits(text, measured)).toEqual({
    text: text.replace("90 kB", "91720 B").replace("1 kB", "1020 B"),
    changes: [
      { name: "core", before: 90_000, after: 91_720 },
      { name: "query", before: 1_000, after: 1_020 },
    ],
  });
});

test("an entry that was not measured, and one without a limit, are errors", () => {
  expect(() => rebasedLimits(text, [])).toThrow('size-limit has not measured "core".');
  const measured = ["core", "query"].map((name) => ({ name, size: 1, sizeLimit: 1 }));
  expect(() => rebasedLimits(text.replace(`, "limit": "1 kB"`, ""), measured)).toThrow("The file has 2 entries and 1 limits");
});
