import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { createGunzip, gzipSync } from "node:zlib";
import { defineResource } from "restwright";
import { type Coding, compression, supportedCodings } from "restwright/compression";
import { memoryStorage } from "restwright/memory";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { decoded, encoded } from "../../../../capabilities/compression/decoded.js";
import { fillLines, type Iterations, lines, rowsOf, watchedStorage } from "../../../../capabilities/transfer/export/exportStage.js";
import { eventually } from "../../../../tools/eventually.js";
import { fullService } from "../../../../tools/fullService.js";
import { type Sent, send } from "../../client.js";
import type { Host, RunningHost } from "../../host.js";

const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });
const text = "All work and no play makes Jack a dull boy. ".repeat(50);
const rows = 20_000;
const bomb = gzipSync(Buffer.alloc(16 * 1_048_576));

/** Lengths and codings are set by the core; a host must neither change them nor code an answer twice. */
export function compressionChecks(host: Host): void {
  const state: Iterations = { open: 0, batches: 0 };
  const storage = memoryStorage();
  const service = fullService({
    resources: [notes, lines],
    storage: watchedStorage(storage, state),
    limits: { jsonBodyBytes: 2_097_152 },
    more: [compression()],
  });
  let running: RunningHost;
  const at = (path: string, sent?: Sent) => send(running.port, `/v1${path}`, sent);
  const asJson = (coding: string) => ({ "Content-Type": "application/json", "Content-Encoding": coding });

  beforeAll(async () => {
    await service.start();
    await fillLines(storage, rows);
    running = await host.start(service.handle, { mount: "/v1" });
    await at("/notes", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ text }) });
  });
  beforeEach(() => {
    Object.assign(state, { batches: 0, failAt: undefined, hold: undefined });
  });
  afterAll(async () => {
    await running.close();
    await service.close({ graceMs: 1_000 });
  });
  const released = () => eventually(() => expect(state.open).toBe(0));

  it.each(supportedCodings)("answers in %s, with its length and its tag, and validates the tag", async (coding) => {
    const plain = await at("/notes/1");
    const { status, headers, body } = await at("/notes/1", { headers: { "Accept-Encoding": coding } });
    expect([status, headers["content-encoding"], headers["content-length"]]).toEqual([200, coding, String(body.length)]);
    expect(decoded(body, coding).equals(plain.body)).toBe(true);
    expect(headers.etag).toBe(`${plain.headers.etag?.slice(0, -1)}.${coding}"`);
    expect(headers.vary?.split(", ")).toContain("Accept-Encoding");
    const again = await at("/notes/1", { headers: { "Accept-Encoding": coding, "If-None-Match": headers.etag ?? "" } });
    expect([again.status, again.headers.etag, again.body.length]).toEqual([304, headers.etag, 0]);
    const head = await at("/notes/1", { method: "HEAD", headers: { "Accept-Encoding": coding } });
    expect([head.status, head.headers["content-encoding"], head.headers.etag]).toEqual([200, coding, headers.etag]);
  });

  it("is decoded by fetch, for answers and exports", async () => {
    const base = `http://127.0.0.1:${running.port}/v1`;
    expect(await (await fetch(`${base}/notes/1`)).json()).toMatchObject({ text });
    const exported = await fetch(`${base}/lines/export?format=ndjson`);
    expect(exported.headers.get("content-encoding")).toBe("gzip");
    expect(rowsOf(await exported.text())).toHaveLength(rows);
  });

  it.each(supportedCodings)("takes bodies in %s, with a length and chunked", async (coding: Coding) => {
    const body = encoded(JSON.stringify({ text }), coding);
    expect((await at("/notes", { method: "POST", headers: asJson(coding), body })).status).toBe(201);
    const pieces = new ReadableStream({
      start(controller) {
        for (let index = 0; index < body.length; index += 7) controller.enqueue(body.subarray(index, index + 7));
        controller.close();
      },
    });
    const url = `http://127.0.0.1:${running.port}/v1/notes`;
    const chunked = await fetch(url, { method: "POST", headers: asJson(coding), body: pieces, duplex: "half" } as RequestInit);
    expect([chunked.status, ((await chunked.json()) as { text: string }).text]).toEqual([201, text]);
  });

  it("refuses bombs, damage and stacked codings, and answers the next request", async () => {
    const post = async (coding: string, body: Uint8Array) => {
      const answer = await at("/notes", { method: "POST", headers: asJson(coding), body });
      return `${answer.status} ${JSON.parse(answer.body.toString()).code}`;
    };
    expect(await post("gzip", bomb)).toBe("413 PAYLOAD_TOO_LARGE");
    expect(await post("gzip", gzipSync(bomb))).toBe("400 MALFORMED_JSON");
    expect(await post("gzip, gzip", gzipSync(bomb))).toBe("415 UNSUPPORTED_MEDIA_TYPE");
    expect(await post("gzip", gzipSync('{"text":"a"}').subarray(0, -2))).toBe("400 MALFORMED_COMPRESSION");
    expect(await post("gzip", gzipSync('{"text":"a"}'))).toMatch(/^201 /);
  });

  it("breaks off a compressed export that fails on its way", async () => {
    state.failAt = 10;
    await expect(at("/lines/export?format=ndjson", { headers: { "Accept-Encoding": "gzip" } })).rejects.toThrow();
    await released();
  });

  it("sends what a slow export has read so far, and lets go of the store where the client goes", async () => {
    let goOn: () => void = () => undefined;
    state.hold = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const outgoing = request({
      port: running.port,
      host: "127.0.0.1",
      path: "/v1/lines/export?format=ndjson",
      headers: { "Accept-Encoding": "gzip" },
    });
    outgoing.on("error", () => undefined).end();
    const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
    let seen = "";
    incoming.on("error", () => undefined);
    incoming.pipe(createGunzip()).on("data", (chunk: Buffer) => {
      seen += chunk.toString();
    });
    // The rest of the four batches fills no piece of the export yet.
    await eventually(() => expect(seen.split("\n").length).toBeGreaterThan(2_000));
    outgoing.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    goOn();
    await released();
    expect(state.batches).toBeLessThan(rows / 1_000);
  });
}
