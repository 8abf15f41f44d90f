import { createService, defineResource } from "restwright";
import { live } from "restwright/live";
import { memoryStorage } from "restwright/memory";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { EventStreamClient, words } from "../../../tools/eventStreamClient.js";
import { untilTrue } from "../../../tools/eventually.js";
import type { Host, RunningHost } from "../host.js";

/** A host that holds back what is written, or does not notice that a client has left, cannot serve streams. */
export function liveChecks(host: Host): void {
  const notes = defineResource("notes", { schema: z.object({ id: z.string(), text: z.string() }), live: true });
  const service = createService({ resources: [notes], storage: memoryStorage(), logger: false, use: [live({ maxStreams: { principal: 1 } })] });
  let running: RunningHost;
  const connect = () => EventStreamClient.connect(`http://127.0.0.1:${running.port}/v1/notes`);

  beforeAll(async () => {
    running = await host.start(service.handle, { mount: "/v1" });
  });
  afterAll(async () => {
    await running.close();
    await service.close();
  });

  it("sends each event at once, and the stream ends with its client and with the service", async () => {
    const client = await connect();
    expect([client.status, client.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    await client.until(({ length }) => length === 1);
    await service.asSystem().notes.create({ id: "a", text: "x".repeat(100_000) });
    await client.until(({ length }) => length === 2);
    await service.asSystem().notes.remove("a");
    await client.until(({ length }) => length === 3);
    expect(words(client.told)).toEqual(["ready", "created a", "removed a"]);
    expect(client.told[1]?.data.row.text).toHaveLength(100_000);
    expect((await connect()).status).toBe(429);
    client.cut();
    let last = client;
    await untilTrue(async () => {
      last = await connect();
      return last.status === 200;
    });
    await last.until(({ length }) => length === 1);
    await service.close({ graceMs: 1_000 });
    await untilTrue(() => last.isEnded);
  });
}
