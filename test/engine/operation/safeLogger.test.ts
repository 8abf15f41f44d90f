import { describe, expect, test } from "vitest";
import { safeLogger } from "../../../src/engine/operation/logging/safeLogger.js";
import { Unavailable } from "../../../src/ground/storage/errors.js";

interface Line {
  readonly level: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into facts of every shape
  readonly facts: any;
  readonly message: string;
}

function recording() {
  const lines: Line[] = [];
  const at = (level: string) => (facts: object, message: string) => lines.push({ level, facts, message });
  return { lines, logger: safeLogger({ error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") }) };
}

function errorOf(error: unknown) {
  const { lines, logger } = recording();
  logger.error({ err: error }, "It failed.");
  return lines[0]?.facts.err;
}

describe("an event", () => {
  test("keeps its level, message and facts", () => {
    const { lines, logger } = recording();
    for (const level of ["error", "warn", "info", "debug"] as const)
      logger[level]({ webhook: "wh_1", count: 5, big: 5n, none: undefined }, "Something happened.");
    expect(lines.map(({ level }) => level)).toEqual(["error", "warn", "info", "debug"]);
    expect(lines[0]).toEqual({ level: "error", facts: { webhook: "wh_1", count: 5, big: 5n, none: undefined }, message: "Something happened." });
  });

  test("has safe texts wherever they are", () => {
    const { lines, logger } = recording();
    const text = "a\nb\u001b[2J\u202e";
    logger.warn({ text, [text]: 1, list: [text, { text }], at: new Date(0) }, text);
    expect(JSON.stringify(lines)).not.toMatch(/\\n|\u202e/);
    expect(lines[0]?.facts.list).toEqual(["a\\u000ab\\u001b[2J\\u202e", { text: "a\\u000ab\\u001b[2J\\u202e" }]);
    expect(lines[0]?.facts.at).toEqual(new Date(0));
  });

  test("is bounded, also if an object contains itself", () => {
    const { lines, logger } = recording();
    const circle: Record<string, unknown> = { list: Array.from({ length: 1_000 }, () => "x".repeat(1_000)) };
    circle["self"] = circle;
    logger.error({ circle }, "m".repeat(10_000));
    expect(JSON.stringify(lines).length).toBeLessThan(200_000);
  });

  test("costs nothing if the logger fails", () => {
    const fail = () => {
      throw new Error("EPIPE");
    };
    expect(() => safeLogger({ error: fail, warn: fail, info: fail, debug: fail }).error({}, "m")).not.toThrow();
  });

  test("calls the methods of a logger that needs its own object", () => {
    class Counting {
      count = 0;
      error = () => undefined;
      info = () => undefined;
      debug = () => undefined;
      warn(): void {
        this.count += 1;
      }
    }
    const counting = new Counting();
    safeLogger(counting).warn({}, "m");
    expect(counting.count).toBe(1);
  });
});

describe("an error", () => {
  test("keeps its class, name, message, code, frames and causes", () => {
    const inner = Object.assign(new TypeError("inner"), { code: "ECONNREFUSED" });
    const logged = errorOf(new Unavailable("The database cannot answer.", { cause: new AggregateError([inner], "all") }));
    expect(logged).toBeInstanceOf(Unavailable);
    expect([logged.name, logged.message]).toEqual(["Unavailable", "The database cannot answer."]);
    expect(logged.stack).toMatch(/^Unavailable: The database cannot answer\.\n {4}at .*safeLogger\.test/);
    expect(logged.cause.errors[0]).toMatchObject({ message: "inner", code: "ECONNREFUSED" });
    expect(logged.cause.errors[0]).toBeInstanceOf(TypeError);
  });

  test("loses what drivers add: the values of a statement, the arguments of a command, a configuration", () => {
    const error = Object.assign(new Error("failed"), {
      detail: "Key (email)=(ada@example.com) already exists.",
      parameters: ["ada@example.com"],
      command: { name: "set", args: ["key", "ada@example.com"] },
      config: { headers: { authorization: "Bearer ada@example.com" } },
    });
    expect(JSON.stringify({ ...errorOf(error) })).not.toContain("ada@example.com");
  });

  test("cannot forge lines or show credentials by its message", () => {
    const logged = errorOf(new Error('connect postgres://ada:s3cret@db failed\n{"level":"error","message":"forged"}\n    at forged (x.js:1:1)'));
    expect(logged.message).toBe('connect postgres://[redacted]@db failed\\u000a{"level":"error","message":"forged"}\\u000a    at forged (x.js:1:1)');
    expect(logged.stack).not.toContain("s3cret");
    expect(logged.stack.split("\n")[0]).toBe(`Error: ${logged.message}`);
  });

  test.each([["a text\n"], [undefined], [null], [7], [{ text: "a\n" }], [Object.freeze(new Error("frozen\n"))]])("may be anything: %j", (thrown) => {
    expect(JSON.stringify(errorOf(thrown)) ?? "").not.toContain("\\n");
  });

  test("may have getters that throw", () => {
    const error = new Error("a");
    Object.defineProperty(error, "code", {
      get: () => {
        throw new Error("no");
      },
    });
    expect(() => errorOf(error)).not.toThrow();
  });
});
