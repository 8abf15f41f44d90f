import { afterAll, describe, expect, test } from "vitest";
import { happyRequest, withoutSuccess } from "./requests.js";
import { corporaStage, type WireAnswer } from "./stage.js";

const stage = corporaStage();
afterAll(() => stage.service.close());

/** What every answer must have, so that a browser neither runs nor frames anything of it. */
function expectSafe({ status, headers, body }: WireAnswer): void {
  expect(headers["x-content-type-options"]).toBe("nosniff");
  expect(headers["x-request-id"]).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  const type = String(headers["content-type"] ?? "");
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/.test(type);
  if (body.length > 0 && !isJson) {
    expect(headers["content-security-policy"]).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
    expect(headers["content-disposition"]).toMatch(/^(?:attachment|inline)/);
  }
  if (status >= 400 && body.length > 0) expect(type).toBe("application/problem+json");
}

describe.each(
  stage.operations.map((routed) => [`${routed.operation.method} /${routed.segments.map((each) => each ?? "{}").join("/")}`, routed] as const),
)("%s", (_, routed) => {
  test("succeeds, with the headers that every answer has", async () => {
    const request = await happyRequest(stage, routed);
    const answer = await stage.send(request);
    if (!withoutSuccess.has(routed.name)) expect([answer.status < 400, answer.body.toString().slice(0, 1_000)]).toEqual([true, expect.anything()]);
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
