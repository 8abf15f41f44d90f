import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { memoryBlobs, memoryStorage } from "../../../../../adapters/memory.js";
import { defineResource } from "../../../../../src/index.js";
import { fullService } from "../../../../tools/fullService.js";
import type { Host, RunningHost } from "../../host.js";
import { RawConnection } from "../../rawConnection.js";

const stallMs = 400;

/** A client that sends a byte now and then must not hold its connection for ever, whichever time-outs a host leaves off. */
export function slowBodyChecks(host: Host): void {
  const users = defineResource("users", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
  const service = fullService({
    resources: [users],
    storage: memoryStorage(),
    blobs: memoryBlobs(),
    jobs: { work: false },
    limits: { bodyStallMs: stallMs, bodyBytesPerSecond: 1_024 },
    uploads: { types: "any", forms: { avatars: { types: "any" } } },
  });
  let running: RunningHost;

  beforeAll(async () => {
    running = await host.start(service.handle, { mount: "" });
  });
  afterAll(async () => {
    await running.close();
    await service.close({ graceMs: 0 });
  });

  const json = "Content-Type: application/json";
  // At the same time, as each waits for more than a second.
  it.concurrent.each([
    ["/users", json, '{"name":"'],
    ["/batch", json, '{"operations":['],
    ["/users/batch-delete", json, '{"ids":["'],
    ["/searches", json, '{"collection":"'],
    ["/users/import", "Content-Type: text/csv", "name\n"],
    ["/imports?collection=users", "Content-Type: text/csv", "name\n"],
    ["/uploads", "Content-Type: text/plain", "a"],
    ["/avatars", "Content-Type: multipart/form-data; boundary=b", '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n'],
  ])("answers a body that drips into %s with 408, and closes the connection", async (target, type, begin) => {
    const connection = new RawConnection(running.port);
    const chunk = (text: string) => connection.write(`${text.length.toString(16)}\r\n${text}\r\n`);
    connection.write(`POST ${target} HTTP/1.1\r\nHost: x\r\n${type}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    chunk(begin);
    const drip = setInterval(() => chunk("1"), 40);
    try {
      const { status, headers, body } = await connection.readResponse();
      expect([status, headers.get("content-type"), JSON.parse(body).code]).toEqual([408, "application/problem+json", "REQUEST_TIMEOUT"]);
      expect(headers.get("x-request-id")).toBeDefined();
      await connection.readToEnd();
    } finally {
      clearInterval(drip);
      connection.destroy();
    }
  });
}
