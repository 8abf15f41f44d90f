import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { redisIdempotency } from "restwright/redis";
import { expect, test } from "vitest";
import { eventually } from "../eventually.js";
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
    return { child, store, begin };
  }

  test("are taken over within seconds when it was killed, by the same request only", { timeout: 30_000 }, async () => {
    const { child, store, begin } = await stage();
    child.kill("SIGKILL");
    const killedMs = Date.now();
    const begun = await eventually(async () => {
      const answer = await begin();
      expect(answer.kind).toBe("acquired");
      return answer;
    });
    expect(Date.now() - killedMs).toBeLessThan(10_000);
    expect(begun).toEqual({ kind: "acquired", operationId: "of the dead", attempt: 2 });
    expect((await begin()).kind).toBe("inFlight");
    expect((await begin("another request")).kind).toBe("inFlight");
    expect(await store.complete("key", "of the dead", 1, Buffer.from("late"))).toBe(false);
    expect(await store.complete("key", "of the dead", 2, Buffer.from("done"))).toBe(true);
  });

  test("stay its own while it lives, also where it is stopped for a while", { timeout: 30_000 }, async () => {
    const { child, begin } = await stage();
    try {
      await sleep(1_200);
      child.kill("SIGSTOP");
      for (let look = 0; look < 15; look++) {
        expect((await begin()).kind).toBe("inFlight");
        await sleep(100);
      }
      child.kill("SIGCONT");
      // Longer than the life of what it had said before.
      for (let look = 0; look < 12; look++) {
        expect((await begin()).kind).toBe("inFlight");
        await sleep(500);
      }
    } finally {
      child.kill("SIGKILL");
    }
  });
});
