// @long

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { afterAll, describe, expect, test } from "vitest";
import type { Storage } from "../../../../../src/ground/storage/storage.js";
import { postgresUrl } from "../../../../tools/engines.js";
import { eventually } from "../../../../tools/eventually.js";
import { ownSchema } from "../../../../tools/storage/postgresSchema.js";
import { temporaryFolder } from "../../../../tools/temporary.js";

/** A storage of which all parts are there. */
type Stores = { readonly [name in keyof Required<Storage>]: NonNullable<Storage[name]> };

const places: Record<string, () => Promise<string>> = { SQLite: async () => `${temporaryFolder()}/data.db` };
if (postgresUrl !== undefined) {
  const schemas: ReturnType<typeof ownSchema>[] = [];
  places["PostgreSQL"] = () => {
    const schema = ownSchema();
    schemas.push(schema);
    return schema.create();
  };
  afterAll(() => Promise.all(schemas.map((schema) => schema.drop())));
}

const storages: Storage[] = [];
afterAll(async () => {
  for (const storage of storages) await storage.close?.();
});

async function openStorage(place: string): Promise<Stores> {
  const storage = place.startsWith("postgres") ? postgresStorage({ connectionString: place }) : sqliteStorage({ path: place });
  storages.push(storage);
  await storage.migrate?.([]);
  return storage as Stores;
}

/** A process that has claimed all that there is. */
async function startWorker(place: string) {
  const main = fileURLToPath(new URL("deadWorker.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", main], { env: { ...process.env, STORE: place }, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return {
    claimed: JSON.parse(line) as { readonly jobs: number; readonly deliveries: number; readonly tasks: number; readonly key: string },
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

/** A storage with a job, a delivery, a task of a subscriber, and a process that holds them and an operation. */
async function stage(place: string) {
  const storage = await openStorage(place);
  const { jobs, deliveries, subscribers, webhooks } = storage;
  await jobs.create({ id: "job", type: "work", tenant: undefined, owner: "ada", input: {} });
  const hook = { id: "hook", tenant: "t", owner: "ada", url: "https://example.com/", events: ["order.*"], secret: "sealed", secretHint: "" };
  await webhooks.create(hook);
  const event = { id: "event", type: "order.created", tenant: "t", createdAt: new Date(), body: Buffer.from("{}") };
  await deliveries.enqueue([{ ...event, deliveries: [{ id: "delivery", webhook: "hook" }] }]);
  await subscribers.register([{ name: "mail", patterns: ["*"] }]);
  await subscribers.enqueue([{ ...event, tasks: [{ id: "task", name: "mail" }] }]);
  return { storage, worker: await startWorker(place) };
}

const begin = ({ idempotency }: Stores) => idempotency.begin("key", { fingerprint: "f", operationId: "another", leaseMs: 60_000, ttlMs: 86_400_000 });

/** What others can have of all that the process holds. */
async function claimAll(storage: Stores) {
  await storage.jobs.recover?.();
  await storage.deliveries.recover?.();
  await storage.subscribers.recover?.();
  const jobs = await storage.jobs.claim({ types: ["work"], leaseMs: 60_000, max: 10, maxPerTenant: 10 });
  const deliveries = await storage.deliveries.claim({ leaseMs: 75_000, max: 10, maxPerWebhook: 10 });
  const tasks = await storage.subscribers.claim({ name: "mail", leaseMs: 75_000, max: 10 });
  return { jobs, deliveries, tasks, begun: await begin(storage) };
}

describe.each(Object.entries(places))("leases of a process on %s", (_engine, place) => {
  test("are others' at once when it was killed, with an attempt more", async () => {
    const { storage, worker } = await stage(await place());
    expect(worker.claimed).toEqual({ jobs: 1, deliveries: 1, tasks: 1, key: "acquired" });
    await worker.kill();
    // The leases are of ten minutes. The server of PostgreSQL notices the end of a connection when it comes to it.
    await eventually(async () => expect(await storage.jobs.recover?.()).toBe(1));
    const { jobs, deliveries, tasks, begun } = await claimAll(storage);
    expect(jobs).toMatchObject([{ id: "job", attempts: 1, lease: { fence: 2 } }]);
    expect(deliveries).toMatchObject([{ attempt: 2, lease: { id: "delivery", fence: 2 } }]);
    expect(tasks).toMatchObject([{ attempt: 2, interrupted: 1, lease: { id: "task", fence: 2 } }]);
    expect(await storage.deliveries.attempts("delivery")).toMatchObject([{ n: 1, interrupted: true }]);
    expect(begun).toMatchObject({ kind: "acquired", attempt: 2, operationId: expect.stringMatching(/^operation of \d+$/) });
  });

  test("stay its own while it lives, also where it is stopped for a while and others start meanwhile", async () => {
    const at = await place();
    const { storage, worker } = await stage(at);
    worker.signal("SIGSTOP");
    try {
      const untilMs = Date.now() + 1_500;
      for (const other of [storage, await openStorage(at)]) {
        expect(await claimAll(other)).toMatchObject({ jobs: [], deliveries: [], tasks: [], begun: { kind: "inFlight" } });
      }
      await sleep(Math.max(0, untilMs - Date.now()));
      worker.signal("SIGCONT");
      expect(await claimAll(storage)).toMatchObject({ jobs: [], deliveries: [], tasks: [], begun: { kind: "inFlight" } });
    } finally {
      await worker.kill();
    }
    await eventually(async () => expect(await storage.jobs.recover?.()).toBe(1));
    expect(await claimAll(storage)).toMatchObject({ jobs: [{ id: "job" }], deliveries: [{}], tasks: [{}], begun: { kind: "acquired" } });
  });

  test("stay its own for another request of the same key, and are none of others that live", async () => {
    const at = await place();
    const [first, second] = [await openStorage(at), await openStorage(at)];
    expect((await begin(first)).kind).toBe("acquired");
    expect((await begin(second)).kind).toBe("inFlight");
    await first.close();
    // An orderly end leaves no lease behind.
    await eventually(async () => expect(await begin(second)).toMatchObject({ kind: "acquired", attempt: 2 }));
  });
});

test("processes on one SQLite file leave nothing beside it: what the dead left goes with the next", async () => {
  const folder = temporaryFolder();
  const worker = await startWorker(`${folder}/data.db`);
  await worker.kill();
  let holders = readdirSync(folder).filter((name) => name.includes("-holder-"));
  expect(holders).toEqual([expect.stringMatching(/^data\.db-holder-\d+$/)]);
  const storage = sqliteStorage({ path: `${folder}/data.db` });
  await storage.migrate?.([]);
  await storage.jobs?.claim({ types: ["work"], leaseMs: 1, max: 1, maxPerTenant: 1 });
  const [other] = holders;
  holders = readdirSync(folder).filter((name) => name.includes("-holder-"));
  expect(holders.length).toBe(1);
  expect(holders).not.toContain(other);
  await storage.close?.();
  expect(readdirSync(folder).filter((name) => name.includes("-holder-"))).toEqual([]);
});
