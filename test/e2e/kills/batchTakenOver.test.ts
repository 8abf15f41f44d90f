// @long

import { defineResource, type Service, type Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { FakeClock, faultyStorage } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { endedJob } from "../../capabilities/batch/batchJobStage.js";
import { clientOf, type Received, type Sent } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";

const things = defineResource("things", { schema: z.object({ id: z.int(), item: z.int() }), generated: { id: "increment" } });
const batchMs = 1_000;

/** @param tickMs how much later it is each time the service looks at the clock */
function serviceOn(storage: Storage, tickMs: number): Service {
  let nowMs = 0;
  const clock = {
    now() {
      nowMs += tickMs;
      return nowMs;
    },
  };
  return fullService({ resources: [things], storage, clock, limits: { batchItems: 5_000, batchMs }, jobs: { pollMs: 5 } });
}

const count = 2_500;
const items = Array.from({ length: count }, (_, item) => ({ item }));
const headers = { "idempotency-key": "0123456789abcdef", prefer: "return=minimal" };
const operations = items.slice(0, 12).map((body) => ({ method: "POST", url: "/things", body }));
const requests: readonly (readonly [string, number, Sent])[] = [
  ["of rows", count, { method: "POST", target: "/things/batch", headers, body: { items } }],
  ["of operations", operations.length, { method: "POST", target: "/batch", headers, body: { operations } }],
];

describe("a batch under a key whose first try died, and whose second goes on as a job", () => {
  test.each(requests)("%s makes each row once, wherever the first one died", async (_, total, request) => {
    const counting = faultyStorage(memoryStorage());
    const whole = serviceOn(counting, 0);
    await clientOf(whole)(request);
    await whole.close();
    let asJob = 0;
    for (let dieAfter = 1; dieAfter <= counting.calls; dieAfter++) {
      const clock = new FakeClock();
      const storage = memoryStorage({ clock });
      const dying = serviceOn(faultyStorage(storage, { dieAfter, how: "after" }), 0);
      await clientOf(dying)(request).catch(() => undefined);
      await dying.close();
      clock.advance(4 * batchMs + 60_000);
      const slow = serviceOn(storage, 600);
      const send = clientOf(slow);
      const answer: Received = await send(request);
      if (answer.status === 202) {
        asJob += 1;
        const job = await endedJob(send, String(answer.headers["location"]));
        expect([job.status, job.results.length], `died after ${dieAfter}`).toEqual(["completed", total]);
        expect(job.results.every(({ index, status }, at) => index === at && status === 201)).toBe(true);
      }
      const rows = (await send({ target: "/things?count=exact&perPage=1" })).json.meta.total;
      expect(rows, `died after ${dieAfter}`).toBe(total);
      await slow.close();
    }
    expect(asJob).toBeGreaterThan(0);
  });
});
