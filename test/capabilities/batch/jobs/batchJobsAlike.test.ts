// @slow

import { defineResource } from "restwright";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Sent } from "../../../tools/client.js";
import { endedJob, jobOf } from "../batchJobStage.js";
import { openShop, shopTables } from "../batchShop.js";

interface Outcome {
  readonly index: number;
  readonly status: number;
  readonly error?: Record<string, unknown>;
}

/** What became of each item: its status, and its problem without the number of the request. */
function outcomes(results: readonly Outcome[]) {
  return results.map(({ index, status, error }) => {
    const { requestId: _, ...problem } = error ?? {};
    return { index, status, problem };
  });
}

/** The outcomes of a batch that is done at once, and of the same as a job. */
async function bothWays(request: Sent) {
  const atOnce = await openShop().send(request);
  if (atOnce.status !== 200 && atOnce.status !== 207) throw new Error(atOnce.text);
  const { send, service } = openShop();
  const job = await endedJob(send, jobOf(await send({ ...request, headers: { ...request.headers, prefer: "respond-async" } })));
  await service.close();
  return { atOnce: outcomes(atOnce.json.results), asJob: outcomes(job.results), job };
}

describe("an item that cannot be kept is the same fault at once and as a job", () => {
  test("of a batch of creates", async () => {
    const items = [{ name: "a\u0000" }, { name: "Bob" }, { name: "", quantity: "x" }, 7, { name: "Eve", extra: { "\ud800": 1 } }];
    const { atOnce, asJob, job } = await bothWays({ method: "POST", target: "/users/batch", body: { items } });
    expect(asJob).toEqual(atOnce);
    expect([job.status, asJob.map(({ status }) => status)]).toEqual(["completed", [422, 201, 422, 422, 422]]);
    expect(asJob[0]?.problem["errors"]).toMatchObject([{ pointer: "/name" }]);
  });

  test("of operations of all kinds", async () => {
    const operations = ["a\u0000", "Bob"].map((name) => ({ method: "POST", url: "/users", body: { name } }));
    const { atOnce, asJob } = await bothWays({ method: "POST", target: "/batch", body: { operations } });
    expect(asJob).toEqual(atOnce);
    expect(asJob.map(({ status }) => status)).toEqual([422, 201]);
  });
});

describe("a part of a multipart body that is deep", () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

  test.each([1, 59, 60, 61, 62, 63, 64, 65, 66, 70])("is done, or refused, alike at once and as a job: %i arrays", async (depth) => {
    const body = [
      "--b",
      "Content-Type: application/http",
      "",
      "POST /users HTTP/1.1",
      "Content-Type: application/json",
      "",
      JSON.stringify({ name: "Ada", extra: { a: nested(depth) } }),
      "--b",
      "Content-Type: application/http",
      "",
      "GET /users HTTP/1.1",
      "",
      "",
      "--b--",
      "",
    ].join("\r\n");
    const headers = { "content-type": "multipart/mixed; boundary=b", accept: "application/json" };
    const { atOnce, asJob, job } = await bothWays({ method: "POST", target: "/batch", body, headers });
    expect(asJob).toEqual(atOnce);
    expect([job.status, asJob.map(({ status }) => status)]).toEqual(["completed", [depth <= 62 ? 201 : 400, 200]]);
  });
});

describe("a resource whose writes need an Idempotency-Key", () => {
  const strictUsers = defineResource("keyed", {
    schema: z.object({ id: z.int(), name: z.string() }),
    generated: { id: "increment" },
    requireIdempotencyKey: true,
  });
  const request = { method: "POST", target: "/keyed/batch", body: { items: [{ name: "Ada" }] } };

  test("takes batches as jobs, each once", async () => {
    const { send, service } = openShop({ resources: [...shopTables, strictUsers] });
    const headers = { prefer: "respond-async", "idempotency-key": "0123456789abcdef" };
    const target = jobOf(await send({ ...request, headers }));
    const job = await endedJob(send, target);
    expect([job.status, job.error, job.results.map(({ status }) => status)]).toEqual(["completed", null, [201]]);
    expect(jobOf(await send({ ...request, headers }))).toBe(target);
    expect((await send({ target: "/keyed" })).json.meta.total).toBe(1);
    await service.close();
  });

  test("refuses a job without one", async () => {
    const { send } = openShop({ resources: [...shopTables, strictUsers] });
    const answer = await send({ ...request, headers: { prefer: "respond-async" } });
    expect([answer.status, answer.json.code]).toEqual([400, "IDEMPOTENCY_KEY_REQUIRED"]);
  });
});
