import { createHmac } from "node:crypto";
import { createService } from "restwright";
import { memoryStorage } from "restwright/memory";
import { undiciTransport } from "restwright/undici";
import { createSecretBox, serializeEvent, type Transport, webhooks } from "restwright/webhooks";
import { Agent } from "undici";
import { deliveryRequest } from "../../src/capabilities/webhooks/delivery/deliveryRequest.js";
import { send } from "../../src/capabilities/webhooks/delivery/send.js";
import { eventVersions } from "../../src/capabilities/webhooks/events/eventVersions.js";
import { rememberingBox } from "../../src/ground/secrets/secretBox.js";
import { requestOf, sendBare } from "./bareDispatch.js";
import { eventData, eventType, secret } from "./delivery.js";
import { webhookTo } from "./webhookTo.js";

/** One way to send events. */
export interface Sender {
  readonly name: string;
  /** Sends an event so many times, and resolves when all have been answered with 200. */
  send(times: number): Promise<void>;
  close(): Promise<void>;
}

/** What a sender is to reach. */
export interface Target {
  readonly url: string;
  /** PEM of the receiver's authority. */
  readonly ca: string;
  readonly concurrency: number;
}

export const senderNames = {
  transport: "restwright, an attempt",
  service: "restwright, emit to record",
  undici: "undici dispatch",
  fetch: "fetch",
} as const;

const event = serializeEvent({
  ulid: "01JZZZZZZZZZZZZZZZZZZZZZZZ",
  type: eventType,
  now: Date.UTC(2026, 0, 1),
  apiVersion: "2026-01-01",
  data: eventData,
});
const body = Buffer.from(event.body);

export function createSenders(target: Target): readonly Sender[] {
  return [transportSender(target), undiciSender(target), fetchSender(target), serviceSender(target)];
}

/** One attempt without a store: the secret is opened, the event signed and sent. */
function transportSender({ url, ca, concurrency }: Target): Sender {
  const transport = loopbackTransport(ca);
  const box = rememberingBox(createSecretBox([secret]));
  const settings = { box, userAgent: "restwright-webhooks/1", versions: eventVersions("2026-01-01", {}) };
  const webhook = webhookTo(url, box.seal(secret, "wh_1"));
  const stored = { id: event.id, type: event.type, tenant: undefined, createdAt: new Date(event.createdAt), body };
  const one = async () => {
    const request = await deliveryRequest({ deliveryId: "dlv_1", event: stored, webhook, attempt: 1 }, settings, Date.now());
    requireOk((await send({ transport, network: transport.network }, webhook, request)).status);
  };
  return { name: senderNames.transport, send: (times) => atOnce(times, concurrency, one), close: () => transport.close() };
}

/** The same bytes over an Agent, and nothing else: no guard of addresses, no deadline of its own, no body kept. */
function undiciSender({ url, ca, concurrency }: Target): Sender {
  const agent = new Agent({ connect: { ca }, connections: concurrency, pipelining: 1, allowH2: false });
  const place = new URL(url);
  const one = async () => requireOk(await sendBare(agent, place, signedByHand(), body));
  return { name: senderNames.undici, send: (times) => atOnce(times, concurrency, one), close: () => agent.close() };
}

/** Trusts the receiver by NODE_EXTRA_CA_CERTS. */
function fetchSender({ url, concurrency }: Target): Sender {
  const one = async () => {
    const response = await fetch(url, { method: "POST", headers: requestOf(signedByHand()), body, redirect: "manual" });
    await response.arrayBuffer();
    requireOk(response.status);
  };
  return { name: senderNames.fetch, send: (times) => atOnce(times, concurrency, one), close: async () => undefined };
}

/** All that a service does for an event, on a store that costs next to nothing. */
function serviceSender({ url, ca, concurrency }: Target): Sender {
  const storage = memoryStorage();
  const use = [webhooks({ transport: loopbackTransport(ca), events: [eventType], perWebhook: concurrency })] as const;
  const service = createService({ resources: [], storage, use, secrets: [secret] });
  const { deliveries } = storage;
  const started = service.start().then(async () => {
    const sealed = createSecretBox([secret]).seal(secret, "wh_1");
    await storage.webhooks?.create({ id: "wh_1", tenant: undefined, owner: "bench", url, events: ["*"], secret: sealed, secretHint: "" });
  });
  let sent = 0;
  return {
    name: senderNames.service,
    async send(times) {
      await started;
      sent += times;
      for (let turn = 0; turn < times; turn++) await service.emit({ type: eventType, data: eventData });
      for (;;) {
        const counts = await deliveries?.counts("wh_1");
        if (counts?.succeeded === sent) return;
        if (counts === undefined || counts.dead > 0) throw new Error("A delivery failed.");
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    close: () => service.close(),
  };
}

function loopbackTransport(ca: string): Transport {
  return undiciTransport({ network: { allowHosts: ["localhost"], ca } });
}

const key = Buffer.from(secret.slice("whsec_".length), "base64");

function signedByHand(): Readonly<Record<string, string>> {
  const timestamp = Math.floor(Date.now() / 1_000);
  const v1 = createHmac("sha256", key).update(`${event.id}.${timestamp}.`).update(body).digest("base64");
  return {
    "webhook-id": event.id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${v1}`,
    "x-signature": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    "webhook-event": event.type,
    "webhook-delivery": "dlv_1",
    "webhook-attempt": "1",
  };
}

async function atOnce(times: number, concurrency: number, one: () => Promise<void>): Promise<void> {
  let left = times;
  const lane = async () => {
    while (left-- > 0) await one();
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
}

function requireOk(status: number | undefined): void {
  if (status !== 200) throw new Error(`The receiver answered ${String(status)}.`);
}
