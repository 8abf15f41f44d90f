import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { generateSecret, verificationSecret } from "../../../../src/capabilities/webhooks/signing/secret.js";
import { sign } from "../../../../src/capabilities/webhooks/signing/sign.js";
import { WebhookVerificationError } from "../../../../src/capabilities/webhooks/signing/verificationError.js";
import { type ReceivedWebhook, verifyWebhook } from "../../../../src/capabilities/webhooks/signing/verify.js";
import { ConfigurationError } from "../../../../src/ground/problem/index.js";
import { thrownBy } from "../thrown.js";
import { delivery, published } from "./vectors.js";

const now = delivery.timestamp * 1_000;
const signed = sign(delivery);
const received: ReceivedWebhook = { headers: { ...signed }, rawBody: delivery.body, secrets: delivery.secrets, now };
const event = JSON.parse(delivery.body);

const codeOf = (changes: Partial<ReceivedWebhook>) => {
  const error = thrownBy(() => verifyWebhook({ ...received, ...changes }));
  expect(error).toBeInstanceOf(WebhookVerificationError);
  expect(error).toMatchObject({ status: 401 });
  return (error as WebhookVerificationError).code;
};
const withHeader = (name: string, value: string | readonly string[] | undefined) => ({ headers: { ...signed, [name]: value } });

describe("a delivery", () => {
  test.each(published)("of $source is believed", ({ id, timestamp, body, secret, signature }) => {
    const headers = { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": signature };
    expect(verifyWebhook<unknown>({ headers, rawBody: body, secrets: [secret], now: timestamp * 1_000 })).toEqual(JSON.parse(body));
  });

  test.each([
    ["WHATWG Headers", new Headers({ ...signed })],
    ["the record of node:http", Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]))],
    ["a record of lists", Object.fromEntries(Object.entries(signed).map(([name, value]) => [name, [value]]))],
    ["a record in capitals", Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toUpperCase(), value]))],
    ["a record without a prototype", Object.assign(Object.create(null), signed)],
    ["a record with a header called get", { ...signed, get: "something" }],
  ])("is believed with %s", (_what, headers) => {
    expect(verifyWebhook({ ...received, headers })).toEqual(event);
  });

  test.each([
    ["a text", delivery.body],
    ["a buffer", Buffer.from(delivery.body)],
    ["bytes", new Uint8Array(Buffer.from(delivery.body))],
    ["a view into a larger buffer", new Uint8Array(Buffer.from(`..${delivery.body}..`)).subarray(2, -2)],
  ])("is believed with a body that is %s", (_what, rawBody) => {
    expect(verifyWebhook({ ...received, rawBody })).toEqual(event);
  });

  test("is believed by the system's clock where no other is given", () => {
    const headers = { ...sign({ ...delivery, timestamp: Math.floor(Date.now() / 1_000) }) };
    expect(verifyWebhook({ headers, rawBody: delivery.body, secrets: delivery.secrets })).toEqual(event);
    expect(codeOf({ now: undefined })).toBe("EXPIRED");
  });

  test.each(["webhook-id", "webhook-timestamp", "webhook-signature"])("needs the header %s", (name) => {
    expect(codeOf(withHeader(name, undefined))).toBe("MISSING_HEADER");
    expect(codeOf(withHeader(name, ""))).toBe("MISSING_HEADER");
    expect(codeOf(withHeader(name, []))).toBe("MISSING_HEADER");
    const headers = new Headers({ ...signed });
    headers.delete(name);
    expect(codeOf({ headers })).toBe("MISSING_HEADER");
  });

  test.each([
    "now",
    "-1700000000",
    "+1700000000",
    "1700000000.0",
    " 1700000000",
    "0x6553f100",
    "1e9",
    "1700000000000",
    "1700000000, 1700000000",
    "١",
  ])("with the timestamp %j has a bad one", (timestamp) => {
    expect(codeOf(withHeader("webhook-timestamp", timestamp))).toBe("BAD_TIMESTAMP");
  });

  test.each([
    [-300_000, 300],
    [300_999, 300],
    [0, 0],
    [999, 0],
    [3_600_000, 3_600],
  ])("%i ms old is believed within %i seconds", (ageMs, toleranceSeconds) => {
    expect(verifyWebhook({ ...received, now: now + ageMs, toleranceSeconds })).toEqual(event);
  });

  test.each([
    [301_000, undefined],
    [-300_001, undefined],
    [1_000, 0],
    [-1, 0],
    [11_000, 10],
  ])("%i ms old is too far away for a tolerance of %s seconds", (ageMs, toleranceSeconds) => {
    expect(codeOf({ now: now + ageMs, toleranceSeconds })).toBe("EXPIRED");
  });

  const [, signature = ""] = signed["webhook-signature"].split(",");
  test.each([
    ["no version", signature],
    ["another version", `v2,${signature}`],
    ["a version like it", `v1a,${signature}`],
    ["another separator", `v1.${signature}`],
    ["nothing behind the version", "v1,"],
    ["base64url", `v1,${Buffer.from(signature, "base64").toString("base64url")}`],
    ["hex", `v1,${Buffer.from(signature, "base64").toString("hex")}`],
    ["a character more", `v1,${signature}A`],
    ["a character less", `v1,${signature.slice(0, -1)}`],
    ["the first bytes only", `v1,${signature.slice(0, 8)}`],
    ["another one", `v1,${Buffer.alloc(32).toString("base64")}`],
    ["characters of two bytes", `v1,${"é".repeat(22)}`],
    ["only spaces", "   "],
  ])("with a signature of %s is not believed", (_what, value) => {
    expect(codeOf(withHeader("webhook-signature", value))).toBe("NO_MATCH");
  });

  test.each([
    ["its id", withHeader("webhook-id", "evt_other")],
    ["its time", withHeader("webhook-timestamp", "1700000001")],
    ["its body", { rawBody: `${delivery.body} ` }],
    ["the secret", { secrets: [generateSecret()] }],
    ["where id ends and time begins", { headers: { ...signed, "webhook-id": `${delivery.id}.1`, "webhook-timestamp": "700000000" }, now: 7e11 }],
  ])("is not believed when somebody has changed %s", (_what, changes) => {
    expect(codeOf(changes)).toBe("NO_MATCH");
  });

  test("is believed when any of its signatures was made with any of the secrets", () => {
    const [young, old] = [generateSecret(), generateSecret()];
    const both = { ...sign({ ...delivery, secrets: [young, old] }) };
    for (const secrets of [[young], [old], [generateSecret(), old], [old, young]]) {
      expect(verifyWebhook({ ...received, headers: both, secrets })).toEqual(event);
    }
    const others = `v1a,AAAA v2,${signature} nonsense ${signed["webhook-signature"]}`;
    expect(verifyWebhook({ ...received, ...withHeader("webhook-signature", others) })).toEqual(event);
    expect(verifyWebhook({ ...received, ...withHeader("webhook-signature", ["v1,AAAA", signed["webhook-signature"]]) })).toEqual(event);
  });

  test.each(["12345678", "x".repeat(256)])("is believed with the whsec_ form of the supplied secret %s", (secret) => {
    const headers = { ...sign({ ...delivery, secrets: [secret] }) };
    expect(verifyWebhook({ ...received, headers, secrets: [verificationSecret(secret)] })).toEqual(event);
  });

  test.each(["", "no JSON", "\ufeff{}"])("whose body %j was signed and is no JSON is not believed", (body) => {
    expect(codeOf({ headers: { ...sign({ ...delivery, body }) }, rawBody: body })).toBe("MALFORMED_BODY");
  });

  test("of no sense at all throws nothing but what it should", () => {
    const value = fc.oneof(fc.string(), fc.constantFrom("1700000000", "v1,", "sha256="), fc.array(fc.string()), fc.constant(undefined));
    const headers = fc.dictionary(fc.constantFrom("webhook-id", "Webhook-Timestamp", "webhook-signature", "x-signature", "__proto__"), value);
    fc.assert(
      fc.property(headers, fc.string(), fc.constantFrom("webhook-signature" as const, "x-signature" as const), (random, rawBody, mode) => {
        expect(thrownBy(() => verifyWebhook({ ...received, headers: random, rawBody, mode }))).toBeInstanceOf(WebhookVerificationError);
      }),
      { seed: 3 },
    );
  });
});

describe("a receiver's mistake", () => {
  test.each([
    ["a parsed body", { rawBody: event }],
    ["no secret", { secrets: [] }],
    ["an empty secret", { secrets: [""] }],
    ["a secret that is undefined", { secrets: [undefined as unknown as string] }],
    ["an empty secret for X-Signature", { secrets: [""], mode: "x-signature" as const, headers: { "X-Signature": "sha256=" } }],
    ["a broken secret", { secrets: ["whsec_broken!"] }],
    ["a tolerance that is no number", { toleranceSeconds: Number.NaN }],
    ["a tolerance below zero", { toleranceSeconds: -1 }],
    ["endless tolerance", { toleranceSeconds: Number.POSITIVE_INFINITY }],
    ["a time that is none", { now: Number.NaN }],
    ["an unknown mode", { mode: "none" as "x-signature" }],
  ])("is told apart from a forgery: %s", (_what, changes) => {
    expect(() => verifyWebhook({ ...received, ...changes })).toThrow(ConfigurationError);
  });
});

describe("the mode x-signature", () => {
  const mode = "x-signature";
  const { "X-Signature": header } = signed;
  const only = { headers: { "X-Signature": header }, mode } as const;

  test("asks for that header alone, at any time", () => {
    expect(verifyWebhook({ ...received, ...only, now: 0 })).toEqual(event);
    expect(verifyWebhook({ ...received, ...only, secrets: [generateSecret(), ...delivery.secrets] })).toEqual(event);
    expect(codeOf({ headers: { ...signed, "X-Signature": undefined }, mode })).toBe("MISSING_HEADER");
  });

  test("is not what is done unless it is asked for", () => {
    expect(codeOf({ headers: { "X-Signature": header } })).toBe("MISSING_HEADER");
  });

  test.each([
    header.slice("sha256=".length),
    header.toUpperCase(),
    header.replace("sha256", "sha1"),
    `${header}0`,
    header.slice(0, -1),
    `${header}, ${header}`,
    `sha256=${"0".repeat(64)}`,
  ])("does not believe %s", (value) => {
    expect(codeOf({ headers: { "x-signature": value }, mode })).toBe("NO_MATCH");
  });

  test("does not believe another body or another secret, nor the whsec_ form of one", () => {
    expect(codeOf({ ...only, rawBody: "{}" })).toBe("NO_MATCH");
    expect(codeOf({ ...only, secrets: ["another secret"] })).toBe("NO_MATCH");
    expect(codeOf({ ...only, secrets: delivery.secrets.map(verificationSecret) })).toBe("NO_MATCH");
  });
});

describe("the error", () => {
  test("is known by its brand, so that two copies of the package agree", () => {
    const foreign = Object.assign(new Error("from another copy"), { [Symbol.for("restwright.WebhookVerificationError")]: true });
    expect(foreign).toBeInstanceOf(WebhookVerificationError);
    expect(new Error("another")).not.toBeInstanceOf(WebhookVerificationError);
  });
});
