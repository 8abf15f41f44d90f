import { expect, test } from "vitest";
import { onDemand } from "../../src/ground/onDemand/onDemand.js";

test("a module is loaded once, when it is first needed, and then there at once", async () => {
  let loads = 0;
  const load = onDemand(async () => ({ number: ++loads }));
  expect(loads).toBe(0);
  const [first, second] = [load(), load()];
  expect(first).toBeInstanceOf(Promise);
  expect(await first).toBe(await second);
  expect(load()).toEqual({ number: 1 });
  expect(load()).toBe(await first);
});

test("a load that failed is tried again", async () => {
  let loads = 0;
  const load = onDemand(async () => {
    loads += 1;
    if (loads === 1) throw new Error("The file is missing.");
    return loads;
  });
  const [first, second] = await Promise.allSettled([load(), load()]);
  expect([first.status, second.status]).toEqual(["rejected", "rejected"]);
  expect(await load()).toBe(2);
  expect(load()).toBe(2);
});
