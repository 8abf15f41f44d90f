// @long

import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { storagePlaces } from "../../../tools/storage/batchStorages.js";
import { endedJob, jobOf, readJob } from "../batchJobStage.js";
import { batchKinds, makeRows, usersAfter } from "../batchKinds.js";
import { as, openShop, outcomesOf, shopAuth } from "../batchShop.js";

const later = { prefer: "respond-async" };

describe.each(storagePlaces)("Prefer: respond-async on %s", (_, place) => {
  test.each(batchKinds)("$name go on as a job, whose result is that of the batch", async ({ request, needsRows, status, after }) => {
    const { send, service } = openShop({ storage: (await place()).open() });
    if (needsRows) await makeRows(send);
    const answer = await send({ ...request, headers: later });
    expect([answer.status, answer.headers["preference-applied"], answer.headers["retry-after"]]).toEqual([202, "respond-async", "1"]);
    expect(answer.headers["location"]).toMatch(/^\/batches\/[^/]+$/);
    expect(answer.json).toMatchObject({ type: "batch", status: "queued", totalRows: 3, links: { self: answer.headers["location"] } });
    const job = await endedJob(send, jobOf(answer));
    expect(job).toMatchObject({ status: "completed", processedRows: 3, totalRows: 3, error: null });
    expect(job.results.map((result) => [result.index, result.status])).toEqual([0, 1, 2].map((index) => [index, status]));
    expect(job.summary).toEqual({ total: 3, succeeded: 3, failed: 0 });
    expect((await usersAfter(send)).users).toEqual(after);
    await service.close();
  });

  test.each(batchKinds)("atomic: $name go on as a job", async ({ request, needsRows, status, after }) => {
    const { send, service } = openShop({ storage: (await place()).open() });
    if (needsRows) await makeRows(send);
    const answer = await send({ ...request, headers: { prefer: "respond-async, handling=strict" } });
    expect(answer.headers["preference-applied"]).toBe("handling=strict, respond-async");
    const job = await endedJob(send, jobOf(answer));
    expect([job.status, job.results.map((result) => result.status)]).toEqual(["completed", [status, status, status]]);
    expect((await usersAfter(send)).users).toEqual(after);
    await service.close();
  });

  test("an atomic job whose item fails has written nothing, and tells of every item", async () => {
    const { batch, send, service } = openShop({ storage: (await place()).open() });
    const operations = [
      { method: "POST", url: "/users", body: { name: "Ada" } },
      { method: "GET", url: "/users/99" },
    ];
    const job = await endedJob(send, jobOf(await batch(operations, { headers: { prefer: "respond-async, handling=strict" } })));
    expect([job.status, job.error?.code]).toEqual(["failed", "ROLLED_BACK"]);
    expect(job.results.map((result) => result.status)).toEqual([424, 404]);
    expect(job.summary).toEqual({ total: 2, succeeded: 0, failed: 2 });
    expect((await usersAfter(send)).users).toEqual([]);
    await service.close();
  });
});

describe("a filter over more rows than one batch may change", () => {
  test("is 413 at once and done page by page as a job", async () => {
    const { send, service } = openShop({ limits: { count: 100_000 } });
    await makeRows(send, 2_300);
    const request = { method: "POST", target: "/users/bulk-update?quantity=0", body: { quantity: 1 } };
    const refused = await send(request);
    expect([refused.status, refused.json.code, refused.json.maximum]).toEqual([413, "BATCH_TOO_LARGE", 1_000]);
    expect((await send({ target: "/users?quantity=1" })).json.meta.total).toBe(0);
    const answer = await send({ ...request, headers: later });
    expect(answer.json.totalRows).toBe(2_300);
    const job = await endedJob(send, jobOf(answer));
    expect(job).toMatchObject({ status: "completed", processedRows: 2_300, summary: { total: 2_300, succeeded: 2_300, failed: 0 } });
    expect(job.results.map(({ index, id }) => [index, id])).toEqual(Array.from({ length: 2_300 }, (_, index) => [index, index + 1]));
    expect(job.results.every((result) => result.data === undefined)).toBe(true);
    expect((await send({ target: "/users?quantity=1&perPage=1" })).json.meta.total).toBe(2_300);
    await service.close();
  });

  test("is deleted so too", async () => {
    const { send, service } = openShop();
    await makeRows(send, 1_200);
    const request = { method: "DELETE", target: "/users?quantity=0&confirm=1200", headers: later };
    const job = await endedJob(send, jobOf(await send(request)));
    expect([job.status, job.results.length, (await usersAfter(send)).users]).toEqual(["completed", 1_200, []]);
    await service.close();
  });

  test("is judged before it becomes a job", async () => {
    const { send } = openShop();
    await makeRows(send);
    const statusOf = async (target: string, prefer = "respond-async") => (await send({ method: "DELETE", target, headers: { prefer } })).json.code;
    expect(await statusOf("/users?quantity=0")).toBe("CONFIRMATION_REQUIRED");
    expect(await statusOf("/users?quantity=0&confirm=2")).toBe("CONFIRMATION_MISMATCH");
    expect(await statusOf("/users?quantity=0&confirm=3", "respond-async, max-affected=2")).toBe("TOO_MANY_AFFECTED");
    expect(await statusOf("/users?confirm=3")).toBe("FILTER_REQUIRED");
    const dry = await send({ method: "DELETE", target: "/users?quantity=0&dryRun=true", headers: later });
    expect([dry.status, dry.json.matched]).toEqual([200, 3]);
  });
});

describe("wait", () => {
  test("answers at once what is done in its time", async () => {
    const { batch } = openShop();
    const answer = await batch([{ method: "POST", url: "/users", body: { name: "Ada" } }], { headers: { prefer: "respond-async, wait=5" } });
    expect([answer.status, outcomesOf(answer)]).toEqual([200, ["201"]]);
  });

  test("without respond-async changes nothing", async () => {
    const { batch } = openShop();
    expect((await batch([{ method: "GET", url: "/users" }], { headers: { prefer: "wait=0" } })).status).toBe(200);
  });
});

describe("jobs of batches", () => {
  const operations = [{ name: "a", method: "POST", url: "/users", body: { name: "Ada" } }];

  test("are seen and canceled by their owner and admins of the tenant, and by nobody else", async () => {
    const { batch, send } = openShop({ auth: shopAuth, jobs: { work: false, isAdmin: ({ id }) => id === "admin" || id === "other" } });
    const target = jobOf(await batch(operations, { headers: { ...as("clerk"), ...later } }));
    const second = jobOf(await batch(operations, { headers: { ...as("admin"), ...later } }));
    const status = async (name: string, at = target) => (await send({ target: at, headers: as(name) })).status;
    expect([await status("clerk"), await status("admin"), await status("other")]).toEqual([200, 200, 404]);
    expect([await status("clerk", second), (await send({ target })).status]).toEqual([404, 401]);
    const cancel = (name: string, at: string) => send({ method: "POST", target: `${at}/cancel`, headers: as(name) });
    expect([(await cancel("other", target)).status, (await cancel("clerk", second)).status]).toEqual([404, 404]);
    expect((await send({ method: "DELETE", target, headers: as("other") })).status).toBe(404);
    expect((await cancel("admin", target)).status).toBe(202);
    const { error, ...canceled } = (await send({ target, headers: as("clerk") })).json;
    expect([canceled.status, error.code]).toEqual(["failed", "CANCELLED"]);
    expect((await cancel("clerk", target)).status).toBe(409);
    expect((await send({ method: "DELETE", target, headers: as("clerk") })).status).toBe(204);
    expect(await status("clerk")).toBe(404);
  });

  test("are not read within a batch, in whose transaction that would wait: 400 for that operation", async () => {
    const { batch, send } = openShop();
    const target = jobOf(await batch(operations, { headers: later }));
    await endedJob(send, target);
    const answer = await batch([
      { method: "GET", url: target },
      { method: "GET", url: "/users/1" },
    ]);
    expect(outcomesOf(answer)).toEqual(["400 INVALID_BATCH", "200"]);
  });

  test("are at most 20 in a tenant's queue: the next is 429", async () => {
    const { batch } = openShop({ auth: shopAuth, jobs: { work: false } });
    const submit = (name: string) => batch(operations, { headers: { ...as(name), ...later } });
    for (let job = 0; job < 20; job++) expect((await submit("clerk")).status).toBe(202);
    const refused = await submit("admin");
    expect([refused.status, refused.json.code, refused.headers["retry-after"]]).toEqual([429, "TOO_MANY_JOBS", "10"]);
    expect((await submit("other")).status).toBe(202);
    expect((await batch(operations, { headers: as("clerk") })).status).toBe(200);
  });

  test("fail with FORBIDDEN where the permission is lost before they run", async () => {
    const storage = memoryStorage();
    let allowed = true;
    const options = { storage: { ...storage, close: async () => {} }, auth: shopAuth, authorize: () => allowed };
    const first = openShop({ ...options, jobs: { work: false } });
    const request = { method: "POST", target: "/users/batch", body: { items: [{ name: "Ada" }] }, headers: { ...as("clerk"), ...later } };
    const target = jobOf(await first.send(request));
    allowed = false;
    const second = openShop(options);
    await second.service.start();
    const job = await endedJob(second.send, target, as("clerk"));
    allowed = true;
    expect([job.status, job.error?.code]).toEqual(["failed", "FORBIDDEN"]);
    expect((await usersAfter(second.send, as("clerk"))).users).toEqual([]);
  });

  test("leave out data under return=minimal", async () => {
    const { batch, send } = openShop();
    const more = [...operations, { method: "GET", url: "/users/{a.data.id}" }];
    const answer = await batch(more, { headers: { prefer: "respond-async, return=minimal" } });
    expect(answer.headers["preference-applied"]).toBe("return=minimal, respond-async");
    const job = await endedJob(send, jobOf(answer));
    expect(job.results[0]).toMatchObject({ name: "a", status: 201, id: 1 });
    expect([job.results[0].data, job.results[1].data.name]).toEqual([undefined, "Ada"]);
    const items = { items: [{ name: "Bob" }] };
    const many = await send({ method: "POST", target: "/users/batch", body: items, headers: { prefer: "respond-async, return=minimal" } });
    const [result] = (await endedJob(send, jobOf(many))).results;
    expect([result.status, result.id, result.data]).toEqual([201, 2, undefined]);
  });

  test("hold for multipart too: it is kept as JSON, and so are its faulty parts", async () => {
    const { send } = openShop();
    const part = (id: string, ...lines: string[]) => ["--b", "Content-Type: application/http", `Content-ID: <${id}>`, "", ...lines];
    const json = "Content-Type: application/json";
    const body = [
      ...part("ada", "POST /users HTTP/1.1", json, "", '{"name":"Ada"}'),
      ...part("bad", "NONSENSE"),
      ...part("see", "GET /users/{ada.id} HTTP/1.1", "", ""),
      "--b--",
      "",
    ].join("\r\n");
    const headers = { ...later, "content-type": "multipart/mixed; boundary=b" };
    const job = await endedJob(send, jobOf(await send({ method: "POST", target: "/batch", body, headers })));
    expect(job.results.map(({ index, name, status }) => [index, name, status])).toEqual([
      [0, "ada", 201],
      [1, "bad", 400],
      [2, "see", 200],
    ]);
    expect(job.results[2].data.name).toBe("Ada");
  });

  test("are below the mount, or below baseUrl", async () => {
    const answer = await openShop().batch(operations, { headers: later, mount: "/v1" });
    expect([answer.headers["location"], answer.json.links.self]).toEqual([`/v1/batches/${answer.json.id}`, `/v1/batches/${answer.json.id}`]);
    const absolute = await openShop({ baseUrl: "https://example.org/v1" }).batch(operations, { headers: later, mount: "/v1" });
    expect(absolute.headers["location"]).toBe(`https://example.org/v1/batches/${absolute.json.id}`);
  });

  test("are none where the service has none: respond-async is not applied", async () => {
    const { batch } = openShop({ jobs: false });
    const answer = await batch(operations, { headers: later });
    expect([answer.status, answer.headers["preference-applied"]]).toEqual([200, undefined]);
  });

  test("show what they were asked, before they have begun", async () => {
    const { batch, send } = openShop({ jobs: { work: false } });
    const job = await readJob(send, jobOf(await batch(operations, { headers: later })));
    expect(job).toMatchObject({ status: "queued", processedRows: 0, totalRows: 1, summary: undefined });
  });
});
