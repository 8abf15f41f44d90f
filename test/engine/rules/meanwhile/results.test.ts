// @long

import { createService, defineResource } from "restwright";
import { batch } from "restwright/batch";
import { jobs } from "restwright/jobs";
import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { rename, versions } from "restwright/versions";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { endedJob, jobOf, type ShownJob } from "../../../capabilities/batch/batchJobStage.js";
import { clientOf, type Received } from "../../../tools/client.js";
import { describeRights } from "./onStores.js";
import type { Process, RightsStage } from "./stage.js";

const later = { prefer: "respond-async" };

describeRights("the results of a batch job", (open) => {
  /** Ann, an admin, has sent a batch, and its job has ended; of the rows the first is hers, the others are bob's. */
  async function done(method: string, target: string, body: unknown, headers: Readonly<Record<string, string>> = later) {
    const stage = await open();
    const process = stage.process(true);
    stage.roles.set("ann", "admin");
    const ids = [...(await stage.seed(process, "ann", 1)), ...(await stage.seed(process, "bob", 2))];
    const placed = (text: string) =>
      ids.reduce((all, id, index) => all.replaceAll(`"{${index}}"`, String(id)).replaceAll(`{${index}}`, String(id)), text);
    const accepted = await process.as("ann", method, placed(target), JSON.parse(placed(JSON.stringify(body))), headers);
    const job = jobOf(accepted);
    const read = (who = "ann"): Promise<ShownJob> => endedJob((sent) => process.as(who, "GET", sent.target), job);
    return { stage, process, ids, job, read, first: await read() };
  }

  const created = () => done("POST", "/notes/batch", { items: ["ann", "bob"].map((owner) => ({ text: `new of ${owner}`, owner })) });
  const asRoot = async ({ as }: Process, method: string, id: unknown, change?: unknown) => {
    const answer = await as("root", method, `/notes/${id}`, change);
    if (answer.status >= 300) throw new Error(answer.text);
  };
  /** What the results show of their rows. */
  const shown = ({ results }: ShownJob) => results.map(({ data, etag, headers }) => [data !== undefined, (etag ?? headers?.etag) !== undefined]);
  const statuses = ({ results }: ShownJob) => results.map(({ index, status, id }) => [index, status, id]);

  test("are the same for the same rights, and for more", async () => {
    const { stage, first, read } = await created();
    expect([first.status, shown(first)]).toEqual([
      "completed",
      [
        [true, true],
        [true, true],
      ],
    ]);
    expect((await read()).document).toEqual(first.document);
    expect((await read("root")).results).toEqual(first.results);
    stage.roles.set("ann", "member");
    stage.roles.set("ann", "admin");
    expect((await read()).document).toEqual(first.document);
  });

  test("do not show a row that has left the scope of their reader, until it is back", async () => {
    const { stage, process, first, read } = await created();
    stage.roles.set("ann", "member");
    const member = await read();
    expect(shown(member)).toEqual([
      [true, true],
      [false, false],
    ]);
    expect([statuses(member), member.summary]).toEqual([statuses(first), first.summary]);
    expect(JSON.stringify(member.document)).not.toContain("new of bob");
    await asRoot(process, "PATCH", first.results[0].id, { owner: "bob" });
    const none = await read();
    expect(shown(none)).toEqual([
      [false, false],
      [false, false],
    ]);
    expect(JSON.stringify(none.document)).not.toContain("new of");
    await asRoot(process, "PATCH", first.results[0].id, { owner: "ann" });
    expect((await read()).results).toEqual(member.results);
    // Another reader has other rights.
    expect((await read("root")).results).toEqual(first.results);
  });

  test("have another tag when something is left out of them", async () => {
    const { stage, process, job } = await created();
    const get = (tag = "") => process.as("ann", "GET", job, undefined, tag === "" ? {} : { "if-none-match": tag });
    const tagOf = ({ headers }: Received) => String(headers["etag"]);
    const all = tagOf(await get());
    expect((await get(all)).status).toBe(304);
    stage.roles.set("ann", "member");
    const less = await get(all);
    expect([less.status, tagOf(less) === all, less.text.includes("new of bob")]).toEqual([200, false, false]);
    expect((await get(tagOf(less))).status).toBe(304);
    stage.roles.set("ann", "admin");
    expect((await get(tagOf(less))).headers["etag"]).toBe(all);
    // What it shows is no state of the job.
    const removed = await process.as("ann", "DELETE", job, undefined, { "if-match": tagOf(less) });
    expect(removed.status).toBe(204);
  });

  test("show rows that are gone, but to a principal that may read no row", async () => {
    const { stage, process, first, read } = await created();
    stage.roles.set("ann", "member");
    for (const { id } of first.results) await asRoot(process, "DELETE", id);
    expect((await read()).results).toEqual(first.results);
    stage.roles.set("ann", "outsider");
    expect(shown(await read())).toEqual([
      [false, false],
      [false, false],
    ]);
  });

  test("do not show what a principal may not read of a row any more, nor the rows of a collection that it may not read", async () => {
    const { stage, first, read } = await created();
    expect(first.results[0].data).toHaveProperty("rating");
    stage.unrated.add("ann");
    expect(shown(await read())).toEqual([
      [false, false],
      [false, false],
    ]);
    expect(shown(await read("root"))).toEqual([
      [true, true],
      [true, true],
    ]);
    stage.unrated.clear();
    stage.refused.add("ann");
    expect(shown(await read())).toEqual([
      [false, false],
      [false, false],
    ]);
    stage.refused.clear();
    expect((await read()).results).toEqual(first.results);
  });

  test("that never showed a field are shown to those who still may not read it", async () => {
    const stage = await open();
    const process = stage.process(true);
    stage.roles.set("ann", "admin");
    stage.unrated.add("ann");
    const accepted = await process.as("ann", "POST", "/notes/batch", { items: [{ text: "new", owner: "ann" }] }, later);
    const { results } = await endedJob((sent) => process.as("ann", "GET", sent.target), jobOf(accepted));
    expect(results[0].data).toMatchObject({ text: "new" });
    expect(results[0].data).not.toHaveProperty("rating");
  });

  const minimal = { prefer: "respond-async, return=minimal" };
  const representation = { prefer: "respond-async, return=representation" };
  const strict = { prefer: "respond-async, handling=strict" };

  test.each([
    ["PATCH", "/notes/batch", { items: [0, 1].map((row) => ({ id: `{${row}}`, changes: { text: "changed" } })) }, later, [true, false]],
    ["PATCH", "/notes/batch", { items: [0, 1].map((row) => ({ id: `{${row}}`, changes: { text: "changed" } })) }, strict, [true, false]],
    ["POST", "/notes/change", { items: [0, 1].map((row) => ({ id: `{${row}}` })) }, later, [true, false]],
    ["POST", "/notes/bulk-update?owner=bob", { text: "changed" }, strict, [false, false]],
    // The rows are gone.
    ["POST", "/notes/batch-delete", { ids: ["{0}", "{1}"] }, representation, [true, true]],
    ["POST", "/notes/batch", { items: [{ text: "new", owner: "bob" }] }, minimal, [false]],
    [
      "POST",
      "/batch",
      {
        operations: [
          { method: "GET", url: "/notes/{0}" },
          { method: "GET", url: "/notes/{1}" },
          { method: "GET", url: "/notes?fields=text&owner=ann" },
          { method: "GET", url: "/notes?fields=text" },
          { method: "PATCH", url: "/notes/{1}", body: { text: "changed" } },
          { method: "POST", url: "/notes/{2}/change" },
          { method: "POST", url: "/notes", body: { text: "new", owner: "bob" } },
        ],
      },
      later,
      [true, false, true, false, false, false, false],
    ],
    [
      "POST",
      "/batch",
      {
        operations: [
          { name: "bob", method: "POST", url: "/notes", body: { text: "new", owner: "bob" } },
          { method: "POST", url: "/notes", body: { text: { $result: "bob.data.text" }, owner: "ann" } },
        ],
      },
      strict,
      [false, true],
    ],
  ] as const)("of %s %s show the rows that are left to their reader", async (method, target, body, headers, left) => {
    const { stage, first, read } = await done(method, target, body, headers);
    expect(first.results.every(({ status }) => status < 300)).toBe(true);
    stage.roles.set("ann", "member");
    const member = await read();
    expect([statuses(member), member.results.map(({ data }) => data !== undefined)]).toEqual([statuses(first), left]);
  });

  test("look at related rows that they include", async () => {
    const stage = await open();
    if (!stage.hasParents) return;
    const process = stage.process(true);
    stage.roles.set("ann", "admin");
    const [noteId] = await stage.seed(process, "ann", 1);
    const operations = [
      { method: "POST", url: "/sheets", body: { noteId } },
      { method: "GET", url: "/sheets?include=note&fields=note.text" },
    ];
    const job = jobOf(await process.as("ann", "POST", "/batch", { operations }, later));
    const read = async () => shown(await endedJob((sent) => process.as("ann", "GET", sent.target), job)).map(([data]) => data);
    stage.roles.set("ann", "member");
    expect(await read()).toEqual([true, true]);
    await asRoot(process, "PATCH", noteId, { owner: "bob" });
    expect(await read()).toEqual([false, false]);
  });

  test("that a request has begun are judged with those of its job", async () => {
    const stage = await open();
    const clock = new FakeClock();
    const process = stage.process(true, { clock });
    stage.roles.set("ann", "admin");
    const operations = ["ann", "bob", "ann"].map((owner) => ({ method: "POST", url: "/notes", body: { text: `new of ${owner}`, owner } }));
    // The time of the batch is over after its first operation.
    stage.onScope = () => clock.advance(31_000);
    const job = jobOf(await process.as("ann", "POST", "/batch", { operations }));
    stage.onScope = () => {};
    const read = () => endedJob((sent) => process.as("ann", "GET", sent.target), job);
    expect(shown(await read())).toEqual(operations.map(() => [true, true]));
    stage.roles.set("ann", "member");
    expect(shown(await read())).toEqual([
      [true, true],
      [false, false],
      [true, true],
    ]);
  });

  /** Ann, a member, sends an action for 25 of her notes; the job waits before its second slice until it is released. */
  async function halfDone(stage: RightsStage, process: Process) {
    const ids = await stage.seed(process, "ann", 25);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let slices = 0;
    stage.waitsAt = async ({ principal, action, when }) => {
      if (principal.id !== "ann" || action !== "change" || when !== "before") return;
      slices += 1;
      if (slices === 2) await released;
    };
    const job = jobOf(await process.as("ann", "POST", "/notes/change", { items: ids.map((id) => ({ id })) }, later));
    return { ids, job, release };
  }

  test("in events are those of the rights at each of them", async () => {
    const stage = await open();
    const process = stage.process(true);
    stage.roles.set("ann", "member");
    const { ids, job, release } = await halfDone(stage, process);
    const events = process.events("ann", job);
    const isHalf = ({ data }: { readonly data: { readonly processedRows: number } }) => data.processedRows === 10;
    let event = (await events.next()).value;
    while (event !== undefined && !isHalf(event)) event = (await events.next()).value;
    const dataOf = (body: { readonly result: { readonly results: readonly { readonly data?: unknown }[] } }) =>
      body.result.results.map(({ data }) => data !== undefined);
    expect(dataOf(event?.data)).toEqual(ids.slice(0, 10).map(() => true));
    await asRoot(process, "PATCH", ids[3], { owner: "bob" });
    release();
    let last = event;
    for await (const each of events) last = each;
    expect([last?.event, last?.data.status]).toEqual(["end", "completed"]);
    expect(dataOf(last?.data)).toEqual(ids.map((_, index) => index !== 3));
    expect(JSON.stringify(last?.data)).not.toContain(`"id":${ids[3]},"text"`);
    // The stream of a job that has ended shows the same.
    const again = (await process.events("ann", job).next()).value;
    expect([again?.event, again?.data]).toEqual(["end", last?.data]);
  });

  test("in events are those of the principal as it is now, and end with it", async () => {
    const stage = await open();
    const process = stage.process(true);
    stage.roles.set("ann", "admin");
    const { job, release } = await halfDone(stage, process);
    const events = process.events("ann", job);
    await events.next();
    stage.roles.delete("ann");
    const rest = [];
    for await (const { event, data } of events) rest.push([event, data]);
    expect(rest.at(-1)).toEqual(["end", null]);
    release();
  });
});

test("the results of a job in a version are judged by the fields of that version, whichever version their reader asks for", async () => {
  let mayRate = true;
  const rating = z.int().default(3);
  const notes = defineResource("notes", {
    schema: z.object({ id: z.int(), text: z.string(), rating }),
    generated: { id: "increment" },
    access: { rating: { read: () => mayRate } },
    versions: { v1: [rename({ from: "rating", to: "stars", type: rating })] },
  });
  const own = versions({ vendor: "acme", default: "v2", schema: "v2", supported: { v1: {}, v2: {} } });
  const service = createService({ resources: [notes], storage: memoryStorage(), use: [jobs({ pollMs: 5 }), batch(), own], logger: false });
  onTestFinished(() => service.close());
  const send = clientOf(service);
  const old = { ...later, "x-api-version": "v1" };
  const job = jobOf(await send({ method: "POST", target: "/notes/batch", body: { items: [{ text: "new", stars: 5 }] }, headers: old }));
  const dataIn = async (version: string) => (await endedJob(send, job, { "x-api-version": version })).results[0].data;
  expect([await dataIn("v1"), await dataIn("v2")]).toEqual([
    { id: 1, text: "new", stars: 5 },
    { id: 1, text: "new", stars: 5 },
  ]);
  mayRate = false;
  expect([await dataIn("v1"), await dataIn("v2")]).toEqual([undefined, undefined]);
});
