import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Aws4Request, canonicalQuery, canonicalRequest, signedHeaders } from "../../../src/parts/auth/aws4/canonicalRequest.js";
import { aws4Signature, aws4Timestamp, formatScope } from "../../../src/parts/auth/aws4/signature.js";
import { uriEncode } from "../../../src/parts/auth/aws4/uriEncode.js";

const nothing = createHash("sha256").digest("hex");

/** Of the test suite that Amazon publishes for all services. */
describe("the suite of Amazon", () => {
  const timestamp = "20150830T123600Z";
  const scope = { timestamp, region: "us-east-1", service: "service" };
  const headers = { host: "example.amazonaws.com", "x-amz-date": timestamp };
  const vanilla: Aws4Request = { method: "GET", path: "/", query: [], headers, payloadHash: nothing };
  const cases: readonly [string, Partial<Aws4Request>, signature: string][] = [
    ["get-vanilla", {}, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
    [
      "get-vanilla-query-order-key-case",
      {
        query: [
          ["Param2", "value2"],
          ["Param1", "value1"],
        ],
      },
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ],
    ["post-vanilla", { method: "POST" }, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
  ];

  test.each(cases)("%s has the signature that it says", (_name, request, signature) => {
    expect(aws4Signature({ ...vanilla, ...request }, "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", scope)).toBe(signature);
  });
});

test("values of headers are trimmed, and blanks in them are one", () => {
  const request = { method: "GET", path: "/", query: [], headers: { "my-header": "  a   b \t c ", host: "h" }, payloadHash: nothing };
  expect(canonicalRequest(request)).toBe(`GET\n/\n\nhost:h\nmy-header:a b c\n\nhost;my-header\n${nothing}`);
});

test("parameters of one name are in the order of their values, and those that begin alike the shorter first", () => {
  const query = [
    ["a", "2"],
    ["ab", "1"],
    ["a", "10"],
    ["a-", "1"],
    ["é", "ü*"],
  ] as const;
  expect(canonicalQuery(query)).toBe("%C3%A9=%C3%BC%2A&a=10&a=2&a-=1&ab=1");
});

test("only unreserved characters stay as they are", () => {
  expect(uriEncode("AZaz09-._~")).toBe("AZaz09-._~");
  expect(uriEncode("/ +!'()*=&%ü")).toBe("%2F%20%2B%21%27%28%29%2A%3D%26%25%C3%BC");
});

test("a scope names the day, and the headers that are signed are in order", () => {
  const timestamp = aws4Timestamp(Date.UTC(2013, 4, 24, 1, 2, 3, 999));
  expect([timestamp, formatScope({ timestamp, region: "eu-west-1", service: "s3" })]).toEqual([
    "20130524T010203Z",
    "20130524/eu-west-1/s3/aws4_request",
  ]);
  expect(signedHeaders({ headers: { "x-b": "", host: "", "x-a": "" } })).toBe("host;x-a;x-b");
});
