import { expect, test } from "vitest";
import { equalSecrets } from "../../../src/parts/auth/index.js";

test.each([
  ["", "", true],
  ["secret", "secret", true],
  ["sécret", "sécret", true],
  ["secret", "Secret", false],
  ["secret", "secret ", false],
  ["secret", "", false],
  ["a", "a".repeat(10_000), false],
])("%j and %.20j are equal: %s", (a, b, equal) => {
  expect(equalSecrets(a, b)).toBe(equal);
});
