// @long

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createShop } from "../../examples/shop/api.js";
import { start } from "../../examples/shop/fastify.js";
import type { Listening } from "../../examples/shop/host.js";
import { readSettings } from "../../examples/shop/settings.js";
import { defaultLimits } from "../../src/ground/limits/limits.js";
import { codes } from "../../src/ground/problem/codes.js";

const run = promisify(execFile);
const page = readFileSync(new URL("../../docs/batch.md", import.meta.url), "utf8");

/** The commands of the page, with the body that it shows below them. */
const examples = [...page.matchAll(/```sh\n([\s\S]*?)```\n(?:\n```json\n([\s\S]*?)```)?/g)].map(([, commands = "", shown]) => ({
  commands,
  statuses: [...commands.matchAll(/ # (\d{3})$/gm)].map(([, status]) => status),
  shown: shown === undefined ? undefined : expectation(JSON.parse(shown)),
}));

/** A text with an ellipsis stands for any that begins like it. */
function expectation(value: unknown): unknown {
  if (typeof value === "string" && value.includes("…")) return expect.stringContaining(value.slice(0, value.indexOf("…")));
  if (Array.isArray(value)) return value.map(expectation);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expectation(member)]));
}

describe("docs/batch.md", () => {
  const service = createShop(readSettings({ DATA_DIR: ":memory:" }));
  let at: Listening;
  beforeAll(async () => {
    await service.start();
    at = await start(service, { port: 0, address: "127.0.0.1", basePath: "" });
  });
  afterAll(() => at.close(() => service.close()));

  test("has an example of every kind", () => {
    for (const target of ["/users/batch ", "PATCH", "batch-delete", "bulk-update?", "-X DELETE", "/batch ", "multipart", "respond-async"]) {
      expect(examples.some(({ commands }) => commands.includes(target))).toBe(true);
    }
  });

  test("shows what its examples are answered, one after the other", async () => {
    for (const { commands, statuses, shown } of examples) {
      const script = `curl() { command curl -s -w '\\n%{http_code}\\n' "$@"; }\n${commands.replaceAll("localhost:3000", `127.0.0.1:${at.port}`)}`;
      const lines = (await run("bash", ["-c", script])).stdout.trimEnd().split("\n");
      expect(
        lines.filter((line) => /^\d{3}$/.test(line)),
        `${commands}${lines.join("\n")}`,
      ).toEqual(statuses);
      if (shown !== undefined) expect(JSON.parse(lines.at(-2) ?? ""), commands).toMatchObject(shown as object);
    }
  });

  test("names codes that there are, with their status where it says one", () => {
    for (const [, status, code = "", fragment] of page.matchAll(/(?:(\d{3}) )?\[([A-Z_]+)\]\(problems\.md#([a-z_]+)\)/g)) {
      expect(codes).toHaveProperty(code, status === undefined ? expect.anything() : expect.objectContaining({ status: Number(status) }));
      expect(fragment).toBe(code.toLowerCase());
    }
  });

  test("shows the limits with their defaults", () => {
    const shown = [...page.matchAll(/(batch[A-Z]\w+): ([\d_]+)/g)].map(([, name = "", value = ""]) => [name, Number(value.replaceAll("_", ""))]);
    expect(shown.length).toBeGreaterThan(3);
    expect(defaultLimits).toMatchObject(Object.fromEntries(shown));
  });
});
