import { defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { fullService } from "../../../tools/fullService.js";
import { send } from "../client.js";
import type { Host, RunningHost } from "../host.js";

const lines = defineResource("lines", { schema: z.object({ orderId: z.int(), line: z.string(), title: z.string() }), id: ["orderId", "line"] });

/** A host that decodes paths would make two parts of one that contains a comma. */
export function compositeIdChecks(host: Host): void {
  const service = fullService({ resources: [lines], storage: memoryStorage(), logger: false });
  let running: RunningHost;
  const sent = { headers: { "Content-Type": "application/json" } };

  beforeAll(async () => {
    running = await host.start(service.handle, { mount: "/v1" });
  });
  afterAll(async () => {
    await running.close();
    await service.close();
  });

  it("finds a row under the address that its create answers", async () => {
    for (const line of ["2", "a,b", "ü/%", "x y;z=1"]) {
      const row = { orderId: 7, line, title: "t" };
      const created = await send(running.port, "/v1/lines", { method: "POST", ...sent, body: JSON.stringify(row) });
      expect(created.status).toBe(201);
      const location = String(created.headers.location);
      expect(location).toBe(`/v1/lines/7,${encodeURIComponent(line)}`);
      const found = await send(running.port, location);
      expect([found.status, JSON.parse(found.body.toString())]).toEqual([200, row]);
      expect((await send(running.port, location, { method: "DELETE" })).status).toBe(204);
    }
  });

  it("refuses other spellings", async () => {
    const row = { orderId: 8, line: "a,b", title: "t" };
    await send(running.port, "/v1/lines", { method: "POST", ...sent, body: JSON.stringify(row) });
    for (const segment of ["8%2Ca%2Cb", "8,a,b", "8,a%2cb", "08,a%2Cb", "8,%61%2Cb"]) {
      expect((await send(running.port, `/v1/lines/${segment}`)).status, segment).toBe(404);
    }
    expect((await send(running.port, "/v1/lines/8,a%2Cb")).status).toBe(200);
  });
}
