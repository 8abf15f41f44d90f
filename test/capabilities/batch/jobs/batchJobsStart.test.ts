// @slow

import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { expect, test } from "vitest";
import { boundStorage, jobsOf } from "../../../tools/storage/boundStorage.js";
import { endedJob, jobOf } from "../batchJobStage.js";
import { usersAfter } from "../batchKinds.js";
import { openShop, shopResources } from "../batchShop.js";

const request = { method: "POST", target: "/users/batch", body: { items: [{ name: "Ada" }] }, headers: { prefer: "respond-async" } };
const secrets = ["0123456789abcdef0123456789abcdef"];

test.each([
  ["when it was started", true],
  ["with the first request", false],
])("jobs are done on a storage that has nothing to migrate, %s", async (_, isStarted) => {
  const { migrate, ...storage } = memoryStorage();
  await migrate?.(shopResources.map(({ model }) => model));
  const { send, service } = openShop({ storage, secrets });
  if (isStarted) await service.start();
  const job = await endedJob(send, jobOf(await send(request)));
  expect([job.status, (await usersAfter(send)).users]).toEqual(["completed", [["Ada", 0]]]);
  await service.close();
});

test("no worker begins in a service that is closed while it starts", async () => {
  const clock = new FakeClock();
  const inner = memoryStorage({ clock });
  const jobs = jobsOf(inner);
  let claims = 0;
  let migrated = () => {};
  const storage = boundStorage(inner, {
    migrate: async (models) => {
      await new Promise<void>((resolve) => {
        migrated = resolve;
      });
      await inner.migrate?.(models);
    },
    jobs: {
      ...jobs,
      claim(claim) {
        claims += 1;
        return jobs.claim(claim);
      },
    },
  });
  const { service } = openShop({ storage, clock, timers: clock });
  const starting = service.start();
  await service.close();
  migrated();
  await starting;
  clock.advance(600_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(claims).toBe(0);
});
