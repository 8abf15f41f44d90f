import { describe, expect, test } from "vitest";
import { OperationsStage } from "./operationsStage.js";

describe("who may hear of a job", () => {
  test.each([
    [{ id: "ann", tenant: "t1" }, 200],
    [{ id: "root", tenant: "t1", scopes: ["admin"] }, 200],
    [{ id: "bob", tenant: "t1" }, 404],
    [{ id: "ann" }, 404],
  ])("is who may see it: %j is answered %d", async (as, status) => {
    const stage = new OperationsStage();
    const id = await stage.create({ tenant: "t1" });
    const answer = await stage.send({ target: `/batches/${id}`, as, headers: { accept: "text/event-stream" } });
    expect([answer.status, answer.headers["content-type"]]).toEqual([status, status === 200 ? "text/event-stream" : undefined]);
  });

  test.each([
    ["text/event-stream", "text/event-stream"],
    ["text/event-stream, */*;q=0.1", "text/event-stream"],
    ["text/event-stream, */*", "text/event-stream"],
    ["application/json", "application/json"],
    ["*/*", "application/json"],
    ["text/event-stream;q=0.5, application/json", "application/json"],
    ["text/html", "application/json"],
  ])("is who likes it better than JSON: Accept: %s is answered with %s", async (accept, type) => {
    const stage = new OperationsStage();
    const { status, headers } = await stage.send({ target: `/batches/${await stage.create()}`, headers: { accept } });
    expect([status, headers["content-type"]]).toEqual([200, type]);
  });

  test("is told of a wrong parameter before anything is streamed, and of no precondition", async () => {
    const stage = new OperationsStage();
    const id = await stage.create();
    const accept = "text/event-stream";
    expect((await stage.send({ target: `/batches/${id}?page=1`, headers: { accept } })).status).toBe(400);
    const { headers } = await stage.send({ target: `/batches/${id}` });
    expect((await stage.send({ target: `/batches/${id}`, headers: { accept, "if-none-match": String(headers["etag"]) } })).status).toBe(200);
  });
});
