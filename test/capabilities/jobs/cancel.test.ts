import { describe, expect, test } from "vitest";
import { OperationsStage } from "./operationsStage.js";

describe("POST to cancel", () => {
  test("ends a job that nobody has begun", async () => {
    const stage = new OperationsStage();
    const id = await stage.create();
    const { status, json } = await stage.send({ method: "POST", target: `/batches/${id}/cancel` });
    expect([status, json.status, json.error.code]).toEqual([202, "failed", "CANCELLED"]);
  });

  test("discards the data of a job that nobody has begun, but not of one under way", async () => {
    const discarded: string[] = [];
    const stage = new OperationsStage({ discard: async ({ id }) => void discarded.push(id) });
    const begun = await stage.create();
    await stage.claim();
    const waiting = await stage.create();
    for (const id of [begun, waiting]) await stage.send({ method: "POST", target: `/batches/${id}/cancel` });
    expect(discarded).toEqual([waiting]);
  });

  test("asks the worker of a job under way to end it", async () => {
    const stage = new OperationsStage();
    const id = await stage.create();
    const { lease } = await stage.claim();
    const target = `/batches/${id}/cancel`;
    const { status, json, headers } = await stage.send({ method: "POST", target });
    expect([status, json.status, headers["retry-after"]]).toEqual([202, "processing", "1"]);
    expect(await stage.store.extend(lease, 60_000)).toBe("cancel");
    expect((await stage.send({ method: "POST", target })).status).toBe(202);
  });

  test("is refused once the job has ended, even if that was a moment ago", async () => {
    const stage = new OperationsStage();
    const id = await stage.create();
    await stage.store.finish((await stage.claim()).lease, { status: "completed" });
    const { status, json } = await stage.send({ method: "POST", target: `/batches/${id}/cancel` });
    expect([status, json.code, json.detail]).toEqual([
      409,
      "JOB_FINISHED",
      "The job is completed; only one that is queued or processing can be canceled.",
    ]);
  });

  test("is refused where the job ends between the look and the cancel", async () => {
    const stage = new OperationsStage();
    const id = await stage.create();
    const { lease } = await stage.claim();
    const { cancel } = stage.store;
    stage.store.cancel = async (job) => {
      await stage.store.finish(lease, { status: "completed" });
      return cancel(job);
    };
    expect((await stage.send({ method: "POST", target: `/batches/${id}/cancel` })).json.code).toBe("JOB_FINISHED");
  });
});

describe("DELETE of a job", () => {
  test("cancels one that is still to be done, then removes it with its entries", async () => {
    const stage = new OperationsStage();
    const id = await stage.create({ entries: [{ position: 0, value: 1 }] });
    const target = `/batches/${id}`;
    const first = await stage.send({ method: "DELETE", target });
    expect([first.status, first.json.error.code]).toEqual([202, "CANCELLED"]);
    const second = await stage.send({ method: "DELETE", target });
    expect([second.status, second.text]).toEqual([204, ""]);
    expect(await stage.store.entries(id, -1, 9)).toEqual([]);
    for (const method of ["GET", "DELETE"]) expect((await stage.send({ method, target })).status).toBe(404);
  });

  test("does nothing under an If-Match of another state", async () => {
    const stage = new OperationsStage();
    const id = await stage.create();
    const target = `/batches/${id}`;
    const { headers } = await stage.send({ target });
    await stage.claim();
    const sent = { method: "DELETE", target, headers: { "if-match": String(headers["etag"]) } };
    const refused = await stage.send(sent);
    expect([refused.status, refused.json.code, refused.headers["etag"]]).toEqual([412, "PRECONDITION_FAILED", `"${(await stage.get(id)).version}"`]);
    expect((await stage.get(id)).cancelRequested).toBe(false);
    expect((await stage.send({ ...sent, headers: { "if-match": String(refused.headers["etag"]) } })).status).toBe(202);
  });
});
