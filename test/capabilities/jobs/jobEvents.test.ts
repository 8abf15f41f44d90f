import { defineResource, type HttpResponse } from "restwright";
import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { releaseStream } from "../../../src/ground/http/wireResponse.js";
import { clientOf, requestOf } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";
import { parseEvents } from "./parseEvents.js";
import { settle } from "./stage.js";

const accept = "text/event-stream";
const things = defineResource("things", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
const credentials = { verify: () => ({ id: "ann" }), challenge: () => undefined, scheme: "Test", headers: ["X-Test"] };

async function serviceWithJob() {
  const clock = new FakeClock();
  const service = fullService({ resources: [things], storage: memoryStorage(), clock, timers: clock, jobs: { work: false }, auth: [credentials] });
  const send = clientOf(service);
  const accepted = await send({ method: "POST", target: "/things/batch", body: { items: [{ name: "a" }] }, headers: { prefer: "respond-async" } });
  const target = String(accepted.headers["location"]);
  const listen = async (): Promise<HttpResponse> => {
    const answer = await service.handle(requestOf({ target, headers: { accept } }));
    return answer ?? expect.fail("There is no such route.");
  };
  return { clock, service, send, target, listen };
}

/** Reads to the end. */
async function textOf({ body }: HttpResponse): Promise<string> {
  let text = "";
  if (body === null || typeof body === "string" || body instanceof Uint8Array) throw new Error("The answer is no stream.");
  for await (const chunk of body) text += chunk;
  return text;
}

const warned = vi.fn();
beforeEach(() => void process.on("warning", warned));
afterEach(() => void process.off("warning", warned));

test("the answers to a GET of a job differ by Accept, and say so", async () => {
  const { send, target, listen, service } = await serviceWithJob();
  const json = await send({ target });
  const known = await send({ target, headers: { "if-none-match": String(json.headers["etag"]) } });
  const [head, headOfEvents] = [await send({ method: "HEAD", target }), await send({ method: "HEAD", target, headers: { accept } })];
  const missing = await send({ target: "/batches/none", headers: { accept } });
  const events = await listen();
  expect([json.status, known.status, head.status, headOfEvents.status, missing.status, events.status]).toEqual([200, 304, 200, 200, 404, 200]);
  for (const { headers } of [json, known, head, headOfEvents, missing, events]) expect(headers["vary"]).toBe("Accept, X-Test");
  expect(headOfEvents.headers).toMatchObject({ "content-type": accept, "cache-control": "no-store" });
  expect([json, events].map(({ headers }) => headers["cache-control"])).toEqual(["private, no-cache", "no-store"]);
  // Hosts end what nobody reads.
  releaseStream(events.body);
  await service.close();
});

test("a service that closes ends its open streams, which hold up nothing, and a hundred of them cost no warning", async () => {
  const { clock, listen, service } = await serviceWithJob();
  const texts = (await Promise.all(Array.from({ length: 100 }, listen))).map(textOf);
  await settle();
  expect(clock.pending).toBe(100);
  await service.close();
  for (const text of texts) expect(parseEvents(await text).events.map(({ event }) => event)).toEqual(["progress"]);
  expect(clock.pending).toBe(0);
  expect(warned).not.toHaveBeenCalled();
  expect((await listen()).status).toBe(503);
});
