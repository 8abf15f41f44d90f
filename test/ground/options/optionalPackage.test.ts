import { describe, expect, test } from "vitest";
import { optionalPackage } from "../../../src/ground/options/optionalPackage.js";
import { ConfigurationError } from "../../../src/ground/problem/index.js";

const about = { name: "@scope/some-parser", version: "3", neededBy: "parse" };

function failing(code: string, message: string) {
  return optionalPackage(() => Promise.reject(Object.assign(new Error(message), { code })), about);
}

describe("an optional package", () => {
  test("is imported when it is first needed, and once", async () => {
    let imports = 0;
    const load = optionalPackage(async () => ({ imports: ++imports }), about);
    expect(imports).toBe(0);
    expect(await Promise.all([load(), load()])).toEqual([{ imports: 1 }, { imports: 1 }]);
    expect(await load()).toEqual({ imports: 1 });
  });

  test.each([
    ["ERR_MODULE_NOT_FOUND", "Cannot find package '@scope/some-parser' imported from /app/index.js"],
    ["ERR_MODULE_NOT_FOUND", 'Cannot find package "@scope/some-parser" from "/app/index.js"'],
    ["MODULE_NOT_FOUND", "Cannot find module '@scope/some-parser'\nRequire stack:\n- /app/index.js"],
  ])("that is not installed is an error that says what to install: %s, %s", async (code, message) => {
    const error = await failing(code, message)().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({
      message: "parse needs the package @scope/some-parser, which is not installed. Run: npm install @scope/some-parser@3",
      cause: { code },
    });
  });

  test.each([
    ["ERR_MODULE_NOT_FOUND", "Cannot find package 'other' imported from /app/node_modules/@scope/some-parser/index.js"],
    ["ERR_MODULE_NOT_FOUND", "Cannot find package '@scope/some-parser-core' imported from /app/index.js"],
    ["ERR_DLOPEN_FAILED", "Cannot find package '@scope/some-parser'"],
  ])("that fails in another way has its own error: %s, %s", async (code, message) => {
    await expect(failing(code, message)()).rejects.toThrow(message);
  });

  test("is tried again after a failure", async () => {
    const outcomes = [Promise.reject(new Error("not now")), Promise.resolve({ parse: 1 })];
    const load = optionalPackage(() => outcomes.shift() ?? Promise.reject(new Error("too often")), about);
    await expect(load()).rejects.toThrow("not now");
    expect(await load()).toEqual({ parse: 1 });
  });
});
