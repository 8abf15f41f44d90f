// @slow

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { seededRandom } from "../../../adapters/stores/memory/interleaving/turns.js";
import { needs } from "../../tools/engines.js";
import { eventually } from "../../tools/eventually.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";
import { FollowedList, type Row } from "./followedList.js";
import { type LiveService, served, serviceOn } from "./stage.js";

/** Whole numbers below a bound, which follow from a seed. */
function randomFrom(seed: number): (below: number) => number {
  const random = seededRandom(seed);
  return (below) => Math.floor(random() * below);
}

const owners = ["ada", "bob", "cyd"];
const states = ["open", "paid", "closed"] as const;

/** Writes at random: rows, many rows at once, transactions that commit or not. */
async function write(services: readonly LiveService[], count: number, random: (below: number) => number, writer: number): Promise<void> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const service = services[random(services.length)] as LiveService;
    const values = () => ({ status: states[random(3)] ?? "open", owner: owners[random(3)] ?? null, secret: String(random(5)) });
    const { orders } = service.asSystem();
    const known = ids[random(Math.max(1, ids.length))];
    const kind = random(10);
    if (known === undefined || kind < 3) {
      const id = `w${writer}-${index}`;
      ids.push(id);
      await orders.create({ id, total: index, ...values() });
    } else if (kind < 7) await orders.update(known, { total: index, ...values() });
    else if (kind < 8) {
      await orders.remove(known);
      ids.splice(ids.indexOf(known), 1);
    } else {
      const commits = random(3) > 0;
      const done = service.asSystem().transaction(async (tx) => {
        await tx.orders.update(known, { total: index, ...values() });
        await tx.orders.update(known, { total: index, ...values() });
        if (!commits) throw new Error("on purpose");
      });
      if (commits) await done;
      else await expect(done).rejects.toThrow("on purpose");
    }
  }
}

const streams = [
  { query: "", token: "admin", mayHave: () => true },
  { query: "status=open", token: "admin", mayHave: (row: Row) => row["status"] === "open" },
  { query: "status[in]=open,paid&owner=bob", token: "admin", mayHave: (row: Row) => row["owner"] === "bob" },
  ...owners.flatMap((token) => [
    { query: "", token, mayHave: (row: Row) => row["owner"] === token },
    { query: "status[ne]=closed", token, mayHave: (row: Row) => row["owner"] === token && row["status"] !== "closed" },
  ]),
];

async function followWhileWriting(storages: readonly Storage[], seed: number, writes: number): Promise<void> {
  const services = storages.map((storage) => serviceOn({ storage }));
  for (const service of services) await service.start();
  const urls = await Promise.all(services.map(served));
  const random = randomFrom(seed);
  const lists = streams.map((stream, index) => new FollowedList(urls[index % urls.length] ?? "", stream));
  await Promise.all(lists.map((list) => list.connect()));
  let isWriting = true;
  const writers = Promise.all([0, 1, 2, 3].map((writer) => write(services, writes, randomFrom(seed + writer + 1), writer))).finally(() => {
    isWriting = false;
  });
  writers.catch(() => {});
  while (isWriting) {
    for (const list of lists) await list.settle();
    const cut = lists[random(lists.length)] as FollowedList;
    cut.cut();
    // What happens in between is told afterwards.
    if (random(2) === 0) await new Promise((resolve) => setTimeout(resolve, random(20)));
    await cut.connect(urls[random(urls.length)]);
  }
  await writers;
  for (const [index, list] of lists.entries()) {
    await eventually(async () => {
      await list.settle();
      const rows = await list.list();
      expect(
        [...list.rows.values()].sort((left, right) => (left.id < right.id ? -1 : 1)),
        `stream ${index}, seed ${seed}`,
      ).toEqual([...rows].sort((left, right) => (left.id < right.id ? -1 : 1)));
    });
  }
}

describe("streams that are cut at random equal the list in the end", () => {
  test.each([1, 2, 3])("in memory, seed %i", { timeout: 60_000 }, async (seed) => {
    await followWhileWriting([memoryStorage()], seed, 150);
  });

  test.each([1, 2])("on a file of SQLite that two services open, seed %i", { timeout: 60_000 }, async (seed) => {
    const folder = mkdtempSync(join(tmpdir(), "restwright-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, "data.db");
    await followWhileWriting([sqliteStorage({ path }), sqliteStorage({ path })], seed, 100);
  });

  test.each([1, 2])("on PostgreSQL with two services, seed %i", { timeout: 60_000, ...needs("postgres") }, async (seed) => {
    const schema = ownSchema();
    const connectionString = await schema.create();
    onTestFinished(() => schema.drop());
    await followWhileWriting([postgresStorage({ connectionString }), postgresStorage({ connectionString })], seed, 100);
  });
});
