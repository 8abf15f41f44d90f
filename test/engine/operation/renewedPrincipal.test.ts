import type { Principal } from "restwright";
import { FakeClock } from "restwright/testing";
import { expect, test } from "vitest";
import { RenewedPrincipal } from "../../../src/engine/operation/work/renewedPrincipal.js";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** A principal that is asked for again after each of these steps of the clock. */
async function askedAfter(...stepsMs: readonly number[]): Promise<number> {
  let asked = 0;
  let nowMs = new FakeClock().now();
  const reload = (principal: Principal) => {
    asked += 1;
    return principal;
  };
  const renewed = new RenewedPrincipal({ principals: { reload }, logger: quiet, clock: { now: () => nowMs } }, { id: "ann" });
  await renewed.current();
  for (const stepMs of stepsMs) {
    nowMs += stepMs;
    await renewed.current();
  }
  return asked;
}

test("a principal is renewed once a minute", async () => {
  expect(await askedAfter(30_000, 29_999)).toBe(1);
  expect(await askedAfter(30_000, 30_000, 59_999, 1)).toBe(3);
});

test("a principal is renewed when the clock is set back by an hour, and once a minute from then on", async () => {
  expect(await askedAfter(-3_600_000, 59_999)).toBe(2);
  expect(await askedAfter(-3_600_000, 60_000)).toBe(3);
});

test.each([
  [{ id: "" }, '"id" ""'],
  [{ id: "ann", tenant: "" }, '"tenant" ""'],
])("the principal %j is a fault of reload, not one that no longer exists", async (nameless, fault) => {
  const parts = { principals: { reload: () => nameless }, logger: quiet, clock: new FakeClock() };
  const message = `that of "principals.reload" has the ${fault}.`;
  await expect(new RenewedPrincipal(parts, { id: "ann" }).current()).rejects.toThrow(message);
});
