import { expect, test } from "vitest";
import { Turns } from "../../../../adapters/stores/memory/interleaving/turns.js";
import { onDemand } from "../../../../src/ground/onDemand/onDemand.js";

/** Longer than the program has to be at rest before a turn. */
const eventLoopTurns = 50;

/** The order of two calls, of which one comes when a module has been loaded. */
async function orderOf(seed: number, isLoaded: boolean): Promise<readonly string[]> {
  const turns = new Turns(seed);
  const load = onDemand(async () => {
    for (let turn = 0; turn < eventLoopTurns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
  });
  if (isLoaded) await load();
  const call = (label: string) => turns.take({ label }, () => {});
  await Promise.all([Promise.resolve(load()).then(() => call("count")), call("insert")]);
  return turns.order;
}

test("a seed has one order, whether a part of the library is loaded when it is first needed or is there", async () => {
  const orders = new Set<string>();
  for (let seed = 0; seed < 10; seed++) {
    const order = await orderOf(seed, true);
    expect(await orderOf(seed, false)).toEqual(order);
    orders.add(order.join());
  }
  expect([...orders].toSorted()).toEqual(["count,insert", "insert,count"]);
});
