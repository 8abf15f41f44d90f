// Uses each capability that needs a package of its own, and Redis if REDIS_URL is set: node parts.js.
import assert from "node:assert/strict";
import { trace } from "@opentelemetry/api";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { createService, defineResource } from "restwright";
import { sanitizeSvg } from "restwright/checks";
import { docs } from "restwright/docs";
import { formats } from "restwright/formats";
import { bearerJwt } from "restwright/jwt";
import { memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
import { openTelemetry } from "restwright/opentelemetry";
import { redisIdempotency } from "restwright/redis";
import { xml } from "restwright/xml";
import { z } from "zod";

const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
const token = await new SignJWT({})
  .setProtectedHeader({ alg: "ES256" })
  .setSubject("ada")
  .setIssuer("https://id.example")
  .setExpirationTime("5m")
  .sign(privateKey);

const spans = [];
const span = { setAttribute: () => span, setAttributes: () => span, setStatus: () => span, addEvent: () => span, recordException: () => span };
Object.assign(span, { updateName: () => span, end: () => undefined, isRecording: () => true, spanContext: () => context });
const context = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", traceFlags: 1 };
const startSpan = (name) => {
  spans.push(name);
  return span;
};
trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan, startActiveSpan: () => undefined }) });

const schema = z.object({ id: z.int(), name: z.string() });
const users = defineResource("users", { schema, generated: { id: "increment" }, accepts: ["json", "xml"] });
const redis = await openRedis();
const service = createService({
  resources: [users],
  storage: memoryStorage(),
  auth: [bearerJwt({ key: { keys: [{ ...(await exportJWK(publicKey)), alg: "ES256" }] }, issuer: "https://id.example", audience: false })],
  use: [formats({ use: [xml()] }), openapi({ info: { title: "Shop", version: "1" } }), docs({ ui: "swagger" }), openTelemetry()],
  ...(redis && { idempotency: { store: redisIdempotency(redis, { prefix: `peers:${process.pid}:` }) } }),
});
await service.start();

async function send(method, path, { type = "application/xml", body, more = [] } = {}) {
  const headers = ["host", "localhost", "authorization", `Bearer ${token}`, "accept", type, "content-type", type, ...more];
  const sent = body === undefined ? { kind: "none" } : { kind: "bytes", bytes: Buffer.from(body) };
  const request = { method, path, query: "", mount: "", headers, body: sent, signal: new AbortController().signal, native: undefined };
  const answer = await service.handle(request);
  return [answer.status, String(answer.body)];
}

const body = "<user><name>Zoë &amp; Ann</name></user>";
const more = ["idempotency-key", "key-0000000000000001"];
for (let attempt = 0; attempt < (redis ? 2 : 1); attempt += 1) {
  const [status, text] = await send("POST", "/users", { body, more });
  assert.deepEqual([status, text.includes("<id>1</id>"), text.includes("<name>Zoë &amp; Ann</name>")], [201, true, true], text);
}
assert.ok(spans.length > 0);
assert.match((await send("GET", "/docs", { type: "text/html" }))[1], /swagger/i);
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script><path d="M0 0"/></svg>';
assert.doesNotMatch(Buffer.from(await sanitizeSvg(Buffer.from(svg))).toString(), /script/);
await service.close();
redis?.disconnect();
process.stdout.write(redis ? "used with Redis" : "used without Redis");
process.exit(0);

async function openRedis() {
  if (!process.env.REDIS_URL) return undefined;
  const { Redis, default: Client } = await import("ioredis");
  return new (Redis ?? Client)(process.env.REDIS_URL);
}
