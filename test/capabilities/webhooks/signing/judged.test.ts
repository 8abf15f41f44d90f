import { createHmac, timingSafeEqual } from "node:crypto";
import { memoryStorage } from "restwright/memory";
import { undiciTransport } from "restwright/undici";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, onTestFinished, test } from "vitest";
import { verifyWebhook } from "../../../../src/capabilities/webhooks/signing/verify.js";
import { clientOf } from "../../../tools/client.js";
import { fullService } from "../../../tools/fullService.js";
import { orders, secrets } from "../emissionStage.js";
import { answer, eventually, network, serve } from "../transport/transportSetup.js";

interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: string;
}

/** A service that delivers over https, and one receiver. */
async function setUp() {
  const server = await serve(answer);
  const transport = undiciTransport({ network, lookup: async () => ["127.0.0.1"] });
  const service = fullService({ resources: [orders], storage: memoryStorage(), webhooks: { transport, events: ["report.ready"] }, secrets });
  onTestFinished(() => service.close());
  const send = clientOf(service);
  const url = `https://hooks.test:${server.port}/hook`;
  /** Sends an event and answers what came. */
  const deliver = async (): Promise<Delivery> => {
    const before = server.requests.length;
    await send({ method: "POST", target: "/orders", body: { total: 9.5, currency: "Zoë 😀" } });
    await eventually(() => server.requests.length > before);
    return readRequest(server.requests.at(-1) ?? "");
  };
  const listen = async (secret?: string) => {
    const { json } = await send({ method: "POST", target: "/webhooks", body: { url, events: ["*"], ...(secret !== undefined && { secret }) } });
    return json as { readonly id: string; readonly secret: string; readonly verificationSecret: string };
  };
  const rotate = async (id: string, body: object) => (await send({ method: "POST", target: `/webhooks/${id}/rotate-secret`, body })).json;
  return { deliver, listen, rotate };
}

function readRequest(text: string): Delivery {
  const [head = "", body = ""] = text.split("\r\n\r\n");
  const fields = head.split("\r\n").slice(1);
  const headers = Object.fromEntries(fields.map((field) => [field.slice(0, field.indexOf(":")).toLowerCase(), field.slice(field.indexOf(":") + 2)]));
  return { headers, rawBody: Buffer.from(body, "latin1").toString() };
}

/** As GitHub's own documentation has its webhooks checked. */
function isSignedAsGithub({ headers, rawBody }: Delivery, secret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(rawBody).digest("hex")}`);
  const given = Buffer.from(headers["x-signature"] ?? "");
  return expected.length === given.length && timingSafeEqual(expected, given);
}

const judges = [
  {
    judge: "standardwebhooks",
    believes: (delivery: Delivery, secret: string) => believed(() => new StandardWebhook(secret).verify(delivery.rawBody, { ...delivery.headers })),
  },
  {
    judge: "svix",
    believes: (delivery: Delivery, secret: string) => believed(() => new SvixWebhook(secret).verify(delivery.rawBody, { ...delivery.headers })),
  },
  {
    judge: "our own verifyWebhook",
    believes: (delivery: Delivery, secret: string) => believed(() => verifyWebhook({ ...delivery, secrets: [secret] })),
  },
];

/** The event, `undefined` where it was not believed. */
function believed(verify: () => unknown): unknown {
  try {
    return verify();
  } catch {
    return undefined;
  }
}

const supplied = [undefined, "12345678", "a secret that the client supplied", `whsec_${Buffer.alloc(40, 7).toString("base64")}`];

describe.each(judges)("what $judge says of deliveries over https", ({ believes }) => {
  test.each(supplied)("with the verification secret of the create answer, for the secret %s", async (secret) => {
    const { deliver, listen } = await setUp();
    const { verificationSecret } = await listen(secret);
    const delivery = await deliver();
    const event = { type: "order.created", apiVersion: "2026-01-01", data: { orderId: 1, amount: 9.5, currency: "Zoë 😀" } };
    expect(believes(delivery, verificationSecret)).toMatchObject(event);
    expect(believes({ ...delivery, rawBody: `${delivery.rawBody} ` }, verificationSecret)).toBeUndefined();
    expect(believes({ ...delivery, headers: { ...delivery.headers, "webhook-id": "evt_2" } }, verificationSecret)).toBeUndefined();
  });

  test("after a rotation whose answer was lost, and another one: the secret that the receiver has does, and the new one too", async () => {
    const { deliver, listen, rotate } = await setUp();
    const old = await listen();
    const lost = await rotate(old.id, {});
    const young = await rotate(old.id, {});
    const during = await deliver();
    for (const { verificationSecret } of [old, lost, young]) expect(believes(during, verificationSecret)).toMatchObject({ type: "order.created" });
    expect([old, lost, young].map(({ secret }) => isSignedAsGithub(during, secret))).toEqual([true, false, false]);
  });

  test("during a rotation: both secrets do; after one without an overlap only the new one", async () => {
    const { deliver, listen, rotate } = await setUp();
    const old = await listen();
    const young = await rotate(old.id, {});
    expect(young.verificationSecret).not.toBe(old.verificationSecret);
    const during = await deliver();
    for (const { verificationSecret } of [old, young]) expect(believes(during, verificationSecret)).toMatchObject({ type: "order.created" });
    const last = await rotate(old.id, { secret: "another secret of the client", overlapSeconds: 0 });
    const after = await deliver();
    expect(believes(after, last.verificationSecret)).toMatchObject({ type: "order.created" });
    for (const { verificationSecret } of [old, young]) expect(believes(after, verificationSecret)).toBeUndefined();
  });
});

describe("X-Signature", () => {
  test.each(supplied)("is what a check in GitHub's manner expects, for the secret %s", async (given) => {
    const { deliver, listen } = await setUp();
    const { secret } = await listen(given);
    const delivery = await deliver();
    expect(delivery.headers["x-signature"]).toMatch(/^sha256=[0-9a-f]{64}$/);
    expect(isSignedAsGithub(delivery, secret)).toBe(true);
    expect(isSignedAsGithub({ ...delivery, rawBody: `${delivery.rawBody} ` }, secret)).toBe(false);
  });

  test("stays with the old secret until the overlap is over, since it has room for one", async () => {
    const { deliver, listen, rotate } = await setUp();
    const old = await listen();
    const young = await rotate(old.id, {});
    const during = await deliver();
    expect([isSignedAsGithub(during, old.secret), isSignedAsGithub(during, young.secret)]).toEqual([true, false]);
    const last = await rotate(old.id, { overlapSeconds: 0 });
    const after = await deliver();
    expect([old, young, last].map(({ secret }) => isSignedAsGithub(after, secret))).toEqual([false, false, true]);
  });
});

test("a delivery goes out with these headers and no others", async () => {
  const { deliver, listen } = await setUp();
  await listen();
  const { headers, rawBody } = await deliver();
  const names = ["accept-encoding", "connection", "content-length", "content-type", "host", "user-agent", "webhook-attempt", "webhook-delivery"];
  expect(Object.keys(headers).sort()).toEqual([...names, "webhook-event", "webhook-id", "webhook-signature", "webhook-timestamp", "x-signature"]);
  expect(headers).toMatchObject({
    "content-type": "application/json",
    "accept-encoding": "identity",
    "content-length": String(Buffer.byteLength(rawBody)),
    "user-agent": expect.stringMatching(/^restwright-webhooks\/\d/),
    "webhook-event": "order.created",
    "webhook-attempt": "1",
    "webhook-id": JSON.parse(rawBody).id,
  });
});
