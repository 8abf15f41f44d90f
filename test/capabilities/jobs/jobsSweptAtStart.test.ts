import { defineResource, type Storage } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";
import { boundStorage } from "../../tools/storage/boundStorage.js";
import { endedJob, jobOf } from "../batch/batchJobStage.js";

const users = defineResource("users", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
const eightDaysMs = 8 * 86_400_000;

test("A service that starts removes the jobs that have ended longer ago than they are kept", async () => {
  const clock = new FakeClock();
  const memory = memoryStorage({ clock });
  const storage: Storage = boundStorage(memory, { close: async () => {} });
  const blobs = memoryBlobs();
  const open = async () => {
    const service = fullService({ resources: [users], storage, blobs, clock });
    onTestFinished(() => service.close());
    await service.start();
    return { service, send: clientOf(service) };
  };
  const first = await open();
  const headers = { "content-type": "text/csv" };
  const target = jobOf(await first.send({ method: "POST", target: "/imports?collection=users", headers, body: "name\nAda\n" }));
  expect((await endedJob(first.send, target)).status).toBe("completed");
  await first.service.close();

  clock.advance(eightDaysMs);
  const next = await open();
  await expect.poll(async () => (await next.send({ target })).status, { timeout: 3_000 }).toBe(404);
});
