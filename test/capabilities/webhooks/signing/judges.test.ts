import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, test } from "vitest";
import { generateSecret, verificationSecret } from "../../../../src/capabilities/webhooks/signing/secret.js";
import { sign } from "../../../../src/capabilities/webhooks/signing/sign.js";
import { verifyWebhook } from "../../../../src/capabilities/webhooks/signing/verify.js";
import { delivery } from "./vectors.js";

// The public verifiers read the system's clock.
const timestamp = Math.floor(Date.now() / 1_000);
const body = `{"id":"evt_1","type":"order.created","data":{"name":"Zoë 😀"}}`;
const event = JSON.parse(body);
const now = { ...delivery, timestamp, body };

const judges = [
  { judge: "standardwebhooks", Webhook: StandardWebhook },
  { judge: "svix", Webhook: SvixWebhook },
];
const generated = generateSecret();
const secrets = [generated, "12345678", "My shared secret", "~ printable !", "x".repeat(256), `whsec_${Buffer.alloc(64, 7).toString("base64")}`];

describe.each(judges)("the public verifier $judge", ({ Webhook }) => {
  test.each(secrets)("believes what was signed with %s", (secret) => {
    const headers = { ...sign({ ...now, secrets: [secret] }) };
    expect(new Webhook(verificationSecret(secret)).verify(body, headers)).toEqual(event);
    expect(new Webhook(verificationSecret(secret)).verify(Buffer.from(body), headers)).toEqual(event);
  });

  test("believes with either secret of a rotation", () => {
    const [young, old] = [generateSecret(), "supplied by the client"];
    const headers = { ...sign({ ...now, secrets: [young, old] }) };
    for (const secret of [young, old]) expect(new Webhook(verificationSecret(secret)).verify(body, headers)).toEqual(event);
    expect(() => new Webhook(generated).verify(body, headers)).toThrow("No matching signature found");
  });

  test("does not believe another body or an old time", () => {
    const headers = { ...sign({ ...now, secrets: [generated] }) };
    expect(() => new Webhook(generated).verify(`${body} `, headers)).toThrow("No matching signature found");
    const old = { ...sign({ ...now, timestamp: timestamp - 301, secrets: [generated] }) };
    expect(() => new Webhook(generated).verify(body, old)).toThrow("Message timestamp too old");
  });

  test.each(secrets)("signs what we believe, with %s", (secret) => {
    const signature = new Webhook(verificationSecret(secret)).sign(now.id, new Date(timestamp * 1_000), body);
    const headers = { "webhook-id": now.id, "webhook-timestamp": String(timestamp), "webhook-signature": signature };
    expect(verifyWebhook({ headers, rawBody: body, secrets: [secret] })).toEqual(event);
  });
});
