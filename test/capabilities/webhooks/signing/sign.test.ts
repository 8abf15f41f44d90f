import { createHmac, timingSafeEqual } from "node:crypto";
import { describe, expect, test } from "vitest";
import { generateSecret } from "../../../../src/capabilities/webhooks/signing/secret.js";
import { sign } from "../../../../src/capabilities/webhooks/signing/sign.js";
import { ConfigurationError } from "../../../../src/ground/problem/index.js";
import { delivery, published } from "./vectors.js";

describe("a signed delivery", () => {
  test.each(published)("has the signature that $source publishes", ({ id, timestamp, body, secret, signature }) => {
    expect(sign({ id, timestamp, body, secrets: [secret] })).toMatchObject({
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signature,
    });
  });

  test("has the same signatures for a text and for its bytes", () => {
    const body = `{"name":"Zoë 😀"}`;
    expect(sign({ ...delivery, body })).toEqual(sign({ ...delivery, body: Buffer.from(body) }));
    const inside = Buffer.from(`....${body}....`).subarray(4, -4);
    expect(sign({ ...delivery, body: new Uint8Array(inside) })).toEqual(sign({ ...delivery, body }));
  });

  test("has one signature a secret, newest first, and that of the body by the oldest", () => {
    const [newest, middle, oldest] = [generateSecret(), "supplied by a client", generateSecret()];
    const alone = (secret: string) => sign({ ...delivery, secrets: [secret] });
    const all = sign({ ...delivery, secrets: [newest, middle, oldest] });
    expect(all["webhook-signature"]).toBe([newest, middle, oldest].map((secret) => alone(secret)["webhook-signature"]).join(" "));
    expect(all["X-Signature"]).toBe(alone(oldest)["X-Signature"]);
    expect(all["X-Signature"]).not.toBe(alone(newest)["X-Signature"]);
  });

  test("has another signature for another id, time, body or secret, and another X-Signature for the last two alone", () => {
    const deliveries = [delivery, { ...delivery, id: "evt_other" }, { ...delivery, timestamp: 1_700_000_001 }];
    const changed = [...deliveries, { ...delivery, body: "{ }" }, { ...delivery, secrets: [generateSecret()] }].map(sign);
    expect(new Set(changed.map((headers) => headers["webhook-signature"])).size).toBe(5);
    expect(new Set(changed.map((headers) => headers["X-Signature"])).size).toBe(3);
  });

  test.each(["", "evt.1", "evt 1", "evt_1\n", "evt_ü", "x".repeat(129)])("cannot have the id %j", (id) => {
    expect(() => sign({ ...delivery, id })).toThrow(ConfigurationError);
  });

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1_000_000_000_000])("cannot have the time %d", (timestamp) => {
    expect(() => sign({ ...delivery, timestamp })).toThrow(ConfigurationError);
  });

  test.each([[[]], [[""]], [["whsec_"]], [["whsec_no base64"]]])("cannot be signed with %j", (secrets) => {
    expect(() => sign({ ...delivery, secrets })).toThrow(ConfigurationError);
  });
});

describe("X-Signature", () => {
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries, "Testing the webhook payload validation"
  test("has the value that GitHub publishes", () => {
    const signed = sign({ ...delivery, body: "Hello, World!", secrets: ["It's a Secret to Everybody"] });
    expect(signed["X-Signature"]).toBe("sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17");
  });

  /** What receivers of GitHub's webhooks have, written by hand. */
  function isFromSender(header: string, secret: string, rawBody: Buffer): boolean {
    const [scheme, hex = ""] = header.split("=");
    const expected = createHmac("sha256", secret).update(rawBody).digest();
    const given = Buffer.from(hex, "hex");
    return scheme === "sha256" && given.length === expected.length && timingSafeEqual(given, expected);
  }

  test.each([generateSecret(), "My shared secret", "short, 8"])("is taken by a verifier in GitHub's manner, which knows %s", (secret) => {
    const rawBody = Buffer.from(`{"name":"Zoë"}`);
    const { "X-Signature": header } = sign({ ...delivery, body: rawBody, secrets: [secret] });
    expect(isFromSender(header, secret, rawBody)).toBe(true);
    expect(isFromSender(header, secret, Buffer.from(`{"name":"Zoe"}`))).toBe(false);
    expect(isFromSender(header, `${secret} `, rawBody)).toBe(false);
  });

  test("stays right for a receiver that has not learnt the new secret of a rotation", () => {
    const [young, old] = [generateSecret(), "the receiver's own"];
    const body = Buffer.from("{}");
    expect(isFromSender(sign({ ...delivery, body, secrets: [young, old] })["X-Signature"], old, body)).toBe(true);
    expect(isFromSender(sign({ ...delivery, body, secrets: [young] })["X-Signature"], old, body)).toBe(false);
  });
});
