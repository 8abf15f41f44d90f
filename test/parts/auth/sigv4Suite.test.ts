import { describe, expect, test } from "vitest";
import { ProblemError } from "../../../src/ground/problem/index.js";
import { sigv4 } from "../../../src/parts/auth/index.js";
import { failure } from "../../../src/parts/auth/verifier.js";
import { FakeClock } from "../../../src/testing/clock.js";
import { sentRequest, type WireRequest } from "./sentRequest.js";

/** A case of the suite; headers besides Host and the date, name by name. */
interface SuiteCase {
  readonly name: string;
  readonly method?: string;
  readonly target?: string;
  readonly headers?: readonly string[];
  /** The names of the headers that are signed, in addition to `host`. */
  readonly signed?: readonly string[];
  readonly body?: string;
  readonly token?: string;
  readonly signature: string;
  /** The signature of the same request in the query. */
  readonly querySignature: string;
}

const shortToken = "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267";
const longToken =
  "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";
const unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** UTF-8 that is not percent-encoded, as Node passes it on. */
const raw = (text: string) => Buffer.from(text).toString("latin1");
const vanilla = {
  signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  querySignature: "e93c787ed7f371d5c6b165c1b38ede9550f4dce4144713e844b25b7192d3865d",
};
const posted = {
  signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
  querySignature: "2ce6e6d2e0cf2f9d1b55fafec88cd20574c31dc2e7631979f71ba2310083e95b",
};
const form = { body: "Param1=value1", signed: ["content-length", "content-type"] };

/**
 * The test suite of Signature Version 4, as aws-c-auth publishes it (tests/aws-signing-test-suite/v4). Left out:
 *
 * - `get-space-*`: a space in a target cannot be sent.
 * - `get-header-value-multiline`: folded headers are invalid in HTTP (RFC 9112 §5.2).
 * - `*-unnormalized`: their signer does not resolve paths, as only that of S3 does; they are refused, see the last test.
 * - `post-sts-header-after`: its token is not signed; see "refuses a token that is not signed".
 */
const suite: readonly SuiteCase[] = [
  { name: "get-vanilla", ...vanilla },
  { name: "get-vanilla-query", ...vanilla },
  { name: "get-relative-normalized", target: "/example/..", ...vanilla },
  { name: "get-relative-relative-normalized", target: "/example1/example2/../..", ...vanilla },
  { name: "get-slash-normalized", target: "//", ...vanilla },
  { name: "get-slash-dot-slash-normalized", target: "/./", ...vanilla },
  {
    name: "get-slash-pointless-dot-normalized",
    target: "/./example",
    signature: "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5",
    querySignature: "35034b1a0bdd969f346975386daf8aedfd4976573b8348cf4f67eaa41c5857de",
  },
  {
    name: "get-slashes-normalized",
    target: "//example//",
    signature: "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84",
    querySignature: "c1834e8fb0307243711f0f907f6ab7311ed300d87f13792d7ee4da89ab93e082",
  },
  {
    name: "get-unreserved",
    target: `/${unreserved}`,
    signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
    querySignature: "95968482db1b9e0fadef6efc1bd24689f77c77d9ef56919c96a28cc92e0d6005",
  },
  {
    name: "get-utf8",
    target: raw("/ሴ"),
    signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
    querySignature: "10eae3f14a260bd3911cc6d008d3c576d143b05b62f09782a7a4b37f52178e44",
  },
  {
    name: "get-vanilla-empty-query-key",
    target: "/?Param1=value1",
    signature: "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb",
    querySignature: "49096700cbbaa5753443850f40df10f904fc2fdb544dc9512203cc77c471a9de",
  },
  {
    name: "get-vanilla-query-order-encoded",
    target: "/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1",
    signature: "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac",
    querySignature: "c5f1848ceec943ac2ca68ee720460c23aaae30a2300586597ada94c4a65e4787",
  },
  {
    name: "get-vanilla-query-order-key-case",
    target: "/?Param2=value2&Param1=value1",
    signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    querySignature: "86012e2c9ad4d77369f5d81c11f75158aae4f895a085212cc6d3f923d300bed5",
  },
  {
    name: "get-vanilla-query-unreserved",
    target: `/?${unreserved}=${unreserved}`,
    signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197",
    querySignature: "8e76a88a7433637b12778d5592799b29ad21ecd6cf6325051c21d86f0acda2bf",
  },
  {
    name: "get-vanilla-utf8-query",
    target: raw("/?ሴ=bar"),
    signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
    querySignature: "0bdd809b1519ac4f0c1dc3540e2cc46bd0c7f778eda408b2ebf3b913d21ff600",
  },
  {
    name: "get-vanilla-with-session-token",
    token: shortToken,
    signature: "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8",
    querySignature: "7ff2b50b376cb4d151970630573d6291dc128cc5c2a12ffb237f73cc53f67b6c",
  },
  {
    name: "get-header-key-duplicate",
    headers: ["My-Header1", "value2", "My-Header1", "value2", "My-Header1", "value1"],
    signed: ["my-header1"],
    signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea",
    querySignature: "3349ee0b81b4b589da0ff28a395c3591e04de515651dd74f298fa992d1507a97",
  },
  {
    name: "get-header-value-order",
    headers: ["My-Header1", "value4", "My-Header1", "value1", "My-Header1", "value3", "My-Header1", "value2"],
    signed: ["my-header1"],
    signature: "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01",
    querySignature: "313720e71ca6202fdcfa9b20f88de01a4eb0638a83c833b1c184359a4eda864e",
  },
  {
    name: "get-header-value-trim",
    headers: ["My-Header1", " value1", "My-Header2", ' "a   b   c"'],
    signed: ["my-header1", "my-header2"],
    signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
    querySignature: "e7bb0fd515e125e1aec2ecc4c0c17484fb06f6846b927c35e46005dd3df3acd4",
  },
  { name: "post-vanilla", method: "POST", ...posted },
  { name: "post-header-key-case", method: "POST", ...posted },
  {
    name: "post-header-key-sort",
    method: "POST",
    headers: ["My-Header1", "value1"],
    signed: ["my-header1"],
    signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c",
    querySignature: "c09d07e0d55871f10f2a6d350d994acf6825a3cae70673d7def55616e6119dd7",
  },
  {
    name: "post-header-value-case",
    method: "POST",
    headers: ["My-Header1", "VALUE1"],
    signed: ["my-header1"],
    signature: "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d",
    querySignature: "0698bc9e4f7f9139065ba2909c0e99da257e8e2a42492a097bcd46d792391fed",
  },
  {
    name: "post-sts-header-before",
    method: "POST",
    token: longToken,
    signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
    querySignature: "46c2e3c63c1dbe7d39f8ada16fe7f001c1f56c5791441565323677f96308871c",
  },
  {
    name: "post-vanilla-query, post-vanilla-empty-query-value",
    method: "POST",
    target: "/?Param1=value1",
    signature: "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11",
    querySignature: "a9ef26247f293bffe40eeff86a0480ba8c14d31503b2e0c3399e3a16bf1a3682",
  },
  {
    name: "post-x-www-form-urlencoded",
    method: "POST",
    headers: ["Content-Type", "application/x-www-form-urlencoded", "Content-Length", "13"],
    ...form,
    signature: "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b",
    querySignature: "89a40deed0f26f9461242825a082d2222717248abc7ab41f552ad84a94ad46e9",
  },
  {
    name: "post-x-www-form-urlencoded-parameters",
    method: "POST",
    headers: ["Content-Type", "application/x-www-form-urlencoded; charset=utf-8", "Content-Length", "13"],
    ...form,
    signature: "328d1b9eaadca9f5818ef05e8392801e091653bafec24fcab71e7344e7f51422",
    querySignature: "0dbeb9b026c7b6675f266b8427efec9b4fa8b1f6ef1477d717aea231106eab4d",
  },
];

const timestamp = "20150830T123600Z";
const scope = "20150830/us-east-1/service/aws4_request";
const bodyHash = "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e";
const principal = { id: "example" };

/** The request of a case, with its signature in Authorization. */
function inHeader({ method = "GET", target = "/", headers = [], signed = [], body, token, signature }: SuiteCase): WireRequest {
  const hash = body === undefined ? [] : ["x-amz-content-sha256", bodyHash];
  const session = token === undefined ? [] : ["X-Amz-Security-Token", token];
  const names = ["host", "x-amz-date", ...signed, ...[...hash, ...session].filter((_, index) => index % 2 === 0)];
  const list = names.map((name) => name.toLowerCase()).sort();
  const authorization = `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${scope}, SignedHeaders=${list.join(";")}, Signature=${signature}`;
  const dated = ["Host", "example.amazonaws.com", "X-Amz-Date", timestamp];
  return { method, target, headers: [...dated, ...headers, ...hash, ...session, "Authorization", authorization], body };
}

/** The same request as a presigned URL. */
function inQuery({ method = "GET", target = "/", headers = [], signed = [], body, token, querySignature }: SuiteCase): WireRequest {
  const parameters = [
    "X-Amz-Algorithm=AWS4-HMAC-SHA256",
    `X-Amz-Credential=${encodeURIComponent(`AKIDEXAMPLE/${scope}`)}`,
    `X-Amz-Date=${timestamp}`,
    `X-Amz-SignedHeaders=${encodeURIComponent([...signed, "host"].sort().join(";"))}`,
    "X-Amz-Expires=3600",
    ...(token === undefined ? [] : [`X-Amz-Security-Token=${encodeURIComponent(token)}`]),
    `X-Amz-Signature=${querySignature}`,
  ];
  const url = `${target}${target.includes("?") ? "&" : "?"}${parameters.join("&")}`;
  return { method, target: url, headers: ["Host", "example.amazonaws.com", ...headers], body };
}

/** Whether the request is accepted with its body. */
async function accepts({ token }: SuiteCase, wire: WireRequest): Promise<boolean> {
  const verifier = sigv4({
    secret: (id) => (id === "AKIDEXAMPLE" ? { secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", principal, sessionToken: token } : null),
    service: "service",
    region: "us-east-1",
    clock: new FakeClock(Date.UTC(2015, 7, 30, 12, 36)),
  });
  try {
    const verdict = await verifier.verify(sentRequest(wire).request);
    if (verdict === principal) return true;
    expect([failure, null]).toContain(verdict);
  } catch (error) {
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({ code: "UNAUTHENTICATED" });
  }
  return false;
}

/** The text with one letter or digit changed: each in a short text, every nineteenth in a long one. */
function flips(text: string): readonly string[] {
  const places = [...text].flatMap((character, index) => (/[a-z0-9]/i.test(character) ? [index] : []));
  const tried = places.length < 30 ? places : places.filter((_, number) => number % 19 === 0 || number === places.length - 1);
  return tried.map((index) => text.slice(0, index) + String.fromCharCode(text.charCodeAt(index) ^ 1) + text.slice(index + 1));
}

/** Every request that differs from the one that was signed by one character. */
function changed(wire: WireRequest): readonly WireRequest[] {
  const { method, target, headers, body } = wire;
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? "" : target.slice(mark);
  // A changed name in a part of the path that `..` removes is the same path.
  const paths = path.includes("..") ? [`${path}x`] : [`${path}x`, ...flips(path)];
  const sentHeaders = headers.map((_, index) => index).filter((index) => index % 2 === 1);
  return [
    ...flips(method).map((each) => ({ ...wire, method: each })),
    ...paths.map((each) => ({ ...wire, target: each + query })),
    ...flips(query).map((each) => ({ ...wire, target: path + each })),
    ...sentHeaders.flatMap((index) => flips(headers[index] ?? "").map((each) => ({ ...wire, headers: headers.with(index, each) }))),
    ...flips(body === undefined ? "" : String(body)).map((each) => ({ ...wire, body: each })),
  ];
}

describe.each(suite)("$name of the suite of Amazon", (each) => {
  test("is accepted in headers and in a query", async () => {
    expect(await accepts(each, inHeader(each))).toBe(true);
    expect(await accepts(each, inQuery(each))).toBe(true);
  });

  test("is refused if one character of it is changed", async () => {
    const accepted: WireRequest[] = [];
    for (const wire of [...changed(inHeader(each)), ...changed(inQuery(each))]) if (await accepts(each, wire)) accepted.push(wire);
    expect(accepted).toEqual([]);
  });
});

test("a token that is not signed is refused (post-sts-header-after)", async () => {
  const each = { name: "", method: "POST", ...posted } as const;
  const wire = inHeader(each);
  expect(await accepts({ ...each, token: longToken }, { ...wire, headers: [...wire.headers, "X-Amz-Security-Token", longToken] })).toBe(false);
});

test("paths that were signed as they are, are refused (the cases *-unnormalized)", async () => {
  const cases = [
    ["/example/..", "eca7ead57bb5aa5c8e28007acd4ff04e1ff9a0ff3b237ec1554a184887ff9282"],
    ["/example1/example2/../..", "dc33e0856fd4baca4d7aa2146c38958283844764f38c74252a333df5e613003b"],
    ["/./", "68714168e6557f8f2de0ef956fc24dc2593a4bd2961f8df51898d8a134695145"],
    ["/./example", "beb03f223f7deae4146464f06e29eebbee9c8afbe15c290cf07aa8b119e14cff"],
    ["//", "c88bcd3d312d75078c0cd961d6deae3f4c754924b01669efcfcb439fd5e5b76e"],
    ["//example//", "87cca117541a147f6df867677d98a7d80dff226d2bfca9e4ffa899665623c7e5"],
  ] as const;
  for (const [target, signature] of cases) {
    const each = { name: "", target, signature, querySignature: "" };
    expect(await accepts(each, inHeader(each))).toBe(false);
  }
});
