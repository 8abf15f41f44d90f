import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { defaultLimits } from "../../src/ground/limits/limits.js";
import { codes } from "../../src/ground/problem/codes.js";

const page = readFileSync(new URL("../../docs/limits.md", import.meta.url), "utf8");

describe("docs/limits.md", () => {
  test("lists every limit with its default, and no others", () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| ([\d,]+) \|/gm)];
    const documented = Object.fromEntries(rows.map(([, name = "", value = ""]) => [name, Number(value.replaceAll(",", ""))]));
    expect(documented).toEqual(defaultLimits);
  });

  test("gives every code with its status and a link to it", () => {
    const links = [...page.matchAll(/(\d{3}) \[([A-Z_]+)\]\(problems\.md#([a-z_]+)\)/g)];
    expect(links.length).toBeGreaterThan(0);
    for (const [, status = "", code = "", fragment] of links) {
      expect(codes).toHaveProperty(code, expect.objectContaining({ status: Number(status) }));
      expect(fragment).toBe(code.toLowerCase());
    }
  });
});
