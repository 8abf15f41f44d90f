import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { memoryStorage } from "../../../../../adapters/memory.js";
import { defineResource } from "../../../../../src/index.js";
import { jsonCases } from "../../../../ground/http/jsonCases.js";
import { cpuMsSince } from "../../../../tools/cpuMs.js";
import { fullService } from "../../../../tools/fullService.js";
import { keepAliveAgent, type Received, type Sent, send } from "../../client.js";
import type { Host, RunningHost } from "../../host.js";

/** What an answer may cost this process, which is client and server: a busy machine delays it, but does not make it dearer. */
const longestCpuMs = 200;

/** How long an answer may take on a busy machine: one that waits for the rest of a body takes 30 s. */
const longestMs = 20_000;

/** Bodies made to hurt a parser; each fits into the limit, so that the parser does see it. */
const hostile: readonly (readonly [name: string, body: string | Uint8Array])[] = [
  ["invalid UTF-8", Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from('"}')])],
  ["a depth of 10^6", "[".repeat(1_000_000)],
  ["objects to a depth of 10^5", '{"a":'.repeat(100_000)],
  ["a depth of 10^5, closed", `{"name":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
  ["10^5 members", `{${Array.from({ length: 100_000 }, (_, index) => `"${index.toString(36)}":1`).join()}}`],
  ["1e400", '{"name":"a","number":1e400}'],
  ["an integer beyond 2^53", '{"name":"a","number":9007199254740993}'],
  ["__proto__", '{"name":"a","__proto__":{"admin":true}}'],
  ["constructor.prototype", '{"name":"a","constructor":{"prototype":{"admin":true}}}'],
  ["NUL", '{"name":"a\\u0000b"}'],
  ["half of a surrogate pair", '{"name":"\\ud83d"}'],
  ["a string that never ends", `{"name":"${"a".repeat(500_000)}`],
  ["a number that never ends", `{"number":${"1".repeat(500_000)}}`],
  ["a million of spaces", `{"name":${" ".repeat(1_000_000)}}`],
  ["no object", "[1]"],
];

const badTargets = [
  "?name=%zz",
  "?name=%C3%28",
  "?name=%00",
  "?nmae=a",
  "?__proto__=a",
  "?page=0",
  "?sort=-",
  `?name=${Array.from({ length: 500 }, (_, index) => index).join()}`,
  `?name=${"a".repeat(9_000)}`,
];

/** Whatever a client sends ends in a typed 4xx, soon, and the connection serves the next request. */
export function badInputChecks(host: Host): void {
  const things = defineResource("things", {
    schema: z.object({ id: z.int(), name: z.string().max(100), number: z.int().optional() }),
    generated: { id: "increment" },
  });
  const service = fullService({ resources: [things], storage: memoryStorage() });
  const agent = keepAliveAgent();
  let running: RunningHost;

  beforeAll(async () => {
    running = await host.start(service.handle, { mount: "" });
  });
  afterAll(async () => {
    agent.destroy();
    await running.close();
  });

  /** The answer, which must neither cost nor take too much. Now and then the garbage of others falls to one; five in a row are slow. */
  async function soon(path: string, sent: Sent, tries = 5): Promise<Received> {
    const started = performance.now();
    const before = process.cpuUsage();
    const answer = await send(running.port, path, sent, agent);
    const cpuMs = cpuMsSince(before);
    const tookMs = performance.now() - started;
    if ((cpuMs >= longestCpuMs || tookMs >= longestMs) && tries > 1) {
      await sleep(100);
      return soon(path, sent, tries - 1);
    }
    expect(cpuMs).toBeLessThan(longestCpuMs);
    expect(tookMs).toBeLessThan(longestMs);
    return answer;
  }

  async function refuse(path: string, sent: Sent): Promise<void> {
    const { status, headers, body } = await soon(path, sent);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(headers["content-type"]).toBe("application/problem+json");
    expect(JSON.parse(body.toString())).toMatchObject({ status, code: expect.stringMatching(/^[A-Z_]+$/), detail: expect.any(String) });
    expect((await send(running.port, "/things", {}, agent)).status).toBe(200);
  }

  it.each(hostile)("refuses a body with %s", (_, body) =>
    refuse("/things", { method: "POST", headers: { "Content-Type": "application/json" }, body }),
  );

  it.each(hostile)("refuses a patch with %s", async (_, body) => {
    const headers = { "Content-Type": "application/json" };
    const created = await send(running.port, "/things", { method: "POST", headers, body: '{"name":"a"}' }, agent);
    await refuse(created.headers.location ?? "", { method: "PATCH", headers, body });
  });

  it("refuses every body that no JSON parser may take", async () => {
    for (const [, body] of jsonCases.invalid) await refuse("/things", { method: "POST", headers: { "Content-Type": "application/json" }, body });
  });

  it.each(badTargets)("refuses the query %.30s", (query) => refuse(`/things${query}`, {}));

  it("has kept nothing of it", async () => {
    const { body } = await send(running.port, "/things?name=b", {}, agent);
    expect(JSON.parse(body.toString()).data).toEqual([]);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });
}
