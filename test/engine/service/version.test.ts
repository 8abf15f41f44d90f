import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { version } from "../../../src/engine/operation/version.js";

test("the version that is sent is that of the package", () => {
  const { version: published } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  expect(version).toBe(published);
});
