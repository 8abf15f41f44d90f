import { createService } from "restwright";
import { bearer } from "restwright/auth";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
import { rateLimit } from "restwright/rate-limit";
import { uploads } from "restwright/uploads";
import { describe, expect, test } from "vitest";
import { clientOf, type Sent } from "../../tools/client.js";

const errors: unknown[] = [];
const nothing = () => undefined;
const logger = { error: (facts: unknown) => void errors.push(facts), warn: nothing, info: nothing, debug: nothing };
const tus = { "tus-resumable": "1.0.0" };

function stage() {
  errors.length = 0;
  const limits = rateLimit({
    policies: [{ name: "minute", limit: 1, windowMs: 60_000 }],
    costs: { "uploads.read": 1, "uploads.append": 1, "uploads.appendByPost": 1, "uploads.terminate": 1 },
  });
  const service = createService({
    resources: [],
    storage: memoryStorage(),
    logger,
    auth: [bearer(() => ({ id: "ada" }))],
    use: [uploads({ blobs: memoryBlobs(), types: "any" }), limits, openapi({ info: { title: "Files", version: "1" } })],
  });
  const send = clientOf(service);
  return { service, send: (sent: Sent) => send({ ...sent, headers: { authorization: "Bearer t", ...sent.headers } }) };
}

const create: Sent = { method: "POST", target: "/uploads", headers: { ...tus, "upload-length": "3" } };
const requests: readonly Sent[] = [
  create,
  { method: "HEAD", target: "/uploads/an-id", headers: tus },
  { method: "DELETE", target: "/uploads/an-id", headers: { "Tus-Resumable": "1.0.0" } },
  { method: "PATCH", target: "/uploads/an-id", headers: { ...tus, "upload-offset": "0", "content-type": "application/offset+octet-stream" } },
];

describe("a rate-limited upload", () => {
  test.each(requests)("of a tus client is 503, which it retries: $method", async (request) => {
    const { send } = stage();
    expect((await send(create)).status).toBe(201);
    const refused = await send(request);
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    expect(refused.headers).toMatchObject({ "x-ratelimit-remaining": "0", "tus-resumable": "1.0.0" });
    if (request.method !== "HEAD") expect(refused.json).toMatchObject({ code: "RATE_LIMITED", status: 503, "violated-policies": ["minute"] });
    expect(errors).toEqual([]);
  });

  test.each(requests)("of another client is 429: $method", async ({ headers = {}, ...request }) => {
    const { send } = stage();
    expect((await send(create)).status).toBe(201);
    const others = Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== "tus-resumable"));
    const refused = await send({ ...request, headers: others });
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  });

  test("is 429 on paths that are not of the protocol", async () => {
    const { send } = stage();
    expect((await send(create)).status).toBe(201);
    expect((await send({ method: "POST", target: "/uploads/presign", headers: tus, body: {} })).status).toBe(429);
  });

  test("has both statuses in the document", async () => {
    const { service } = stage();
    const document = JSON.parse(JSON.stringify(await service.document()));
    const { Problem, Problem503 } = document.components.responses;
    const operationOf = (path: string) => document.paths[path].post;
    expect(Problem["x-problem-codes"]).toContain("RATE_LIMITED");
    expect(Problem503["x-problem-codes"]).toContain("RATE_LIMITED");
    expect(operationOf("/uploads").responses).toMatchObject({
      503: { $ref: "#/components/responses/Problem503" },
      default: { $ref: "#/components/responses/Problem" },
    });
    expect(operationOf("/uploads")["x-problem-codes"]).toContain("RATE_LIMITED");
    expect(operationOf("/uploads/presign").responses).toMatchObject({ default: { $ref: "#/components/responses/Problem" } });
    expect(operationOf("/uploads/presign")["x-problem-codes"]).not.toContain("RATE_LIMITED");
  });
});
