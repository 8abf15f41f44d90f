import { createService, defineResource } from "restwright";
import { digest, digestHa1 } from "restwright/auth";
import { batch } from "restwright/batch";
import { memoryStorage } from "restwright/memory";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../../tools/client.js";
import { authorizationOf, digestAnswer } from "./digestClient.js";

const things = defineResource("things", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });

/** Sends requests with the counts of one nonce. */
async function setUp() {
  const user = { username: "alice", realm: "api", password: "wonderland" };
  const verifier = digest({ ha1: (_name, algorithm) => ({ ha1: digestHa1(user, algorithm), principal: { id: "alice" } }) });
  const service = createService({ resources: [things], storage: memoryStorage(), logger: false, auth: [verifier], use: [batch()] });
  onTestFinished(() => service.close());
  const client = clientOf(service);
  const [challenge = ""] = [(await client({ target: "/things" })).headers["www-authenticate"] ?? []].flat();
  return (nc: number, target: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const method = body === undefined ? "GET" : "POST";
    const authorization = authorizationOf(digestAnswer({ challenge, method, uri: `/v1${target}`, nc: String(nc).padStart(8, "0") }));
    return client({ method, target, mount: "/v1", body, headers: { ...headers, authorization } });
  };
}

test("a batch of operations uses one count", async () => {
  const send = await setUp();
  const operations = ["a", "b", "c"].map((name) => ({ method: "POST", url: "/things", body: { name } }));
  expect((await send(1, "/batch", { operations })).status).toBe(200);
  expect((await send(2, "/things")).json.data).toHaveLength(3);
});

test("a retry with an Idempotency-Key needs the next count, and is answered from the record", async () => {
  const send = await setUp();
  const key = { "idempotency-key": "0123456789abcdef" };
  const created = await send(1, "/things", { name: "a" }, key);
  expect((await send(1, "/things", { name: "a" }, key)).status).toBe(401);
  const again = await send(2, "/things", { name: "a" }, key);
  expect([created.status, again.status, again.headers["idempotent-replayed"], again.text]).toEqual([201, 201, "true", created.text]);
});

test("a replayed request is not executed", async () => {
  const send = await setUp();
  expect((await send(1, "/things", { name: "a" })).status).toBe(201);
  expect((await send(1, "/things", { name: "a" })).status).toBe(401);
  expect((await send(2, "/things")).json.data).toHaveLength(1);
});
