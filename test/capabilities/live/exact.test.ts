// @slow

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { describe, onTestFinished, test } from "vitest";
import { integer, randomOf } from "../../fuzz/random.js";
import { needs } from "../../tools/engines.js";
import { eventually } from "../../tools/eventually.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";
import { FollowedList } from "./followedList.js";
import { streamsOf, writeAtRandom } from "./randomWrites.js";
import { served, serviceOn } from "./stage.js";

const owners = ["ada", "bob", "cyd"];

async function followWhileWriting(storages: readonly Storage[], seed: number, count: number): Promise<void> {
  const services = storages.map((storage) => serviceOn({ storage }));
  for (const service of services) await service.start();
  const urls = await Promise.all(services.map(served));
  const random = randomOf(seed);
  const lists = streamsOf(owners).map((stream, index) => new FollowedList(urls[index % urls.length] ?? "", stream));
  await Promise.all(lists.map((list) => list.connect()));
  let isWriting = true;
  const write = (writer: number) => writeAtRandom({ services, owners, count, random: randomOf(1_000 * seed + writer), name: `w${writer}` });
  const writers = Promise.all([0, 1, 2, 3].map(write)).finally(() => {
    isWriting = false;
  });
  writers.catch(() => {});
  while (isWriting) {
    for (const list of lists) await list.settle();
    const cut = lists[integer(random, lists.length)] as FollowedList;
    cut.cut();
    // What happens in between is told afterwards.
    if (integer(random, 2) === 0) await new Promise((resolve) => setTimeout(resolve, integer(random, 20)));
    await cut.connect(urls[integer(random, urls.length)]);
  }
  await writers;
  for (const [index, list] of lists.entries()) await eventually(() => list.compare(`stream ${index}, seed ${seed}`));
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
