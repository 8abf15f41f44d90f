import { defineResource, ProblemError, type Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { compileNetwork, type NetworkOptions, type NetworkPolicy } from "../../../src/capabilities/webhooks/delivery/network.js";
import type { AttemptResult, Transport, TransportRequest } from "../../../src/capabilities/webhooks/delivery/transport.js";
import type { DeliveryStore } from "../../../src/ground/storage/queue/deliveries.js";
import { clientOf, type Received, type Sent } from "../../tools/client.js";
import type { Engine } from "../../tools/engines.js";
import { type FullService, type FullServiceOptions, fullService } from "../../tools/fullService.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

/** A collection whose writes are heard. */
export const orders = defineResource("orders", {
  schema: z.object({
    id: z.int(),
    status: z.enum(["open", "paid"]).default("open"),
    total: z.number().min(0),
    currency: z.string().default("EUR"),
    code: z.string().nullable().default(null),
  }),
  generated: { id: "increment" },
  unique: ["code"],
  events: {
    "order.created": { on: "create", data: ({ id, total, currency }) => ({ orderId: id, amount: total, currency }) },
    "order.updated": { on: "update", data: ({ id, total }) => ({ orderId: id, amount: total }) },
    "order.completed": {
      on: "update",
      when: ({ status }, before) => status === "paid" && before?.status !== "paid",
      data: ({ id, total }) => ({ orderId: id, amount: total }),
    },
    "order.removed": { on: "remove" },
  },
});

/** A collection whose creates have an effect elsewhere first. */
export const payments = defineResource("payments", {
  schema: z.object({ id: z.int(), total: z.number(), receipt: z.string().default("") }),
  generated: { id: "increment" },
  events: { "payment.made": { on: "create", data: ({ id, receipt }) => ({ paymentId: id, receipt }) } },
  async create({ total }) {
    if (total > 100) throw new ProblemError("FORBIDDEN", "The card has been declined.");
    return { receipt: `receipt of ${total}` };
  },
});

/** A collection that nothing is heard of. */
export const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });

/** A transport that keeps what it is given and answers 200, or what it is told to. */
export class Receiver implements Transport {
  readonly network: NetworkPolicy;
  readonly maxAttemptMs: number = 32_000;
  readonly received: TransportRequest[] = [];
  answer: (request: TransportRequest) => Partial<AttemptResult> | Promise<Partial<AttemptResult>> = () => ({ status: 200 });

  constructor(rules: NetworkOptions = {}) {
    this.network = compileNetwork(rules);
  }

  async send(request: TransportRequest): Promise<AttemptResult> {
    this.received.push(request);
    return { latencyMs: 1, bodyHead: new Uint8Array(0), truncated: false, ...(await this.answer(request)) };
  }

  async close(): Promise<void> {}

  /** Types of the events, in the order in which they came. */
  get types(): readonly string[] {
    return this.received.map(({ headers }) => headers["webhook-event"] ?? "");
  }
}

/** An event as a webhook gets it. */
export interface Heard {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Stage {
  readonly service: FullService;
  readonly storage: Storage;
  readonly send: (sent: Sent) => Promise<Received>;
}

export const secrets = ["a secret of the service itself"];
export const hookUrl = "https://example.test/hook";

/** Stores that keep webhooks; each is empty, and closed after the test. */
export const stores: readonly { readonly name: string; readonly engines: readonly Engine[]; readonly open: () => Promise<Storage> }[] = [
  { name: "memory", engines: [], open: async () => closedAfter(memoryStorage()) },
  { name: "SQLite", engines: [], open: async () => closedAfter(sqliteStorage({ path: ":memory:" })) },
  {
    name: "PostgreSQL (set POSTGRES_URL to run)",
    engines: ["postgres"],
    open: async () => {
      const schema = ownSchema();
      const connectionString = await schema.create();
      onTestFinished(() => schema.drop());
      return closedAfter(postgresStorage({ connectionString }));
    },
  },
];

function closedAfter(storage: Storage): Storage {
  onTestFinished(async () => storage.close?.());
  return storage;
}

/** A service whose deliveries stay in the store, since what stands there is what is sent. */
export function stageOn(storage: Storage, more: Partial<FullServiceOptions> = {}): Stage {
  const webhooks = { transport: new Receiver(), events: ["report.ready"], work: false };
  const service = fullService({ resources: [orders, payments, notes], storage, webhooks, secrets, ...more });
  return { service, storage, send: clientOf(service) };
}

/** Registers a webhook. @returns its id */
export async function register({ send }: Pick<Stage, "send">, body: object = {}, headers: Sent["headers"] = {}): Promise<string> {
  const { status, text, json } = await send({ method: "POST", target: "/webhooks", body: { url: hookUrl, events: ["*"], ...body }, headers });
  if (status !== 201) throw new Error(`The registration was answered ${status}: ${text}`);
  return json.id;
}

export function deliveriesOf({ deliveries }: Storage): DeliveryStore {
  if (deliveries === undefined) throw new Error("The storage keeps no deliveries.");
  return deliveries;
}

/** What a webhook has been told, or will be, the first event first. */
export async function heardBy(storage: Storage, webhook: string): Promise<readonly Heard[]> {
  const store = deliveriesOf(storage);
  const deliveries = await store.list({ webhook, order: "asc", limit: 10_000 });
  return Promise.all(
    deliveries.map(async ({ event }): Promise<Heard> => {
      const stored = await store.event(event);
      return JSON.parse(Buffer.from(stored?.body ?? []).toString());
    }),
  );
}

/** The same in short: types with the ids of their rows. */
export async function shortly(storage: Storage, webhook: string): Promise<readonly string[]> {
  return (await heardBy(storage, webhook)).map(({ type, data }) => `${type} ${String(data["orderId"] ?? data["paymentId"] ?? data["id"])}`);
}
