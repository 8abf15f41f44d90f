import { createService, defineResource } from "restwright";
import { csv, formats, ndjson } from "restwright/formats";
import { memoryStorage } from "restwright/memory";
import { xml } from "restwright/xml";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { type Sent, send } from "../../client.js";
import type { Host, RunningHost } from "../../host.js";

const users = defineResource("users", {
  schema: z.object({ id: z.int(), name: z.string(), age: z.int(), tags: z.array(z.string()).default([]) }),
  generated: { id: "increment" },
  accepts: ["form", "multipart", "xml"],
});

/** A host that parses forms itself, answers 415 for types it does not know, or changes Accept, would take the formats away. */
export function formatChecks(host: Host): void {
  const service = createService({
    resources: [users],
    storage: memoryStorage(),
    logger: false,
    use: [formats({ use: [csv(), ndjson(), xml()] })],
  });
  let running: RunningHost;
  const at = (target: string, { headers, ...sent }: Sent = {}) => send(running.port, `/v1${target}`, { ...sent, headers: { ...headers } });

  beforeAll(async () => {
    running = await host.start(service.handle, { mount: "/v1" });
  });
  afterAll(async () => {
    await running.close();
    await service.close();
  });

  it("takes forms, forms in parts and XML, and answers XML", async () => {
    const bodies = [
      ["application/x-www-form-urlencoded", "name=Ann+%C3%A4&age=3&tags%5B%5D=a&tags%5B%5D=b"],
      [
        "multipart/form-data; boundary=b",
        ...[
          ["name", "Ann ä"],
          ["age", "3"],
          ["tags", "a"],
          ["tags", "b"],
        ].map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
        "--b--\r\n",
      ],
      ["application/xml; charset=utf-8", "<user><name>Ann ä</name><age>3</age><tags><item>a</item><item>b</item></tags></user>"],
    ] as const;
    for (const [type = "", ...body] of bodies) {
      const sent = { method: "POST", headers: { "Content-Type": type, Accept: "application/xml" }, body: body.join("") };
      const { status, headers, body: answer } = await at("/users", sent);
      expect([type, status, headers["content-type"]]).toEqual([type, 201, "application/xml; charset=utf-8"]);
      expect(headers.vary?.split(", ")).toContain("Accept");
      expect(answer.toString()).toMatch(/<name>Ann ä<\/name><age>3<\/age><tags><item>a<\/item><item>b<\/item><\/tags><\/user>$/);
    }
  });

  it("answers a list in the format that Accept prefers, and 304 and HEAD of it", async () => {
    for (const [accept, type] of [
      ["text/csv", "text/csv; charset=utf-8"],
      ["application/x-ndjson", "application/x-ndjson"],
      ["text/xml", "text/xml; charset=utf-8"],
      ["text/html,application/xml;q=0.9,*/*;q=0.8", "application/json"],
    ]) {
      const headers = { Accept: accept ?? "" };
      const list = await at("/users", { headers });
      expect([list.status, list.headers["content-type"]]).toEqual([200, type]);
      expect(list.headers.vary?.split(", ")).toContain("Accept");
      expect((await at("/users", { headers: { ...headers, "If-None-Match": list.headers.etag ?? "" } })).status).toBe(304);
      const head = await at("/users", { method: "HEAD", headers });
      expect([head.status, head.headers["content-length"], head.body.length]).toEqual([200, String(list.body.length), 0]);
    }
  });

  it("refuses what it cannot answer, and forms that are not UTF-8, are JSON, or come from another origin", async () => {
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    for (const [status, headers, body] of [
      [406, { ...form, Accept: "image/png" }, "name=a&age=1"],
      [400, form, "name=%FF&age=1"],
      [415, form, '{"name":"a"}'],
      [403, { ...form, Origin: "https://evil.example" }, "name=a&age=1"],
      [400, { "Content-Type": "application/xml" }, "<!DOCTYPE user><user/>"],
    ] as const) {
      const answer = await at("/users", { method: "POST", headers, body });
      expect([answer.status, answer.headers["content-type"]]).toEqual([status, "application/problem+json"]);
    }
  });
}
