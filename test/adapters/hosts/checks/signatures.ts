import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import { defineResource } from "restwright";
import { sigv4 } from "restwright/auth";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { memoryBlobs, memoryStorage } from "../../../../adapters/memory.js";
import { fullService } from "../../../tools/fullService.js";
import { send } from "../client.js";
import type { Host, RunningHost } from "../host.js";

const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });
const keys = { accessKeyId: "AKID", secretAccessKey: "secret" };
const scope = { service: "shop", region: "local" };
const json = { "content-type": "application/json" };
const file = { "content-type": "application/octet-stream" };

interface Signed {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The body that is signed, if it is not the one that is sent. */
  readonly signedBody?: string;
  /** Whether the hash of the body is in a header. */
  readonly isStated?: boolean;
  readonly inQuery?: boolean;
  /** Sends the body without its length. */
  readonly chunked?: boolean;
}

/** Requests that are signed with their bodies: what a host passes on must be what the client signed. */
export function signatureChecks(host: Host): void {
  const secret = (id: string) => (id === keys.accessKeyId ? { secretAccessKey: keys.secretAccessKey, principal: { id: "ada" } } : undefined);
  const service = fullService({
    resources: [notes],
    storage: memoryStorage(),
    blobs: memoryBlobs(),
    uploads: { types: "any" },
    auth: [sigv4({ secret, ...scope })],
    logger: false,
  });
  let running: RunningHost;
  let parsing: RunningHost | undefined;

  beforeAll(async () => {
    running = await host.start(service.handle, { mount: "/v1" });
    if (host.parsesBodies) parsing = await host.start(service.handle, { mount: "/v1", parseBodies: true });
  });
  afterAll(async () => {
    await running.close();
    await parsing?.close();
    await service.close();
  });

  async function at(path: string, signed: Signed = {}, port = running.port) {
    const { method = "GET", headers = {}, body, signedBody = body, isStated = true, inQuery = false, chunked = false } = signed;
    const hash =
      isStated && body !== undefined
        ? {
            "x-amz-content-sha256": createHash("sha256")
              .update(signedBody ?? "")
              .digest("hex"),
          }
        : {};
    const url = `http://127.0.0.1:${port}/v1${path}${inQuery ? `${path.includes("?") ? "&" : "?"}X-Amz-Expires=60` : ""}`;
    const sentHeaders = { ...headers, ...hash };
    const payload = signedBody === undefined ? {} : { body: signedBody };
    const signer = new AwsV4Signer({ method, url, headers: sentHeaders, ...payload, signQuery: inQuery, ...keys, ...scope });
    const { headers: made, url: target } = await signer.sign();
    const sent = inQuery ? sentHeaders : Object.fromEntries(made);
    const content = body === undefined ? {} : { body: chunked ? [body.slice(0, 3), body.slice(3)] : body };
    const answer = await send(port, target.pathname + target.search, { method, headers: sent, ...content });
    return { status: answer.status, json: answer.body.length === 0 ? undefined : JSON.parse(answer.body.toString()) };
  }

  it.each([
    { isStated: true, chunked: false },
    { isStated: true, chunked: true },
    { isStated: false, chunked: false },
    { isStated: false, chunked: true },
  ])("accepts a JSON body that was signed, and no other: %j", async (how) => {
    const body = '{"text":"ü"}';
    const created = await at("/notes", { method: "POST", headers: json, body, ...how });
    expect([created.status, created.json.text]).toEqual([201, "ü"]);
    expect((await at("/notes", { method: "POST", headers: json, body, signedBody: '{"text":"u"}', ...how })).status).toBe(401);
  });

  it("accepts queries and paths as the client has encoded them", async () => {
    expect((await at("/notes?text=a%20b%2Fc&sort=-id")).status).toBe(200);
    expect((await at("/notes?text[in]=a,b&fields=id,text&perPage=2")).status).toBe(200);
    expect((await at("/notes/a%20b%C3%BC")).status).not.toBe(401);
    expect((await at("/notes?sort=id", { inQuery: true })).status).toBe(200);
    expect((await at("/notes", { method: "POST", headers: json, body: '{"text":""}', inQuery: true })).status).toBe(201);
  });

  it.each([{ chunked: false }, { chunked: true }])("accepts a file that was signed, and no other: %j", async (how) => {
    const uploaded = await at("/uploads", { method: "POST", headers: file, body: "hello", ...how });
    expect([uploaded.status, uploaded.json.size]).toEqual([201, 5]);
    expect((await at("/uploads", { method: "POST", headers: file, body: "hello", signedBody: "hellO", ...how })).status).toBe(401);
    expect((await at("/uploads", { method: "POST", headers: file, body: "hello", isStated: false, ...how })).status).toBe(401);
  });

  if (!host.parsesBodies) return;
  it("says that a body parser of the host has lost the bytes that were signed, unless the host still has them", async () => {
    const { status, json: answer } = await at("/notes", { method: "POST", headers: json, body: '{"text":""}' }, parsing?.port);
    // Hono keeps the text of a body that it has parsed.
    expect(status).toBe(host.name.startsWith("hono") ? 201 : 500);
    if (status === 500) expect(answer.detail).toContain("Mount restwright before body parsers.");
    expect((await at("/notes?sort=id", {}, parsing?.port)).status).toBe(200);
  });
}
