// @long

import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import type { Sent } from "../../../tools/client.js";
import { jobsOf } from "../../../tools/storage/boundStorage.js";
import { marker, sealedPlaces, sealedService } from "../../transfer/import/sealedStage.js";
import { endedJob, jobOf } from "../batchJobStage.js";

const headers = { prefer: "respond-async" };
const password = `${marker}-1`;
const post = (target: string, body: unknown): Sent => ({ method: "POST", target, headers, body });

/** Large enough to be kept in chunks. */
const many = Array.from({ length: 600 }, (_, index) => ({ name: `n${index}-${"x".repeat(90)}`, password: `${password}-${index}` }));

const requests: readonly [string, (id: number) => Sent][] = [
  ["a batch of creates", () => post("/members/batch", { items: [{ name: "Ada", password }] })],
  ["a large batch", () => post("/members/batch", { items: many })],
  ["a batch of updates", (id) => ({ ...post("/members/batch", { items: [{ id, password }] }), method: "PATCH" })],
  ["a batch by filter", () => post("/members/bulk-update?name=Eve", { password })],
  ["a batch of an action", (id) => post("/members/reset", { items: [{ id, input: { password } }] })],
  [
    "a mixed batch",
    () =>
      post("/batch", {
        operations: [
          { method: "POST", path: "/notes", body: { text: "hello" } },
          { method: "POST", path: "/members", body: { name: "Bob", password } },
        ],
      }),
  ],
  [
    "a mixed batch with a path that does not exist",
    () =>
      post("/batch", {
        operations: [
          { method: "POST", path: "/member", body: { name: "Bob", password } },
          { method: "POST", path: "/notes", body: { text: "hello" } },
        ],
      }),
  ],
];

const eve = { method: "POST", target: "/members", body: { name: "Eve", password: `${marker}-0` } };

describe.each(sealedPlaces)("a request with a write-only field that waits as a job in %s", (_name, place) => {
  test.each(requests)("is sealed: %s", async (_what, request) => {
    const { open, contents } = await place();
    const waiting = sealedService(open(), { jobs: { work: false } });
    const { id } = (await waiting.send(eve)).json;
    const target = jobOf(await waiting.send(request(id)));
    const held = await contents();
    expect([held.includes(marker), held.includes("sealed")]).toEqual([false, true]);
    await waiting.close();

    const working = sealedService(open(), { jobs: { pollMs: 5 } });
    await working.service.start();
    expect(await endedJob(working.send, target)).toMatchObject({ status: "completed" });
    await working.close();
    const after = await contents();
    expect([after.includes(marker), after.includes("sealed")]).toEqual([false, false]);
  });

  test("stays readable if its collections have no write-only field", async () => {
    const { open, contents } = await place();
    const { send } = sealedService(open(), { jobs: { work: false } });
    expect((await send(post("/notes/batch", { items: [{ text: "in the open" }] }))).status).toBe(202);
    const held = await contents();
    expect([held.includes("in the open"), held.includes("sealed")]).toEqual([true, false]);
  });

  test("is removed when the job is canceled before it begins", async () => {
    const { open, contents } = await place();
    const { send } = sealedService(open(), { jobs: { work: false } });
    const target = jobOf(await send(post("/members/batch", { items: [{ name: "Ada", password }] })));
    expect((await send({ method: "POST", target: `${target}/cancel` })).json.error.code).toBe("CANCELLED");
    expect((await contents()).includes("sealed")).toBe(false);
  });

  test("is removed when the job fails", async () => {
    const { open, contents } = await place();
    const { send, service } = sealedService(open(), { jobs: { pollMs: 5 } });
    await service.start();
    const items = [
      { name: "Ada", password },
      { name: "Ada", password },
    ];
    const target = jobOf(await send({ ...post("/members/batch", { items }), headers: { prefer: "respond-async, handling=strict" } }));
    expect(await endedJob(send, target)).toMatchObject({ status: "failed", error: { code: "ROLLED_BACK" } });
    const after = await contents();
    expect([after.includes(marker), after.includes("sealed")]).toEqual([false, false]);
  });

  test("is one job, however often it is sent under one key", async () => {
    const { open } = await place();
    const { send, service } = sealedService(open(), { jobs: { pollMs: 5 } });
    await service.start();
    const sent = {
      ...post("/members/batch", { items: [{ name: "Ada", password }] }),
      headers: { ...headers, "idempotency-key": "0123456789abcdef" },
    };
    const target = jobOf(await send(sent));
    expect(await endedJob(send, target)).toMatchObject({ status: "completed", processedRows: 1 });
    expect(jobOf(await send(sent))).toBe(target);
    expect((await send({ target: "/members" })).json.meta.total).toBe(1);
  });

  test("fails the job, with a line in the log, if its secret was taken away", async () => {
    const { open, contents } = await place();
    const first = sealedService(open(), { jobs: { work: false }, secrets: ["the first secret of the service"] });
    const target = jobOf(await first.send(post("/members/batch", { items: [{ name: "Ada", password }] })));
    await first.close();

    const logged: unknown[] = [];
    const log = (facts: object, message: string) => void logged.push({ ...facts, message });
    const logger = { error: log, warn: () => {}, info: () => {}, debug: () => {} };
    const second = sealedService(open(), { jobs: { pollMs: 5 }, secrets: ["the second secret of the service"], logger });
    await second.service.start();
    expect(await endedJob(second.send, target)).toMatchObject({ status: "failed", error: { code: "SECRET_UNREADABLE" } });
    expect(logged).toMatchObject([{ job: target.split("/").at(-1), type: "batch", err: expect.anything() }]);
    await second.close();
    expect((await contents()).includes("sealed")).toBe(false);
  });

  test("is opened with an older secret that is still given", async () => {
    const { open } = await place();
    const older = "the first secret of the service";
    const first = sealedService(open(), { jobs: { work: false }, secrets: [older] });
    const target = jobOf(await first.send(post("/members/batch", { items: [{ name: "Ada", password }] })));
    await first.close();
    const second = sealedService(open(), { jobs: { pollMs: 5 }, secrets: ["the second secret of the service", older] });
    await second.service.start();
    expect(await endedJob(second.send, target)).toMatchObject({ status: "completed" });
  });
});

test("a sealed request cannot be opened for another job", async () => {
  const storage = memoryStorage();
  const { send, service, close } = sealedService(storage, { jobs: { work: false } });
  await send(post("/members/batch", { items: [{ name: "Ada", password }] }));
  const jobs = jobsOf(storage);
  const [job] = await jobs.claim({ types: ["batch"], leaseMs: 60_000, max: 1, maxPerTenant: 1 });
  await jobs.create({ id: "another", type: "batch", tenant: undefined, owner: "ada", input: job?.input });
  if (job !== undefined) await jobs.finish(job.lease, { status: "completed" });
  await service.start();
  const working = sealedService(storage, { jobs: { pollMs: 5 } });
  await working.service.start();
  expect(await endedJob(working.send, "/batches/another")).toMatchObject({ status: "failed", error: { code: "SECRET_UNREADABLE" } });
  await close();
});
