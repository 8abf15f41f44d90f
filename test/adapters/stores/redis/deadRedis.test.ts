// @long

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { redisIdempotency } from "restwright/redis";
import { expect, test } from "vitest";
import { eventually } from "../../../tools/eventually.js";
import { describeInRedis } from "./describeInRedis.js";

describeInRedis("operations in Redis of a process", async (client, prefix) => {
  const main = fileURLToPath(new URL("deadRedisWorker.ts", import.meta.url));
  let tests = 0;

  /** A process that holds the operation of a key, and a store of another process. */
  async function stage() {
    const own = `${prefix}${tests++}:`;
    const child = spawn(process.execPath, ["--import", "tsx", main], { env: { ...process.env, PREFIX: own }, stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    expect(line).toBe("acquired");
    const store = redisIdempotency(client, { prefix: own });
    const begin = (fingerprint = "f") => store.begin("key", { fingerprint, operationId: "another", leaseMs: 60_000, ttlMs: 120_000 });
    const [sign = expect.fail("The process has not said that it lives.")] = await client.keys(`${own}holder:*`);
    return { child, store, begin, sign, leftMs: () => client.pttl(sign) };
  }

  /** Waits until the process has said again that it lives, and that for about five seconds. */
  async function renewed(leftMs: () => Promise<number>): Promise<void> {
    let lastMs = await leftMs();
    await eventually(async () => {
      const nowMs = await leftMs();
      const isRenewed = nowMs > lastMs;
      lastMs = nowMs;
      expect([isRenewed, nowMs > 4_000]).toEqual([true, true]);
    });
  }

  test("are taken over within seconds when it was killed, by the same request only", async () => {
    const { child, store, begin, sign, leftMs } = await stage();
    child.kill("SIGKILL");
    await once(child, "exit");
    // What it has said last is over within five seconds, which need not pass.
    expect(await leftMs()).toBeLessThanOrEqual(5_000);
    await client.pexpire(sign, 1);
    const begun = await eventually(async () => {
      const answer = await begin();
      expect(answer.kind).toBe("acquired");
      return answer;
    });
    expect(begun).toEqual({ kind: "acquired", operationId: "of the dead", attempt: 2 });
    expect((await begin()).kind).toBe("inFlight");
    expect((await begin("another request")).kind).toBe("inFlight");
    expect(await store.complete("key", "of the dead", 1, Buffer.from("late"))).toBe(false);
    expect(await store.complete("key", "of the dead", 2, Buffer.from("done"))).toBe(true);
  });

  test("stay its own while it lives, also where it is stopped for a while", async () => {
    const { child, begin, sign, leftMs } = await stage();
    try {
      await renewed(leftMs);
      expect((await begin()).kind).toBe("inFlight");
      child.kill("SIGSTOP");
      // It has missed its turn, which comes once a second, and still counts as alive.
      await eventually(async () => expect(await leftMs()).toBeLessThan(3_500));
      expect((await begin()).kind).toBe("inFlight");
      // However long a busy machine takes to let it go on.
      await client.pexpire(sign, 60_000);
      child.kill("SIGCONT");
      await eventually(async () => expect(await leftMs()).toBeLessThanOrEqual(5_000));
      for (const _ of [1, 2]) {
        await renewed(leftMs);
        expect((await begin()).kind).toBe("inFlight");
      }
    } finally {
      child.kill("SIGKILL");
    }
  });
});
