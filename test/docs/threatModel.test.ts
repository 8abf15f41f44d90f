import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(`${root}docs/threat-model.md`, "utf8");
const classes = page
  .split(/^### /m)
  .slice(1)
  .map((section) => [section.split("\n")[0] ?? "", section] as const);

describe("docs/threat-model.md", () => {
  test("has every class of the OWASP API Security Top 10", () => {
    expect(classes.map(([heading]) => heading.split(" ")[0])).toEqual(Array.from({ length: 10 }, (_, index) => `API${index + 1}`));
  });

  test.each(classes)("says of %s what restwright does, what is left, and which tests cover it", (_, section) => {
    expect([...section.matchAll(/^- \*\*(.+?)\*\*:/gm)].map(([, name]) => name)).toEqual(["restwright", "You", "Tests"]);
    expect(section).toMatch(/`test\/.+\.ts`/);
  });

  test.each([...new Set([...page.matchAll(/`(test\/[^`]+)`/g)].map(([, path = ""]) => path))])("names %s, which exists", (path) => {
    expect(existsSync(`${root}${path}`)).toBe(true);
  });

  test.each(["SECURITY.md", "README.md"])("is linked by %s", (file) => {
    expect(readFileSync(`${root}${file}`, "utf8")).toContain("docs/threat-model.md");
  });
});
