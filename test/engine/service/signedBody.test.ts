import { createHash } from "node:crypto";
import { type Capability, createService } from "restwright";
import { signedBody } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import type { RequestBody } from "../../../src/ground/http/message.js";
import type { AuthRequest } from "../../../src/parts/auth/verifier.js";
import { sentRequest } from "../../parts/auth/sentRequest.js";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

const stream = (...texts: readonly string[]): RequestBody => ({ kind: "stream", stream: pieces(...texts) });

function post(body: RequestBody, route: Parameters<typeof sentRequest>[1] = {}) {
  const { request, signed } = sentRequest({ method: "POST", target: "/notes", headers: ["transfer-encoding", "chunked"], body }, route);
  if (request.body === undefined) throw new Error("A request of a service has a body.");
  return { body: request.body, signed };
}

async function textOf(body: RequestBody): Promise<string> {
  if (body.kind === "bytes") return Buffer.from(body.bytes).toString();
  const read: Uint8Array[] = [];
  if (body.kind === "stream") for await (const chunk of body.stream) read.push(chunk);
  return Buffer.concat(read).toString();
}

describe("the hash of a body", () => {
  test.each<[string, RequestBody]>([
    ["none", { kind: "none" }],
    ["bytes", { kind: "bytes", bytes: Buffer.from("abc") }],
    ["a stream", stream("a", "bc")],
  ])("is that of its bytes, which the operation still gets: %s", async (_what, sent) => {
    const { body, signed } = post(sent);
    const text = sent.kind === "none" ? "" : "abc";
    expect(await body.sha256()).toBe(sha256(text));
    expect(await body.sha256()).toBe(sha256(text));
    expect(await textOf(signed.request.body)).toBe(text);
  });

  test("is unknown where the operation receives the body as a stream, unless there is none", async () => {
    for (const route of [{ readsBody: true }, { body: { receive: async () => ({ fingerprint: "", release: async () => {} }) } }] as const) {
      expect(await post(stream("abc"), route as Parameters<typeof post>[1]).body.sha256()).toBeUndefined();
      expect(await post({ kind: "none" }, { readsBody: true }).body.sha256()).toBe(sha256(""));
    }
  });

  test("is not computed of a body over the limit", async () => {
    await expect(post(stream("x".repeat(1_048_577))).body.sha256()).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  });
});

describe("an expected hash", () => {
  test("is compared at once if the bytes are there", async () => {
    for (const sent of [{ kind: "none" }, { kind: "bytes", bytes: Buffer.from("abc") }] as const) {
      const text = sent.kind === "none" ? "" : "abc";
      await post(sent).body.expectSha256(sha256(text));
      await expect(post(sent).body.expectSha256(sha256("abd"))).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    }
  });

  test("is compared at the end of a stream", async () => {
    const right = post(stream("a", "bc"));
    await right.body.expectSha256(sha256("abc"));
    expect(right.signed.request.body).toMatchObject({ kind: "stream", isSigned: true });
    expect(await textOf(right.signed.request.body)).toBe("abc");
    right.signed.requireCompared();
    const wrong = post(stream("a", "bc"));
    await wrong.body.expectSha256(sha256("abd"));
    await expect(textOf(wrong.signed.request.body)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    expect(() => wrong.signed.requireCompared()).toThrow("Valid credentials are needed.");
  });

  test("refuses a stream that was not read to its end", async () => {
    const { body, signed } = post(stream("a", "bc"));
    await body.expectSha256(sha256("abc"));
    if (signed.request.body.kind === "stream") for await (const _chunk of signed.request.body.stream) break;
    expect(() => signed.requireCompared()).toThrow("Valid credentials are needed.");
  });

  test("says nothing of a body that nothing reads", async () => {
    const { body, signed } = post(stream("abc"));
    await body.expectSha256(sha256("other"));
    signed.requireCompared();
  });
});

test("an operation that stops reading does not run, and releases what it received", async () => {
  const steps: string[] = [];
  const early: Capability = {
    name: "early",
    open: () => ({
      routes: [
        {
          segments: ["early"],
          operations: [
            {
              name: "early.take",
              method: "POST",
              access: { action: "create", collection: "early" },
              body: {
                accepts: () => true,
                supported: ["text/plain"],
                limitBytes: 100,
                async receive({ request }) {
                  if (request.body.kind === "stream") for await (const _chunk of request.body.stream) break;
                  return { fingerprint: "", release: async () => void steps.push("released") };
                },
              },
              async run() {
                steps.push("ran");
                return { status: 204, headers: {}, body: null };
              },
            },
          ],
        },
      ],
    }),
  };
  const expecting = (hash: string) => ({
    scheme: "Hash",
    challenge: () => "Hash",
    openBody: signedBody,
    async verify({ body }: AuthRequest) {
      await body?.expectSha256(hash);
      return { id: "ada" };
    },
  });
  const service = createService({ resources: [], storage: memoryStorage(), use: [early], auth: [expecting(sha256("abc"))] });
  const headers = ["content-type", "text/plain", "transfer-encoding", "chunked"];
  const signal = new AbortController().signal;
  const sent = { method: "POST", path: "/early", query: "", mount: "", headers, body: stream("a", "bc"), signal, native: undefined };
  expect(await service.handle(sent)).toMatchObject({ status: 401 });
  expect(steps).toEqual(["released"]);
});
