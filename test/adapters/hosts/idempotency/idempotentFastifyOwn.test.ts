// @slow

import { gzipSync } from "node:zlib";
import Fastify, { type FastifyInstance } from "fastify";
import { expect, it } from "vitest";
import { idempotent } from "../../../../adapters/fastify.js";
import { memoryIdempotency } from "../../../../adapters/memory.js";
import { eventually } from "../../../tools/eventually.js";

const guard = () => idempotent({ store: memoryIdempotency(), principal: () => ({ id: "ada" }) });

function post(app: FastifyInstance, payload: object = { amount: 5 }) {
  return app.inject({ method: "POST", url: "/charges", headers: { "idempotency-key": "0123456789abcdef" }, payload });
}

it("keeps what was sent before a hook compresses it, and lets the hook compress the replay", async () => {
  const app = Fastify();
  app.addHook("onSend", async (_request, reply, payload) => {
    reply.header("content-encoding", "gzip").removeHeader("content-length");
    return gzipSync(Buffer.from(payload as string));
  });
  let runs = 0;
  app.post("/charges", guard(), async () => ({ runs: ++runs }));
  const [first, again] = [await post(app), await post(app)];
  expect([again.headers["content-encoding"], again.headers["idempotent-replayed"]]).toEqual(["gzip", "true"]);
  expect(again.rawPayload.equals(gzipSync('{"runs":1}'))).toBe(true);
  expect(first.rawPayload.equals(again.rawPayload)).toBe(true);
});

it.each<[string, () => unknown, string, string]>([
  ["a Response", () => new Response("made", { status: 201, headers: { "content-type": "text/x", "x-own": "1" } }), "made", "text/x"],
  ["a web stream", () => ReadableStream.from(["a", "b"].map((text) => new TextEncoder().encode(text))), "ab", "none"],
  ["a value", () => ({ a: 1 }), '{"a":1}', "application/json; charset=utf-8"],
])("replays %s", async (_, make, text, type) => {
  const app = Fastify();
  app.post("/charges", guard(), async (_request, reply) => reply.send(make()));
  const [first, again] = [await post(app), await post(app)];
  for (const { statusCode, payload, headers } of [first, again]) {
    expect([statusCode, payload, headers["content-type"] ?? "none"]).toEqual([first.statusCode, text, type]);
  }
  expect([again.headers["x-own"], again.headers["idempotent-replayed"]]).toEqual([first.headers["x-own"], "true"]);
});

it("stands beside hooks of the route itself", async () => {
  const app = Fastify();
  const { preHandler, onSend } = guard();
  const order: string[] = [];
  const note = (name: string) => async () => void order.push(name);
  app.post("/charges", { preHandler: [note("first"), preHandler, note("second")], onSend: [onSend] }, async () => "done");
  await post(app);
  await post(app);
  expect(order).toEqual(["first", "second", "first"]);
});

it("answers the error page where a hook before it fails, and runs the next try", async () => {
  const app = Fastify();
  let runs = 0;
  app.addHook("onSend", async (_request, _reply, payload) => {
    if (++runs === 1) throw new Error("The hook is broken.");
    return payload;
  });
  app.post("/charges", guard(), async () => "done");
  expect((await post(app)).statusCode).toBe(500);
  // The key is given back a little after the answer.
  await eventually(async () => expect((await post(app)).payload).toBe("done"));
});

it("leaves the schema of the route in its place: what it refuses is not the handler's answer", async () => {
  const app = Fastify();
  const schema = { body: { type: "object", required: ["amount"], properties: { amount: { type: "number" } } } };
  app.post("/charges", { ...guard(), schema }, async () => "done");
  expect([(await post(app, {})).statusCode, (await post(app)).payload]).toEqual([400, "done"]);
});

it("keeps the status of a hijacked reply, and forgets the app's own 404", async () => {
  const app = Fastify();
  let runs = 0;
  app.post("/charges", guard(), (_request, reply) => {
    runs += 1;
    if (runs === 1) return reply.callNotFound();
    reply.hijack();
    reply.raw.writeHead(201).end("raw");
  });
  expect((await post(app)).statusCode).toBe(404);
  // The key is given back, and the answer stored, a little after each answer.
  await eventually(async () => expect((await post(app, { amount: 6 })).payload).toBe("raw"));
  await eventually(async () => {
    const again = await post(app, { amount: 6 });
    expect([again.statusCode, again.payload, again.headers["idempotent-replayed"], runs]).toEqual([201, "", "true", 2]);
  });
});
