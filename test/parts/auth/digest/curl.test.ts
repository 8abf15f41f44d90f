// @slow

import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { createService, defineResource } from "restwright";
import { type DigestAlgorithm, digest, digestHa1 } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { nodeHandler } from "restwright/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { listen, type RunningHost } from "../../../adapters/hosts/host.js";
import { needs } from "../../../tools/engines.js";

const run = promisify(execFile);

const things = defineResource("things", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
const passwords: Readonly<Record<string, string>> = { alice: "wonderland", 'A "quoted\\ name': "pass:word", "Jäsøn Doe": "Secret, or not?" };

describe.each<DigestAlgorithm>(["MD5", "SHA-256"])("curl --digest with %s (skipped where there is no curl)", needs("curl"), (offered) => {
  const service = createService({
    resources: [things],
    storage: memoryStorage(),
    logger: false,
    auth: [
      digest({
        realm: 'the "shop"',
        algorithms: [offered],
        ha1(username, algorithm) {
          const password = passwords[username];
          return password === undefined
            ? undefined
            : { ha1: digestHa1({ username, realm: 'the "shop"', password }, algorithm), principal: { id: username } };
        },
      }),
    ],
  });
  let host: RunningHost;

  beforeAll(async () => {
    host = await listen(createServer(nodeHandler(service, { mount: "/v1" })));
  });
  afterAll(async () => {
    await host.close();
    await service.close();
  });

  /** The status and the body of the last answer. */
  async function curl(user: string, path: string, ...more: readonly string[]): Promise<{ readonly status: number; readonly body: string }> {
    const url = `http://127.0.0.1:${host.port}/v1${path}`;
    const { stdout } = await run("curl", ["-sg", "--digest", "-u", user, "-w", "\n%{http_code}", ...more, url]);
    const end = stdout.lastIndexOf("\n");
    return { status: Number(stdout.slice(end + 1)), body: stdout.slice(0, end) };
  }

  test("writes and reads, with a query, and refuses another password", async () => {
    const json = ["-H", "content-type: application/json", "-d"];
    expect(await curl("alice:wonderland", "/things", ...json, '{"name":"a b"}')).toMatchObject({ status: 201 });
    for (const path of ["/things/1", "/things?name[like]=a*&sort=-id", "/things?name='x'&perPage=5", "/things?name=%C3%A4%20b"]) {
      expect([path, (await curl("alice:wonderland", path)).status]).toEqual([path, 200]);
    }
    expect(await curl("alice:wonderland", "/things/1", "-X", "DELETE")).toEqual({ status: 204, body: "" });
    expect((await curl("alice:Wonderland", "/things")).status).toBe(401);
    expect((await curl("mallory:wonderland", "/things")).status).toBe(401);
  });

  test("logs in by names with quotes and beyond ASCII", async () => {
    expect((await curl('A "quoted\\ name:pass:word', "/things")).status).toBe(200);
    expect((await curl("Jäsøn Doe:Secret, or not?", "/things")).status).toBe(200);
  });

  test("a request that is sent again with the same header is refused and not executed", async () => {
    const body = ["-H", "content-type: application/json", "-d", '{"name":"once"}'];
    const { stderr } = await run("curl", ["-sv", "--digest", "-u", "alice:wonderland", ...body, `http://127.0.0.1:${host.port}/v1/things`]);
    const authorization = stderr
      .split("\n")
      .filter((line) => /^> authorization: digest/i.test(line))
      .at(-1)
      ?.trim()
      .slice("> authorization: ".length);
    const replay = () =>
      fetch(`http://127.0.0.1:${host.port}/v1/things`, {
        method: "POST",
        headers: { authorization: authorization ?? "", "content-type": "application/json" },
        body: '{"name":"once"}',
      });
    const refused = await replay();
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, expect.stringContaining("stale=true")]);
    expect(JSON.parse((await curl("alice:wonderland", "/things?name=once")).body).data).toHaveLength(1);
  });
});
