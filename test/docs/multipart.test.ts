import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { defaultMultipartLimits } from "../../src/capabilities/uploads/index.js";
import { codes } from "../../src/ground/problem/codes.js";

const page = readFileSync(new URL("../../docs/uploads.md", import.meta.url), "utf8");
const section = page.slice(page.indexOf("\n## Multipart\n")).split(/\n## (?!Multipart)/)[0] ?? "";

describe("docs/uploads.md, of multipart", () => {
  test("lists every limit with its default, and no others", () => {
    const rows = [...section.matchAll(/^\| `(\w+)`[^|]* \| ([\d,]+) \|/gm)];
    expect(Object.fromEntries(rows.map(([, name = "", value = ""]) => [name, Number(value.replaceAll(",", ""))]))).toEqual(defaultMultipartLimits);
  });

  test("gives every code with its status and a link to it", () => {
    const links = [...section.matchAll(/(\d{3}) \[([A-Z_]+)\]\(problems\.md#([a-z_]+)\)/g)];
    expect(links.length).toBeGreaterThan(10);
    for (const [, status = "", code = "", fragment] of links) {
      expect(codes).toHaveProperty(code, expect.objectContaining({ status: Number(status) }));
      expect(fragment).toBe(code.toLowerCase());
    }
  });
});
