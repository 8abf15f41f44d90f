import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { codes } from "../../src/ground/problem/codes.js";

/** Every code that is made from the names of a unique key. */
const duplicates = "DUPLICATE_…";

const page = readFileSync(new URL("../../docs/problems.md", import.meta.url), "utf8");
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = "", ...lines] = section.split("\n");
      return [heading.trim(), lines.join("\n").trim()];
    }),
);

describe("docs/problems.md", () => {
  test("has one heading a code, in the order of the registry, and no others", () => {
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual([...Object.keys(codes), duplicates]);
  });

  test.each(Object.entries(codes))("starts what it says of %s with its status", (code, { status }) => {
    expect(sections.get(code)).toMatch(new RegExp(`^${status}\\b`));
  });

  test.each([...sections])("says something of %s", (_code, text) => {
    expect(text.length).toBeGreaterThan(40);
  });
});
