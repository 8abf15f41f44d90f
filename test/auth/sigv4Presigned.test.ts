import { describe, expect, test } from "vitest";
import { failure } from "../../src/auth/verifier.js";
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
