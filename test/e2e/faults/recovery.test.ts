// @long

import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { fixture } from "../../capabilities/webhooks/transport/transportServer.js";
import { FakeClamd } from "../../parts/checks/fakeClamd.js";
import { postgresUrl } from "../../tools/engines.js";
import { oneOf, sampleNote } from "../../tools/extent.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";
import { temporaryFolder } from "../../tools/temporary.js";
import { startShop } from "../shop/shopProcess.js";
import { clientOf } from "../webhooks/webhookShopClient.js";
import { loopback } from "../webhooks/webhookShopReceiver.js";

/** Shops with the leases that they have by default: 60 seconds and more. */
const places: Record<string, () => Promise<Readonly<Record<string, string>>>> = { SQLite: async () => ({ DATA_DIR: temporaryFolder() }) };
if (postgresUrl !== undefined) {
  places["PostgreSQL"] = async () => {
    const schema = ownSchema();
    const url = await schema.create();
    onTestFinished(() => schema.drop());
    return { DATA_DIR: temporaryFolder(), DATABASE_URL: url };
  };
}

const chosenPlaces = oneOf(Object.entries(places));

const csv = { "content-type": "text/csv" };
/** Half of the shortest lease: a busy machine takes seconds to start a shop. */
const allowedMs = 30_000;

async function start(environment: Readonly<Record<string, string>>) {
  const shop = await startShop("fastify", environment);
  onTestFinished(async () => void (await shop.stop("SIGKILL")));
  const send = clientOf(shop.origin);
  // Orders are of a customer; the second shop on a store finds it there.
  await send("POST", "/users", { name: "Ada", email: "ada@example.com" });
  return { ...shop, send };
}

type Shop = Awaited<ReturnType<typeof start>>;

async function until<T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean, withinMs = 45_000): Promise<T> {
  const endMs = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    if (Date.now() > endMs) throw new Error(`The answer stayed ${JSON.stringify(answer)}.`);
    await sleep(50);
  }
}

async function json(response: Promise<Response>) {
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  return (await (await response).json()) as any;
}

/** A file that takes seconds. */
const rows = 60_000;
const file = `customerId,total,currency\n${Array.from({ length: rows }, (_, row) => `1,${row},EUR\n`).join("")}`;

async function beginImport({ origin }: Shop): Promise<string> {
  const { jobId, id = jobId } = await json(fetch(`${origin}/imports?collection=orders`, { method: "POST", headers: csv, body: file }));
  return `/imports/${id}`;
}

/** A receiver that takes the first delivery and never answers it. */
async function startReceiver() {
  let deliveries = 0;
  const server = createServer({ cert: fixture("server.pem"), key: fixture("server.key") }, async (request, response) => {
    const isWhole = await request.toArray().then(
      () => true,
      () => false,
    );
    // The shop was killed while it sent this.
    if (!isWhole) return;
    deliveries += 1;
    if (deliveries > 1) response.end("heard");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `https://localhost:${(server.address() as AddressInfo).port}/`, count: () => deliveries };
}

describe.each(chosenPlaces)(`a shop on %s that is killed and started again${sampleNote}`, (_name, place) => {
  test("goes on with its import within seconds", { timeout: 90_000 }, async () => {
    const environment = await place();
    const first = await start(environment);
    const path = await beginImport(first);
    await until(
      () => json(fetch(first.origin + path)),
      ({ processedRows }) => processedRows > 0,
    );
    await first.stop("SIGKILL");
    const second = await start(environment);
    const startedMs = Date.now();
    const before = await json(fetch(second.origin + path));
    expect(before.status).toBe("processing");
    await until(
      () => json(fetch(second.origin + path)),
      ({ processedRows }) => processedRows > before.processedRows,
    );
    expect(Date.now() - startedMs).toBeLessThan(allowedMs);
    const ended = await until(
      () => json(fetch(second.origin + path)),
      ({ status }) => status === "completed",
      60_000,
    );
    expect([ended.processedRows, ended.result.created]).toEqual([rows, rows]);
  });

  test("takes a batch under its key up within seconds, and does none of it twice", { timeout: 90_000 }, async () => {
    const environment = await place();
    const amounts = Array.from({ length: 600 }, (_, index) => index + 1);
    const post = ({ origin }: Shop) =>
      fetch(`${origin}/payments/batch`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": "0123456789abcdef" },
        body: JSON.stringify({ items: amounts.map((amount) => ({ amount, currency: "EUR" })) }),
      });
    const countOf = async ({ origin }: Shop) => Number((await fetch(`${origin}/payments?perPage=1&count=exact`)).headers.get("x-total-count"));
    const first = await start(environment);
    const cut = post(first).catch(() => undefined);
    await until(
      () => countOf(first),
      (count) => count > 0,
    );
    await first.stop("SIGKILL");
    await cut;
    const second = await start(environment);
    const startedMs = Date.now();
    const done = await countOf(second);
    expect(done).toBeLessThan(amounts.length);
    let answer = await post(second);
    // 409 says that the first try still goes on.
    while (answer.status === 409) {
      expect(Date.now() - startedMs).toBeLessThan(allowedMs);
      await sleep(50);
      answer = await post(second);
    }
    expect(answer.status).toBe(200);
    const { results } = await json(Promise.resolve(answer));
    expect(results.map(({ data }: { data: { amount: number } }) => data.amount)).toEqual(amounts);
    expect(await countOf(second)).toBe(amounts.length);
    expect((await post(second)).headers.get("idempotent-replayed")).toBe("true");
  });

  test("sends within seconds what it was sending", { timeout: 90_000 }, async () => {
    const environment = { ...(await place()), ...loopback };
    const receiver = await startReceiver();
    const first = await start(environment);
    await first.send("POST", "/webhooks", { url: receiver.url, events: ["order.created"] });
    await first.send("POST", "/orders", { customerId: 1, total: 1, currency: "EUR" });
    await until(
      async () => receiver.count(),
      (count) => count === 1,
    );
    await first.stop("SIGKILL");
    const startedMs = Date.now();
    await start(environment);
    await until(
      async () => receiver.count(),
      (count) => count === 2,
    );
    expect(Date.now() - startedMs).toBeLessThan(allowedMs);
  });

  test("checks a file again within seconds", { timeout: 90_000 }, async () => {
    let scans = 0;
    const clamd = new FakeClamd({
      behave: (socket) => {
        scans += 1;
        const isHanging = scans === 1;
        socket.on("data", (chunk): undefined => {
          // The stream ends with a length of nothing.
          if (!isHanging && Buffer.from(chunk).subarray(-4).readInt32BE() === 0) socket.end("stream: OK\0");
        });
      },
    });
    const environment = { ...(await place()), CLAMD: `127.0.0.1:${await clamd.listen()}` };
    onTestFinished(() => clamd.close());
    const first = await start(environment);
    const created = await fetch(`${first.origin}/uploads`, { method: "POST", headers: { "upload-length": "5", "tus-resumable": "1.0.0" } });
    const path = new URL(created.headers.get("location") ?? "", first.origin).pathname;
    const headers = { "content-type": "application/offset+octet-stream", "upload-offset": "0", "tus-resumable": "1.0.0" };
    const cut = fetch(first.origin + path, { method: "PATCH", headers, body: "hello" }).catch(() => undefined);
    await until(
      async () => scans,
      (count) => count === 1,
    );
    await first.stop("SIGKILL");
    await cut;
    const second = await start(environment);
    const startedMs = Date.now();
    await until(
      () => json(fetch(second.origin + path)),
      ({ status }) => status === "ready",
    );
    expect(Date.now() - startedMs).toBeLessThan(allowedMs);
  });
});

describe.each(chosenPlaces)(`of two shops on %s${sampleNote}`, (_name, place) => {
  test("the living one takes over from one that is killed within seconds, and nothing from one that is stopped for a while", {
    timeout: 90_000,
  }, async () => {
    const environment = { ...(await place()), ...loopback };
    const receiver = await startReceiver();
    const first = await start(environment);
    await first.send("POST", "/webhooks", { url: receiver.url, events: ["order.created"] });
    await first.send("POST", "/orders", { customerId: 1, total: 1, currency: "EUR" });
    await until(
      async () => receiver.count(),
      (count) => count === 1,
    );
    const second = await start(environment);
    await first.pause(1_500);
    await sleep(3_000);
    expect(receiver.count()).toBe(1);
    await first.stop("SIGKILL");
    const killedMs = Date.now();
    await until(
      async () => receiver.count(),
      (count) => count === 2,
    );
    expect(Date.now() - killedMs).toBeLessThan(allowedMs);
    expect((await second.send("GET", "/orders/1")).status).toBe(200);
  });
});
