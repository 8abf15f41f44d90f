import { describe, expect, test } from "vitest";
import { restoreRequest, type StoredRequest, storeRequest } from "../../../src/capabilities/jobs/submit/storedRequest.js";
import type { Context } from "../../../src/engine/operation/context.js";
import { RequestHeaders } from "../../../src/ground/http/headers/headers.js";

const signal = new AbortController().signal;

const contextOf = (body: unknown) =>
  ({
    request: { method: "POST", path: "/users/batch", query: "a=1", mount: "/v1" },
    headers: new RequestHeaders(["prefer", "respond-async", "authorization", "Bearer secret"]),
    requestId: "r1",
    environment: {},
    principal: { id: "ada" },
    body,
    operationId: "o1",
  }) as unknown as Context;

/** As a store keeps it. */
const kept = async (body: unknown) => JSON.parse(JSON.stringify(await storeRequest(contextOf(body)))) as StoredRequest;

const rows = (count: number) => ({
  items: Array.from({ length: count }, (_, index) => ({ name: `Zoë ${index} "\\\u0001"`, tags: [null, true, -1.5e-7, {}] })),
});

describe("a request that goes on as a job", () => {
  test.each([
    ["small", rows(3)],
    ["large", rows(5_000)],
    ["one long text", { items: [{ text: `é\u{1f600}"`.repeat(50_000) }] }],
  ])("has its body again: %s", async (_what, body) => {
    const request = await restoreRequest(await kept(body), signal);
    expect(request.body).toEqual({ kind: "parsed", value: body, isExact: true });
    expect(request).toMatchObject({ method: "POST", path: "/users/batch", query: "a=1", mount: "/v1", headers: ["prefer", "respond-async"] });
  });

  test("keeps a large body as one text without escapes, which takes no turn of the event loop for itself", async () => {
    const { body, packedBody } = await kept(rows(5_000));
    expect(body).toBeUndefined();
    expect(packedBody).toMatch(/^[A-Za-z0-9+/]+=*$/);
  });

  test("has no body where it had none, and reads those that earlier versions kept as they are", async () => {
    expect((await restoreRequest(await kept(undefined), signal)).body).toEqual({ kind: "none" });
    const stored = { ...(await kept(undefined)), body: rows(5_000) };
    expect((await restoreRequest(stored, signal)).body).toEqual({ kind: "parsed", value: rows(5_000), isExact: true });
  });
});
