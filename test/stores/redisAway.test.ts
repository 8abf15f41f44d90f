import { expect, test } from "vitest";
import type { ScriptClient } from "../../adapters/redis/client.js";
import { defineScript, scriptRunner } from "../../adapters/redis/script.js";

const script = defineScript("return 1");

/** A server that answers as the test says, and counts what it was asked. */
function server() {
  const state = { isAway: true, asked: 0 };
  const client = {
    runHash() {
      state.asked += 1;
      return state.isAway ? new Promise(() => {}) : Promise.resolve(1);
    },
  } as unknown as ScriptClient;
  return { state, client };
}

test("only the first request waits for a server that does not answer, and one in half a second asks again", async () => {
  const { state, client } = server();
  const run = scriptRunner(client, 100);
  await expect(run(script, [], [])).rejects.toThrow("did not answer within 100 ms");
  const refusedMs = performance.now();
  const refused = await Promise.allSettled(Array.from({ length: 50 }, () => run(script, [], [])));
  expect(refused.every(({ status }) => status === "rejected")).toBe(true);
  expect(performance.now() - refusedMs).toBeLessThan(400);
  expect(state.asked).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 550));
  const late = await Promise.allSettled(Array.from({ length: 50 }, () => run(script, [], [])));
  expect(late.every(({ status }) => status === "rejected")).toBe(true);
  expect(state.asked).toBe(2);
  state.isAway = false;
  await expect.poll(() => run(script, [], []).catch(String), { timeout: 5_000 }).toBe(1);
  expect(await Promise.all(Array.from({ length: 50 }, () => run(script, [], [])))).toEqual(Array.from({ length: 50 }, () => 1));
});
