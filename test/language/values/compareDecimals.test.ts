import fc from "fast-check";
import { sqliteStorage } from "restwright/sqlite";
import { expect, test } from "vitest";
import { decimalKey, decimalKeyOf } from "../../../adapters/stores/sql/engine/sqlite/decimalKey.js";
import { compareDecimals } from "../../../src/ground/storage/matches/compareDecimals.js";
import { compareText } from "../../../src/ground/storage/matches/compareText.js";
import { decimalText, hasDigits, isDecimal } from "../../../src/ground/storage/values/decimal.js";
import { propertyRuns } from "../../tools/propertyRuns.js";

const maxScale = 40;

/** Decimals of up to 80 digits, many of them close to each other. */
const decimals = fc
  .record({
    units: fc.oneof(fc.bigInt({ min: -120n, max: 120n }), fc.bigInt({ min: -(10n ** 80n), max: 10n ** 80n })),
    scale: fc.oneof(fc.nat(3), fc.nat(maxScale)),
    padding: fc.nat(2),
  })
  .map(({ units, scale, padding }) => ({ text: textOf(units, scale, padding), value: units * 10n ** BigInt(maxScale - scale) }));

/** The decimal `units / 10^scale`, with further zeros at the end of its fraction. */
function textOf(units: bigint, scale: number, padding: number): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const fraction = `${digits.slice(digits.length - scale)}${"0".repeat(padding)}`;
  const whole = digits.slice(0, digits.length - scale);
  return `${units < 0n ? "-" : ""}${whole}${scale === 0 || fraction === "" ? "" : `.${fraction}`}`;
}

const signOf = (left: bigint, right: bigint) => (left === right ? 0 : left < right ? -1 : 1);

test("decimals are ordered as their integers are", () => {
  const property = fc.property(decimals, decimals, (left, right) => {
    expect(Math.sign(compareDecimals(left.text, right.text))).toBe(signOf(left.value, right.value));
    expect(Math.sign(compareText(decimalKey(left.text), decimalKey(right.text)))).toBe(signOf(left.value, right.value));
    expect(decimalText(left.text, 0) === decimalText(right.text, 0)).toBe(left.value === right.value);
  });
  fc.assert(property, { numRuns: propertyRuns(1_000) });
});

test("the canonical text of a decimal is the same number with at least the digits of the scale", () => {
  const property = fc.property(decimals, fc.nat(6), ({ text, value }, scale) => {
    const canonical = decimalText(text, scale);
    expect(isDecimal(canonical)).toBe(true);
    const [whole = "", fraction = ""] = canonical.replace("-", "").split(".");
    const units = BigInt(`${whole}${fraction.padEnd(maxScale + 2, "0")}`) / 100n;
    expect(canonical.startsWith("-") ? -units : units).toBe(value);
    expect(fraction.length).toBeGreaterThanOrEqual(scale);
    expect(fraction.length === scale || !fraction.endsWith("0")).toBe(true);
    expect(decimalText(canonical, scale)).toBe(canonical);
    expect(hasDigits(text, { precision: 200, scale: fraction.length })).toBe(true);
  });
  fc.assert(property, { numRuns: propertyRuns(300) });
});

test("SQLite computes the keys that the service compares with", async () => {
  const storage = sqliteStorage({ path: ":memory:" });
  const texts = fc.sample(decimals, { numRuns: 200, seed: 7 }).map(({ text }) => decimalText(text, 0));
  const list = JSON.stringify([...texts, "0", "-1", "-10", "1000000.000001"]);
  const rows = await storage.transaction?.(async (tx) => tx.sql?.(`select value, ${decimalKeyOf("value")} as key from json_each(?)`, [list]));
  expect(rows).toHaveLength(texts.length + 4);
  for (const { value, key } of rows ?? []) expect(key).toBe(decimalKey(String(value)));
  await storage.close?.();
});
