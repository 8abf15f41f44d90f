import { memoryStorage } from "restwright/memory";
import { expect, onTestFinished, test } from "vitest";
import type { LiveChange } from "../../../src/capabilities/live/change.js";
import { Feed, type FeedPage, type FeedReader } from "../../../src/capabilities/live/feed/feed.js";
import { Follower } from "../../../src/capabilities/live/feed/follower.js";
import type { RowReader } from "../../../src/capabilities/live/rows/rowReader.js";
import { WorkerWakeups } from "../../../src/engine/operation/work/workerWakeups.js";
import { systemTimers } from "../../../src/ground/http/timers.js";
import type { Collection } from "../../../src/ground/storage/collection.js";
import { complete } from "../../../src/ground/storage/completed/complete.js";
import { untilTrue } from "../../tools/eventually.js";
import { orders } from "./liveService.js";

const { model } = orders;
const stamp = { _version: "v", _updatedAt: new Date(0) };

/** A feed whose reads of rows can be disturbed. */
function feedOver(getMany: (read: Required<Collection>["getMany"]) => Required<Collection>["getMany"]) {
  const storage = memoryStorage();
  const rows = complete(storage.collection(model), model.id);
  const logged: string[] = [];
  const log = (_: unknown, message: string) => void logged.push(message);
  const logger = { error: log, warn: log, info: log, debug: log };
  const disturbed = { ...rows, getMany: getMany((ids, call) => rows.getMany(ids, call)) };
  const changes = storage.changes;
  if (changes === undefined) throw new Error("The store has no changes.");
  const feed = new Feed({
    ...{ model, log: changes, kept: { changes: 100, ms: 60_000 }, timers: systemTimers, logger },
    wakeups: new WorkerWakeups({ timers: systemTimers, logger }),
    rows: () => disturbed,
  });
  onTestFinished(() => feed.close());
  return {
    feed,
    logged,
    insert: (id: string, tenant?: string) => rows.insert({ id, ...stamp }, { tenant }),
    update: (id: string, version: string) => rows.update(id, { ...stamp, _version: version }, {}),
  };
}

function readerOf(tenant: string | undefined): FeedReader & { readonly pages: FeedPage[]; ids(): unknown[] } {
  const pages: FeedPage[] = [];
  return {
    tenant,
    pages,
    receive: (page) => void pages.push(page),
    lose: () => {},
    ids: () => pages.flatMap(({ deltas }) => deltas.filter(({ isKnown }) => !isKnown).map(({ id }) => id)),
  };
}

test("a page whose rows could not be read is told when they can", async () => {
  let failures = 0;
  const { feed, logged, insert } = feedOver((read) => async (ids, call) => {
    if (call.tenant === "b" && failures === 0) {
      failures += 1;
      throw new Error("on purpose");
    }
    return read(ids, call);
  });
  const [a, b] = [readerOf("a"), readerOf("b")];
  await feed.join(a);
  await feed.join(b);
  await insert("1", "a");
  await insert("2", "b");
  feed.noteChange();
  await untilTrue(() => b.pages.length > 0);
  expect([a.ids(), b.ids(), failures]).toEqual([["1"], ["2"], 1]);
  expect(logged).toEqual(["The changes of a collection cannot be read; live streams wait.", "The changes of a collection are read again."]);
});

test("one that joins while a page is read receives it, also of a tenant that had no reader", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeld = false;
  const { feed, insert } = feedOver((read) => async (ids, call) => {
    if (call.tenant === "a") {
      isHeld = true;
      await held;
    }
    return read(ids, call);
  });
  const [a, b] = [readerOf("a"), readerOf("b")];
  const start = await feed.join(a);
  await insert("1", "a");
  await insert("2", "b");
  feed.noteChange();
  await untilTrue(() => isHeld);
  expect(await feed.join(b)).toBe(start);
  release();
  await untilTrue(() => b.pages.length > 0);
  expect([a.ids(), b.ids()]).toEqual([["1"], ["2"]]);
});

test("a row that is later than its page is told once", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let reads = 0;
  const { feed, insert, update } = feedOver((read) => async (ids, call) => {
    reads += 1;
    if (reads === 1) await held;
    return read(ids, call);
  });
  const reader = readerOf(undefined);
  await feed.join(reader);
  await insert("1");
  feed.noteChange();
  await untilTrue(() => reads === 1);
  // While the rows of the first page are read.
  await update("1", "v2");
  feed.noteChange();
  release();
  await untilTrue(() => reader.pages.length === 2);
  expect(reader.pages.flatMap(({ deltas }) => deltas).map(({ after, isKnown }) => [after?._version, isKnown])).toEqual([
    ["v2", false],
    ["v2", true],
  ]);
  await update("1", "v3");
  feed.noteChange();
  await untilTrue(() => reader.pages.length === 3);
  expect(reader.ids()).toEqual(["1", "1"]);
});

test("one that has caught up is not told of an older row by a page that was being read", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let reads = 0;
  const { feed, insert, update } = feedOver((read) => async (ids, call) => {
    reads += 1;
    const isFirst = reads === 1;
    const rows = await read(ids, call);
    if (isFirst) await held;
    return rows;
  });
  const start = await feed.join(readerOf(undefined));
  await insert("1");
  feed.noteChange();
  await untilTrue(() => reads === 1);
  await update("1", "v2");
  const told: string[] = [];
  const reader = {
    tenant: undefined,
    renew: async () => false,
    judge: async (deltas: FeedPage["deltas"]) =>
      deltas.map(({ id, after }): LiveChange => ({ kind: "changed", id: String(id), version: String(after?._version), row: {} })),
  };
  const follower = new Follower(feed, reader as unknown as RowReader, {
    ready: () => {},
    reset: () => {},
    changes: (changes) => void told.push(...changes.map((change) => ("version" in change ? change.version : ""))),
    end: () => {},
  });
  await follower.start(start);
  expect(told).toEqual(["v2"]);
  release();
  await update("1", "v3");
  feed.noteChange();
  await untilTrue(() => told.includes("v3"));
  expect(told.filter((version, index) => version !== told[index - 1])).toEqual(["v2", "v3"]);
  follower.end();
});
