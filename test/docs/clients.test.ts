import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { rowOf } from "../long/clients/tool.js";
import { tools } from "../long/clients/tools.js";

test("the table of tools in docs/clients.md is what test/long/clients.ts tries", () => {
  const page = readFileSync(new URL("../../docs/clients.md", import.meta.url), "utf8");
  const [, section = ""] = page.split("## Tools that were tried\n");
  const rows = section.slice(0, section.indexOf("\n## ")).match(/^\| .*\|$/gm) ?? [];
  expect(rows.slice(1)).toEqual(tools.map(rowOf));
});
