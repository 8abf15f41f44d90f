import { defineResource } from "restwright";
import { cors } from "restwright/cors";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { fullService } from "../../../tools/fullService.js";
import { type Sent, send } from "../client.js";
import type { Host, RunningHost } from "../host.js";

const origin = "https://shop.example";
const things = defineResource("things", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });

/** A host that answers OPTIONS itself, or leaves headers out of errors, would make the API unusable for pages of other origins. */
export function crossOriginChecks(host: Host): void {
  const service = fullService({
    resources: [things],
    storage: memoryStorage(),
    logger: false,
    blobs: memoryBlobs(),
    uploads: { types: "any", forms: { avatars: { types: "any" } } },
    more: [cors({ origins: [origin], credentials: true })],
  });
  let running: RunningHost;
  const at = (path: string, { headers, ...sent }: Sent = {}) =>
    send(running.port, `/v1${path}`, { ...sent, headers: { Origin: origin, ...headers } });

  beforeAll(async () => {
    running = await host.start(service.handle, { mount: "/v1" });
  });
  afterAll(async () => {
    await running.close();
    await service.close();
  });

  it("answers a preflight", async () => {
    const { status, headers, body } = await at("/things/1", { method: "OPTIONS", headers: { "Access-Control-Request-Method": "DELETE" } });
    expect([status, body.length]).toEqual([204, 0]);
    expect(headers).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-allow-credentials": "true",
      "access-control-max-age": "600",
    });
    expect(headers["access-control-allow-methods"]?.split(", ")).toEqual(expect.arrayContaining(["GET", "PATCH", "DELETE"]));
  });

  it("lets a page read answers and errors, and names the origin in Vary", async () => {
    const json = { "Content-Type": "application/json" };
    const answers = [
      await at("/things", { method: "POST", headers: json, body: '{"name":"a"}' }),
      await at("/things/1"),
      await at("/things/2"),
      await at("/things", { method: "POST", headers: { "Content-Type": "text/plain" }, body: "a" }),
      await at("/things/1", { method: "POST", headers: json, body: "{}" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 404, 415, 405]);
    for (const { headers } of answers) {
      expect(headers["access-control-allow-origin"]).toBe(origin);
      expect(headers["access-control-expose-headers"]).toContain("ETag");
      expect(headers.vary?.split(", ")).toContain("Origin");
    }
  });

  it("refuses the forms and empty POSTs of a page that is neither its own nor allowed", async () => {
    const form = { "Content-Type": "multipart/form-data; boundary=b" };
    const body = '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nhello\r\n--b--\r\n';
    const own = `http://127.0.0.1:${running.port}`;
    for (const [from, status] of [
      ["https://evil.example", 403],
      ["null", 403],
      [`${own}0`, 403],
      [own, 201],
      [origin, 201],
    ] as const) {
      expect([from, (await at("/avatars", { method: "POST", headers: { ...form, Origin: from }, body })).status]).toEqual([from, status]);
    }
    const empty = await at("/batches/x/cancel", { method: "POST", headers: { Origin: "https://evil.example", "Content-Length": "0" } });
    expect([empty.status, JSON.parse(empty.body.toString()).code]).toEqual([403, "CROSS_SITE_REQUEST"]);
  });
}
