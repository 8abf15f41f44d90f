// @long

import { spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:https";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { sign } from "restwright/webhooks";
import { describe, expect, onTestFinished, test } from "vitest";
import { fixture } from "../../capabilities/webhooks/transport/transportServer.js";
import { hosts, type ShopProcess, startShop } from "../shop/shopProcess.js";
import { clientOf, untilAnswer } from "./webhookShopClient.js";
import { loopback } from "./webhookShopReceiver.js";

const main = fileURLToPath(new URL("../../../examples/webhook-receiver/main.ts", import.meta.url));
const fixturePath = (name: string) => fileURLToPath(new URL(`../../capabilities/webhooks/transport/fixtures/${name}`, import.meta.url));
const secret = "a secret between us two";

interface Receiver {
  readonly url: string;
  /** What it printed for events that it took. */
  readonly lines: readonly string[];
}

/** The example as a user starts it, with a certificate for localhost. */
async function startReceiver(host: string): Promise<Receiver> {
  const child = spawn(process.execPath, ["--import", "tsx", main, "--host", host], {
    env: { ...process.env, PORT: "0", WEBHOOK_SECRET: secret, TLS_CERT: fixturePath("server.pem"), TLS_KEY: fixturePath("server.key") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill());
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout });
  const [announced] = (await once(output, "line")) as [string];
  output.on("line", (line) => lines.push(line));
  const url = / at (https:\S+)$/.exec(announced)?.[1];
  if (url === undefined) throw new Error(`The receiver printed "${announced}".`);
  return { url, lines };
}

async function deliver(url: string, body: string, headers: Readonly<Record<string, string>>) {
  const outgoing = request(url, { method: "POST", ca: fixture("ca.pem"), headers: { "content-type": "application/json", ...headers } });
  outgoing.end(body);
  const [response] = await once(outgoing, "response");
  const text = Buffer.concat(await response.toArray()).toString();
  return { status: response.statusCode as number, text };
}

/** An event of ours; the spaces would not survive being parsed and written again. */
const body = `{ "id": "evt_own", "type": "order.created",  "data": { "name": "Zoë" } }`;
const signed = (ageSeconds = 0, id = "evt_own") => ({
  ...sign({ id, timestamp: Math.floor(Date.now() / 1_000) - ageSeconds, body, secrets: [secret] }),
});

async function deliverFromShop(shop: ShopProcess, { url, lines }: Receiver): Promise<void> {
  const send = clientOf(shop.origin);
  const { id } = (await send("POST", "/webhooks", { url, events: ["order.created"], secret })).body;
  await send("POST", "/users", { name: "Ada", email: "ada@example.com" });
  await send("POST", "/orders", { customerId: 1, total: 5, currency: "EUR" });
  const log = () => send("GET", `/webhooks/${id}/deliveries`);
  const { data } = await untilAnswer(log, (list) => list.data[0]?.status === "succeeded");
  const [delivery] = data;
  expect(lines).toEqual([`order.created ${delivery?.eventId} {"orderId":1,"amount":5,"currency":"EUR"}`]);

  expect((await send("POST", `/webhooks/${id}/deliveries/${delivery?.id}/replay`)).status).toBe(202);
  const replayed = await untilAnswer(log, (list) => list.data.length === 2 && list.data.every(({ status }) => status === "succeeded"));
  const [again] = replayed.data;
  expect((await send("GET", `/webhooks/${id}/deliveries/${again?.id}`)).body.attempts).toMatchObject([{ status: 200, body: "known\n" }]);
}

describe.each(hosts)("examples/webhook-receiver on %s", (host) => {
  test("takes each event of the shop once, and refuses what is old, changed or not signed", async () => {
    const [receiver, shop] = await Promise.all([startReceiver(host), startShop("fastify", { ...loopback, DATA_DIR: ":memory:" })]);
    onTestFinished(async () => void (await shop.stop("SIGKILL")));
    await deliverFromShop(shop, receiver);
    const { url, lines } = receiver;

    expect(await deliver(url, body, signed())).toEqual({ status: 200, text: "taken\n" });
    expect(await deliver(url, body, signed())).toEqual({ status: 200, text: "known\n" });
    const refused: [string, string, Record<string, string>][] = [
      ["EXPIRED", body, signed(600)],
      ["EXPIRED", body, signed(-600)],
      ["NO_MATCH", body.replace("Zoë", "Eve"), signed()],
      ["NO_MATCH", JSON.stringify(JSON.parse(body)), signed()],
      ["NO_MATCH", body, { ...signed(), "webhook-id": "evt_other" }],
      ["NO_MATCH", body, { ...signed(600), "webhook-timestamp": String(Math.floor(Date.now() / 1_000)) }],
      ["NO_MATCH", body, { ...signed(), "webhook-signature": "v1,AAAA v2,whatever" }],
      ["BAD_TIMESTAMP", body, { ...signed(), "webhook-timestamp": "now" }],
      ["MISSING_HEADER", body, { "x-signature": signed()["X-Signature"] }],
      ["NO_MATCH", "", signed()],
    ];
    for (const [code, text, headers] of refused) {
      expect(await deliver(url, text, headers)).toEqual({ status: 401, text: expect.stringMatching(`^${code}: `) });
    }
    await sleep(50);
    expect(lines.slice(1)).toEqual([`order.created evt_own {"name":"Zoë"}`]);
  });
});
