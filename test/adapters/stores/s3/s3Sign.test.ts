// @slow

import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { presignQuery, signRequest } from "../../../../adapters/stores/s3/call/sign.js";
import { type Aws4Request, canonicalQuery } from "../../../../src/parts/auth/aws4/canonicalRequest.js";
import { aws4Timestamp } from "../../../../src/parts/auth/aws4/signature.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const nothing = sha256("");

describe("the examples of Amazon for S3", () => {
  const keys = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" };
  const signing = { keys, region: "us-east-1", nowMs: Date.UTC(2013, 4, 24) };
  const host = "examplebucket.s3.amazonaws.com";
  const storing = { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" };

  const examples: readonly [string, Partial<Aws4Request>, signedHeaders: string, signature: string][] = [
    [
      "GET Object",
      { path: "/test.txt", headers: { host, range: "bytes=0-9" } },
      "host;range;x-amz-content-sha256;x-amz-date",
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    ],
    [
      "PUT Object",
      { method: "PUT", path: "/test%24file.text", headers: { host, ...storing }, payloadHash: sha256("Welcome to Amazon S3.") },
      "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    ],
    [
      "GET Bucket Lifecycle",
      { query: [["lifecycle", ""]] },
      "host;x-amz-content-sha256;x-amz-date",
      "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
    ],
    [
      "GET Bucket (List Objects)",
      {
        query: [
          ["prefix", "J"],
          ["max-keys", "2"],
        ],
      },
      "host;x-amz-content-sha256;x-amz-date",
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    ],
  ];

  test.each(examples)("%s has the signature that they say", (_name, request, signedHeaders, signature) => {
    const signed = signRequest({ method: "GET", path: "/", query: [], headers: { host }, payloadHash: nothing, ...request }, signing);
    expect(signed["authorization"]).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=${signedHeaders}, Signature=${signature}`,
    );
  });

  test("an address for GET has the signature that they say", () => {
    const query = presignQuery({ method: "GET", path: "/test.txt", query: [], headers: { host } }, { ...signing, expiresIn: 86_400 });
    expect(canonicalQuery(query)).toBe(
      "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404&X-Amz-SignedHeaders=host",
    );
  });
});

describe("aws4fetch and this library sign alike", () => {
  const text = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(..."aZ09-_.~ +/&=%$!*'(),;:@ü€😀") });
  const name = fc.stringMatching(/^x-[a-z][a-z0-9-]{0,8}[a-z]$/);
  const value = fc.stringMatching(/^[!-~]( ?[!-~]){0,12}$/);
  const requests = fc.record({
    method: fc.constantFrom("GET", "HEAD", "PUT", "POST", "DELETE"),
    segments: fc.array(fc.stringMatching(/^[A-Za-z0-9_-]{1,10}$/), { minLength: 1, maxLength: 3 }),
    query: fc.uniqueArray(fc.tuple(text, text), { selector: ([one]) => one, maxLength: 4 }),
    headers: fc.dictionary(name, value, { maxKeys: 4 }),
    secretAccessKey: fc.string({ minLength: 1 }),
    sessionToken: fc.option(fc.stringMatching(/^[A-Za-z0-9/+=]{1,40}$/), { nil: undefined }),
    nowMs: fc.integer({ min: 0, max: 4_102_444_800_000 }),
  });

  test("the headers of a request, and an address", async () => {
    const property = fc.asyncProperty(requests, async ({ method, segments, query, headers, secretAccessKey, sessionToken, nowMs }) => {
      const path = `/${segments.join("/")}`;
      const url = `https://s3.example.com${path}?${canonicalQuery(query)}`;
      const keys = { accessKeyId: "AKID", secretAccessKey, sessionToken };
      const signing = { keys, region: "eu-west-1", nowMs };
      const theirs = { method, url, headers, ...keys, service: "s3", region: "eu-west-1", datetime: aws4Timestamp(nowMs), allHeaders: true };
      const options = sessionToken === undefined ? { ...theirs, sessionToken: "" } : { ...theirs, sessionToken };
      const request = { method, path, query, headers: { ...headers, host: "s3.example.com" } };
      const { headers: signed } = await new AwsV4Signer({ ...options, headers: { ...headers, "x-amz-content-sha256": nothing } }).sign();
      expect(signRequest({ ...request, payloadHash: nothing }, signing)["authorization"]).toBe(signed.get("authorization"));
      for (const sent of [{}, headers, { ...headers, "content-type": "text/plain; a=b", "content-length": "5" }]) {
        const presigned = await new AwsV4Signer({ ...options, headers: sent, signQuery: true, url: `${url}&X-Amz-Expires=60` }).sign();
        const ours = presignQuery({ ...request, headers: { ...sent, host: "s3.example.com" } }, { ...signing, expiresIn: 60 });
        expect(new Map(ours).get("X-Amz-Signature")).toBe(presigned.url.searchParams.get("X-Amz-Signature"));
      }
    });
    await fc.assert(property, { numRuns: propertyRuns(200) });
  });
});
