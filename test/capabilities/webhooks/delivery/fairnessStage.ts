import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { defineResource, type Storage } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { z } from "zod";
import { compileNetwork } from "../../../../src/capabilities/webhooks/delivery/network.js";
import type { AttemptResult, Transport } from "../../../../src/capabilities/webhooks/delivery/transport.js";
import { clientOf } from "../../../tools/client.js";
import { fullService } from "../../../tools/fullService.js";

export interface FairnessOptions {
  /** Deliveries that wait for the webhook that hangs. */
  readonly rows: number;
  /** A SQLite file, unless there is a PostgreSQL to connect to. */
  readonly path?: string | undefined;
  readonly connectionString?: string | undefined;
}

export interface Fairness {
  /** From the emission to the receiver, in milliseconds, sorted. */
  readonly delays: readonly number[];
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How long it took to make the rows that wait. */
  readonly enqueuedMs: number;
}

const hanging = "hanging.test";
const healthy = 20;
const rounds = 25;
const rowsAtOnce = 1_000;
const notes = defineResource("notes", { schema: z.object({ id: z.int() }), generated: { id: "increment" } });

/** How long twenty healthy webhooks wait for their events while one hangs and many deliveries wait for it. */
export async function measureFairness({ rows, path = ":memory:", connectionString }: FairnessOptions): Promise<Fairness> {
  const storage = connectionString === undefined ? sqliteStorage({ path }) : postgresStorage({ connectionString });
  const { transport, delays, sent } = listening();
  const webhooks = { transport, events: ["bulk.ready", "report.ready"] };
  const service = fullService({ resources: [notes], storage, webhooks, secrets: ["a secret of the service itself"] });
  const send = clientOf(service);
  const listen = async (host: string, type: string): Promise<string> =>
    (await send({ method: "POST", target: "/webhooks", body: { url: `https://${host}/`, events: [type] } })).json.id;
  const slow = await listen(hanging, "bulk.ready");
  for (let number = 0; number < healthy; number++) await listen(`healthy${number}.test`, "report.ready");
  const enqueuedMs = await enqueue(storage, slow, rows);
  for (let round = 0; round < rounds; round++) {
    const begunMs = performance.now();
    const id = await service.emit({ type: "report.ready", data: { round } });
    sent(id, begunMs);
    await sleep(40);
  }
  for (let waitedMs = 0; delays.length < healthy * rounds && waitedMs < 30_000; waitedMs += 20) await sleep(20);
  await service.close({ graceMs: 0 });
  const sorted = [...delays].sort((left, right) => left - right);
  if (sorted.length !== healthy * rounds) throw new Error(`${sorted.length} of ${healthy * rounds} deliveries have come.`);
  const at = (part: number) => Math.round((sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN) * 10) / 10;
  return { delays: sorted, p50Ms: at(0.5), p99Ms: at(0.99), enqueuedMs };
}

/** A transport that never hears from one host, and keeps how long everything took that went to the others. */
function listening() {
  const begun = new Map<string, number>();
  const came: { readonly id: string; readonly atMs: number }[] = [];
  const delays: number[] = [];
  const settle = () => {
    for (const { id, atMs } of came.splice(0)) {
      const begunMs = begun.get(id);
      if (begunMs === undefined) came.push({ id, atMs });
      else delays.push(atMs - begunMs);
    }
  };
  const transport: Transport = {
    network: compileNetwork(),
    maxAttemptMs: 32_000,
    send({ url, headers, signal }): Promise<AttemptResult> {
      const rest = { latencyMs: 1, bodyHead: new Uint8Array(0), truncated: false };
      if (url.host !== hanging) {
        came.push({ id: headers["webhook-id"] ?? "", atMs: performance.now() });
        settle();
        return Promise.resolve({ status: 200, ...rest });
      }
      return new Promise((resolve) => {
        // As an open socket would, it keeps the process from ending.
        const open = setInterval(() => {}, 1_000);
        signal?.addEventListener("abort", () => {
          clearInterval(open);
          resolve({ errorCode: "ABORTED", ...rest });
        });
      });
    },
    close: async () => {},
  };
  const sent = (id: string, begunMs: number) => {
    begun.set(id, begunMs);
    settle();
  };
  return { transport, delays, sent };
}

async function enqueue({ deliveries }: Storage, webhook: string, rows: number): Promise<number> {
  const begunMs = performance.now();
  const body = Buffer.from(JSON.stringify({ type: "bulk.ready", data: {} }));
  for (let made = 0; made < rows; made += rowsAtOnce) {
    const events = Array.from({ length: Math.min(rowsAtOnce, rows - made) }, () => {
      const id = randomUUID();
      const delivery = { id: `dlv_${id}`, webhook };
      return { id: `evt_${id}`, type: "bulk.ready", tenant: undefined, createdAt: new Date(), body, deliveries: [delivery] };
    });
    await deliveries?.enqueue(events);
  }
  return performance.now() - begunMs;
}
