import { afterAll, describe, expect, test } from "vitest";
import { expectSafe } from "./expectSafe.js";
import { happyRequest, withoutSuccess } from "./requests.js";
import { corporaStage } from "./stage.js";

const stage = corporaStage();
afterAll(() => stage.service.close());

describe.each(
  stage.operations.map((routed) => [`${routed.operation.method} /${routed.segments.map((each) => each ?? "{}").join("/")}`, routed] as const),
)("%s", (_, routed) => {
  test("succeeds, with the headers that every answer has", async () => {
    const request = await happyRequest(stage, routed);
    const answer = await stage.send(request);
    // A job may be done before its cancelling arrives.
    const isLate = routed.name.endsWith(".cancel") && answer.status === 409;
    if (!withoutSuccess.has(routed.name) && !isLate)
      expect([answer.status < 400, answer.body.toString().slice(0, 1_000)]).toEqual([true, expect.anything()]);
    expectSafe(answer);
    if (request.method === "GET") expectSafe(await stage.send({ ...request, method: "HEAD" }));
  });

  test("is refused with them", async () => {
    const { target, headers } = await happyRequest(stage, routed);
    const [path] = target.split("?");
    for (const request of [
      { method: "BREW", target, headers },
      { method: routed.operation.method, target: `${path}?unknown=1`, headers, body: "{" },
      { method: routed.operation.method, target, headers: { ...headers, "transfer-encoding": "gzip, chunked" } },
      { method: routed.operation.method, target: `${path}?${"a".repeat(9_000)}`, headers },
      { method: "POST", target, headers: { origin: "https://evil.example" } },
    ]) {
      const answer = await stage.send(request);
      expectSafe(answer);
    }
    for (const more of [{}, { origin: "https://shop.example", "access-control-request-method": "POST" }]) {
      const answer = await stage.send({ method: "OPTIONS", target, headers: more });
      expect(answer.status).toBe(204);
      expectSafe(answer);
    }
  });
});

test("a path that the service does not serve has them too", async () => {
  expectSafe(await stage.send({ method: "GET", target: "/nothing", headers: {} }));
});
