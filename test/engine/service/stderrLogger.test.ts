// @long

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { safeLogger } from "../../../src/engine/operation/logging/safeLogger.js";
import { stderrLogger } from "../../../src/engine/operation/logging/stderrLogger.js";
import { FakeClock } from "../../../src/testing/clock.js";

const at = (path: string) => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));

/** Runs a service whose storage fails, and answers a request for which it is asked; `more` are further options. */
function run(more: string) {
  const program = `
    import { createService, defineResource } from ${at("../../../src/index.ts")};
    import { memoryStorage } from ${at("../../../adapters/memory.ts")};
    import { z } from ${at("../../../node_modules/zod/index.js")};
    const users = defineResource("users", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
    const memory = memoryStorage();
    const storage = { ...memory, secret: undefined, collection: (model) => ({ ...memory.collection(model), get: async () => { throw new Error("disk\\u001b[31m gone\\nforged"); } }) };
    const service = createService({ resources: [users], storage, ${more} });
    const { status } = await service.handle({
      method: "GET", path: "/users/1", query: "", mount: "", headers: ["x-request-id", "request-7"], body: { kind: "none" },
      signal: new AbortController().signal, native: undefined,
    });
    console.log(status);
    await service.close();
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", program], { encoding: "utf8" });
  return { status: stdout.trim(), lines: stderr.split("\n").filter((line) => line !== "") };
}

describe("a service without a logger", () => {
  test("writes warnings and 5xx to stderr, one JSON line each", () => {
    const { status, lines } = run("");
    expect(status).toBe("500");
    const [warning, fault] = lines.map((line) => JSON.parse(line));
    expect(lines).toHaveLength(2);
    expect(warning).toMatchObject({ level: "warn", message: expect.stringContaining("keeps no secret") });
    expect(fault).toMatchObject({ level: "error", requestId: "request-7", method: "GET", path: "/users/1", error: { name: "Error" } });
    expect(fault.error.message).toBe("disk\\u001b[31m gone\\u000aforged");
    expect(fault.error.stack).toContain("at ");
    expect(Math.abs(Date.parse(fault.time) - Date.now())).toBeLessThan(600_000);
    expect(lines.join("")).not.toContain("\u001b");
  });

  test.each(["logger: false", "logger: { error() {}, warn() {}, info() {}, debug() {} }"])("and with %s writes nothing", (option) => {
    expect(run(option)).toEqual({ status: "500", lines: [] });
  });
});

describe("a line", () => {
  const clock = new FakeClock(0);
  const lineOf = (facts: Record<string, unknown>) => {
    const lines: string[] = [];
    safeLogger(stderrLogger(clock, (line) => lines.push(line))).error(facts, "m");
    return lines.join();
  };

  test("has the cause and the code of an error, and numbers of any size", () => {
    const err = Object.assign(new Error("outer", { cause: new TypeError("inner") }), { code: "EIO" });
    expect(JSON.parse(lineOf({ err, count: 5n }))).toMatchObject({
      count: "5",
      error: { code: "EIO", cause: { name: "TypeError", message: "inner" } },
    });
  });

  test("escapes control characters that JSON does not", () => {
    expect(lineOf({ path: "a\u009b\u007f\u2028" })).toContain("a\\\\u009b\\\\u007f\\\\u2028");
  });

  test("is bounded, also where an object holds itself", () => {
    const circle: Record<string, unknown> = { text: "x".repeat(1_000_000) };
    circle["self"] = circle;
    expect(lineOf({ circle }).length).toBeLessThan(200_000);
  });

  test("that cannot be written costs nothing", () => {
    const fail = () => {
      throw new Error("EPIPE");
    };
    const logger = safeLogger(stderrLogger(clock, fail));
    expect(() => logger.warn({}, "m")).not.toThrow();
  });
});
