import { type Capability, createService } from "restwright";
import { jobs } from "restwright/jobs";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { jobsOf as settingsOf } from "../../../src/capabilities/jobs/settings.js";
import { jobsOf } from "../../tools/storage/boundStorage.js";

test.each([
  ["memory", () => memoryStorage()],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
])("a service with default options on %s runs a job of one tenant while 20 of another wait", async (_name, open) => {
  const storage = open();
  await storage.migrate?.([]);
  const create = (id: string, tenant: string) => jobsOf(storage).create({ id, type: "slow", tenant, owner: "ada", input: null });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const slow: Capability = {
    name: "slow",
    open({ environment }) {
      settingsOf(environment)?.handle({
        type: "slow",
        run: ({ id }) =>
          new Promise((resolve) => {
            started.push(id);
            ends.push(() => resolve({ status: "completed" }));
          }),
      });
      return {};
    },
  };
  const service = createService({ resources: [], storage, use: [jobs(), slow] });
  onTestFinished(async () => {
    for (const end of ends) end();
    await service.close({ graceMs: 100 });
    await storage.close?.();
  });
  for (let index = 0; index < 20; index++) await create(`a${index}`, "a");
  await service.start();
  await expect.poll(() => started).toEqual(["a0", "a1"]);
  await create("b", "b");
  ends[0]?.();
  await expect.poll(() => started.length).toBeGreaterThan(2);
  expect(started[2]).toBe("b");
});
