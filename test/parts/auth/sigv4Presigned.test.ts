import { createService, defineResource } from "restwright";
import { sigv4 } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { failure } from "../../../src/parts/auth/verifier.js";
import { FakeClock } from "../../../src/testing/clock.js";
import { clientOf } from "../../tools/client.js";
import { presignedRequest, type Signing, sha256, signedAt, signedRequest } from "./signedRequest.js";
import { accepted, refused, verify } from "./sigv4Stage.js";

describe("a presigned URL", () => {
  test.each<[string, Signing, Readonly<Record<string, string>>]>([
    ["a query", { target: "/users?b=2&a=1" }, {}],
    ["a body", { method: "POST", body: "x" }, {}],
    ["the hash of a body in a header", { method: "POST", body: "x", headers: { "x-amz-content-sha256": sha256("x") } }, {}],
    ["the hash of a body in a parameter", { method: "POST", body: "x" }, { "X-Amz-Content-Sha256": sha256("x") }],
    ["a token", { accessKeyId: "ASIA" }, { "X-Amz-Security-Token": "token/1+=" }],
  ])("covers %s", async (_what, signing, parameters) => {
    await accepted(presignedRequest(signing, parameters));
  });

  test("is valid until it expires, and from 15 minutes before its date", async () => {
    const wire = presignedRequest({}, { "X-Amz-Expires": "3600" });
    await accepted(wire, { nowMs: signedAt + 3_600_000 });
    await refused(wire, { nowMs: signedAt + 3_600_001 });
    await accepted(wire, { nowMs: signedAt - 900_000 });
    await refused(wire, { nowMs: signedAt - 900_001 });
  });

  test.each(["604800", "1"])("may be valid for %s seconds", async (seconds) => {
    await accepted(presignedRequest({}, { "X-Amz-Expires": seconds }));
  });

  test("cannot be valid for longer than the option says", async () => {
    await refused(presignedRequest({}, { "X-Amz-Expires": "61" }), { maxExpiresSeconds: 60 });
    await accepted(presignedRequest({}, { "X-Amz-Expires": "60" }), { maxExpiresSeconds: 60 });
  });

  test.each<Readonly<Record<string, string | undefined>>>([
    { "X-Amz-Expires": undefined },
    { "X-Amz-Expires": "604801" },
    { "X-Amz-Expires": "0" },
    { "X-Amz-Expires": "-1" },
    { "X-Amz-Expires": "1e3" },
    { "X-Amz-Expires": "60.5" },
    { "X-Amz-Date": undefined },
    { "X-Amz-Algorithm": "AWS4-HMAC-SHA1" },
    { "X-Amz-Algorithm": undefined },
    { "X-Amz-Credential": undefined },
    { "X-Amz-Credential": "AKIX/20260101/local/shop/aws4_request" },
    { "X-Amz-SignedHeaders": undefined },
    { "X-Amz-SignedHeaders": "x-other" },
    { "X-Amz-Security-Token": "x" },
    { "X-Amz-Content-Sha256": "UNSIGNED-PAYLOAD" },
    { "X-Amz-Content-Sha256": sha256("y") },
  ])("is refused with %j", async (parameters) => {
    const verdict = await verify(presignedRequest({ method: "POST", body: "x" }, parameters)).catch((error: unknown) => error);
    expect(verdict === failure || (verdict as { readonly code?: string }).code === "UNAUTHENTICATED").toBe(true);
  });

  test("is refused with a repeated parameter, and with an unsigned x-amz header", async () => {
    const wire = presignedRequest();
    await accepted(wire);
    await refused({ ...wire, target: `${wire.target}&X-Amz-Expires=60` });
    await refused({ ...wire, target: `${wire.target}&X-Amz-Signature=${"0".repeat(64)}` });
    await refused(presignedRequest({ target: "/users?X-Amz-Expires=60" }));
    await refused({ ...wire, target: wire.target.replace("?", `?X-Amz-Signature=${"0".repeat(64)}&`) });
    await refused({ ...wire, headers: [...wire.headers, "x-amz-meta", "1"] });
  });

  test("is refused together with a signature in Authorization, whichever is right", async () => {
    const wire = presignedRequest();
    await refused({ ...wire, headers: [...wire.headers, ...signedRequest().headers.slice(-2)] });
    await refused(signedRequest({ target: wire.target }));
    await refused(signedRequest({ target: "/users?X-Amz-Signature=" }));
  });
});

describe("a service with the name of S3", () => {
  const s3 = { service: "s3", allowUnsignedPayload: true };

  test("has paths that are signed as they are sent", async () => {
    await accepted(signedRequest({ service: "s3", target: "//a%20b/./c%2Fd" }), s3);
    const wire = signedRequest({ service: "s3", target: "/a" });
    await refused({ ...wire, target: "//a" }, s3);
    await refused({ ...wire, target: "/%zz" }, s3);
  });

  test("has presigned URLs that leave the body unsigned", async () => {
    const wire = presignedRequest({ service: "s3", method: "PUT", body: "x", payloadHash: "UNSIGNED-PAYLOAD" });
    await accepted(wire, s3);
    await refused(wire, { ...s3, allowUnsignedPayload: false });
  });
});

test("a list that was asked for with a signature in its query has links without it", async () => {
  const clock = new FakeClock(signedAt);
  const service = createService({
    resources: [defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } })],
    storage: memoryStorage(),
    logger: false,
    clock,
    auth: [sigv4({ secret: () => ({ secretAccessKey: "secret", principal: { id: "ada" } }), service: "shop", region: "local", clock })],
  });
  for (const text of ["a", "b", "c"]) await service.asSystem().notes.create({ text });
  const { target, headers } = presignedRequest({ target: "/notes?perPage=1&page=2&text[ne]=x" });
  const {
    status,
    json,
    headers: answered,
  } = await clientOf(service)({
    target,
    headers: Object.fromEntries(headers.flatMap((value, index) => (index % 2 === 1 ? [[headers[index - 1], value]] : []))),
  });
  expect([status, json.links]).toEqual([
    200,
    {
      self: "/notes?perPage=1&page=2&text[ne]=x",
      first: "/notes?perPage=1&text[ne]=x&page=1",
      prev: "/notes?perPage=1&text[ne]=x&page=1",
      next: "/notes?perPage=1&text[ne]=x&page=3",
      last: "/notes?perPage=1&text[ne]=x&page=3",
    },
  ]);
  expect(answered["link"]).not.toContain("X-Amz");
  await service.close();
});
