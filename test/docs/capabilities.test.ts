import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test("docs/capabilities.md shows examples/audit-log as it is, in about 40 lines", () => {
  const code = read("examples/audit-log/auditLog.ts");
  expect(read("docs/capabilities.md")).toContain(`\`\`\`ts\n${code}\`\`\``);
  expect(code.split("\n").length).toBeLessThan(50);
});
