import { createService, defineResource, type HttpRequest } from "restwright";
import { cors } from "restwright/cors";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { stderrLogger } from "../../../src/engine/operation/logging/stderrLogger.js";
import { FakeClock } from "../../../src/testing/clock.js";
import { requestOf, type Sent } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";

const hostile = 'x\r\n{"level":"error","message":"forged"}\u001b[2J\u009b\u2028\u202egpj.exe\u0007';
const encoded = encodeURIComponent(hostile);
const secret = "s3cr3t-of-ada";
const notes = defineResource("notes", { schema: z.object({ id: z.string(), text: z.string() }) });

const lines: string[] = [];
const logger = stderrLogger(new FakeClock(0), (line) => lines.push(line));
afterEach(() => {
  lines.length = 0;
});

/** One line an event, valid JSON, without what a terminal reads, and without the secret. */
function expectSafeLines(count: number): void {
  expect(lines).toHaveLength(count);
  for (const line of lines) {
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(line).not.toContain(secret);
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), message: expect.any(String) });
    expect(JSON.parse(line)).not.toMatchObject({ message: "forged" });
  }
}

/** A storage whose reads fail with what a driver may say: the client's value, and its own address. */
function failing() {
  const memory = memoryStorage();
  const fail = async () => {
    const error = new Error(`invalid input "${hostile}" at postgres://ada:${secret}@db/shop`);
    throw Object.assign(error, { parameters: [secret], detail: `Key (text)=(${secret})`, command: { args: [secret] } });
  };
  return {
    ...memory,
    collection: (model: Parameters<typeof memory.collection>[0]) => ({ ...memory.collection(model), get: fail, insert: fail, find: fail }),
  };
}

const withCredentials = {
  authorization: `Bearer ${secret}`,
  cookie: `session=${secret}`,
  "x-api-key": secret,
  "user-agent": hostile,
  "x-request-id": hostile,
  "x-client-version": hostile,
  "x-forwarded-for": hostile,
};

describe("the log of a failure", () => {
  test.each<[string, Sent]>([
    ["in the path", { target: `/notes/${hostile}` }],
    ["in the path, encoded", { target: `/notes/${encoded}` }],
    ["in the query", { target: `/notes?text=${encoded}&token=${secret}` }],
    ["in the body", { method: "POST", target: "/notes", body: { id: hostile, text: secret } }],
  ])("is one safe line with a hostile value %s", async (_, sent) => {
    const service = createService({ resources: [notes], storage: failing(), logger, lists: { ignoreParameters: ["token"] } });
    const response = await service.handle(requestOf({ ...sent, headers: withCredentials }));
    expect(response?.status).toBe(500);
    expectSafeLines(1);
    expect(JSON.parse(lines[0] ?? "").requestId).toMatch(/^[\da-f-]{36}$/);
    await service.close();
  });

  test("is one safe line with a hostile method", async () => {
    const verifier = {
      scheme: "Own",
      challenge: () => "Own",
      verify: (): never => {
        throw new Error(`no database for ${hostile}: Cookie: session=${secret}`);
      },
    };
    const service = createService({ resources: [notes], storage: memoryStorage(), logger, auth: [verifier] });
    const request: HttpRequest = { ...requestOf({ target: `/notes/${hostile}`, headers: withCredentials }), method: "GET" };
    expect((await service.handle(request))?.status).toBe(500);
    expectSafeLines(1);
    await service.close();
  });

  test("of hooks is safe", async () => {
    const fail = (): never => {
      throw new Error(`${hostile} password=${secret}`);
    };
    const service = createService({ resources: [notes], storage: failing(), logger, onError: fail, onResponse: fail });
    await service.handle(requestOf({ target: `/notes/${encoded}`, headers: withCredentials }));
    expectSafeLines(3);
    await service.close();
  });

  test("of the function that decides about origins is safe", async () => {
    const origins = (origin: string): never => {
      throw new Error(`unknown ${origin} password=${secret}`);
    };
    const service = createService({ resources: [notes], storage: memoryStorage(), logger, use: [cors({ origins })] });
    await service.handle(requestOf({ target: "/notes", headers: { ...withCredentials, origin: hostile } }));
    expectSafeLines(1);
    await service.close();
  });

  test("of onReady of an upload is safe", async () => {
    const onReady = ({ filename }: { readonly filename?: string | undefined }): never => {
      throw new Error(`cannot move ${filename} ${hostile} secret: ${secret}`);
    };
    const service = fullService({ resources: [], storage: memoryStorage(), logger, blobs: memoryBlobs(), uploads: { types: "any", onReady } });
    const headers = { ...withCredentials, "content-type": "text/plain", "content-disposition": `attachment; filename*=UTF-8''${encoded}` };
    expect((await service.handle(requestOf({ method: "POST", target: "/uploads", headers, body: "hello" })))?.status).toBe(201);
    expectSafeLines(1);
    await service.close();
  });
});

test("an answer that is no failure of the service is not logged, so that clients cannot fill the log", async () => {
  const service = createService({ resources: [notes], storage: memoryStorage(), logger, auth: [], notFound: "problem" });
  for (const target of [`/${hostile}`, "/notes?unknown=1", "/notes/absent", `/notes/%FF`]) {
    const response = await service.handle(requestOf({ target, headers: withCredentials }));
    expect(response?.status).toBeGreaterThanOrEqual(400);
    expect(response?.status).toBeLessThan(500);
  }
  expect(lines).toEqual([]);
  await service.close();
});
