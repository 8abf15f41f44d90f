import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { defineResource } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { redisIdempotency } from "restwright/redis";
import { z } from "zod";
import { cuttable } from "../../adapters/stores/postgres/cuttable.js";
import { connectRedis, ownPrefix } from "../../adapters/stores/redis/redisServer.js";
import { Receiver, register, secrets } from "../../capabilities/webhooks/emissionStage.js";
import { clientOf, type Received, type Sent } from "../../tools/client.js";
import { postgresUrl, redisUrl } from "../../tools/engines.js";
import { fullService } from "../../tools/fullService.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";
import { type Deadline, deadlineIn } from "../runScript.js";

const told = defineResource("notes", {
  schema: z.object({ id: z.int(), text: z.string() }),
  generated: { id: "increment" },
  events: { "note.created": { on: "create", data: ({ text }) => ({ text }) } },
});
/** What clients post under keys; nobody is told of it. */
const posts = defineResource("posts", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });
/** What jobs write; nobody is told of it either. */
const rows = defineResource("rows", {
  schema: z.object({ id: z.int(), job: z.string(), item: z.int() }),
  generated: { id: "increment" },
  index: ["job"],
});
/** How long the receiver of webhooks takes to answer. */
const answerMs = 30;
/** The pause of ioredis grows to seconds unless the developer says otherwise. */
const reconnectMs = 250;
export const pauseMs = 20;

/** An event that a webhook was sent. */
export interface SentEvent {
  readonly text: string;
  readonly atMs: number;
}

/** One try to have a request answered. */
export interface Try {
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly status: number;
}

/** A request under a key, from its first try to its answer. */
export interface KeyedPost {
  readonly key: string;
  readonly tries: readonly Try[];
}

/** A service with all settings that it has by default, and ways to its stores that can be cut. */
export async function outageStage(records: "PostgreSQL" | "Redis") {
  const schema = ownSchema();
  const prefix = ownPrefix();
  const toPostgres = await cuttable(new URL(await schema.create()));
  const toRedis = await cuttable(new URL(redisUrl ?? "redis://127.0.0.1:6379"));
  const redis = records === "Redis" ? new Redis(toRedis.url, { retryStrategy: () => reconnectMs }).on("error", () => {}) : undefined;
  const transport = new Receiver();
  const sent: SentEvent[] = [];
  transport.answer = async ({ body }) => {
    const { data } = JSON.parse(Buffer.from(body).toString()) as { data: { text: string } };
    sent.push({ text: data.text, atMs: performance.now() });
    await sleep(answerMs);
    return { status: 200 };
  };
  const storage = postgresStorage({ connectionString: toPostgres.url });
  const service = fullService({
    ...{ resources: [told, posts, rows], storage, secrets, logger: false },
    limits: { batchItems: 50_000, maxPerPage: 50_000 },
    idempotency: redis === undefined ? {} : { store: redisIdempotency(redis, { prefix: prefix.prefix }) },
    webhooks: { transport },
  });
  await service.start();
  const send = clientOf(service);
  await register({ send });
  return {
    ...{ send, sent, toPostgres, toRedis },
    async close() {
      for (const way of [toPostgres, toRedis]) way.mend();
      await service.close({ graceMs: 0 });
      await storage.close?.();
      redis?.disconnect();
      for (const way of [toPostgres, toRedis]) way.close();
      await schema.drop();
      if (redis === undefined) return;
      const client = connectRedis();
      await prefix.remove(client);
      client.disconnect();
    },
  };
}

export type OutageStage = Awaited<ReturnType<typeof outageStage>>;

export const canRun = postgresUrl !== undefined && redisUrl !== undefined;

/** Posts under keys, one after the other, each until it is answered. */
export class KeyedSender {
  readonly posts: KeyedPost[] = [];
  isOver = false;
  readonly #send: OutageStage["send"];

  constructor(send: OutageStage["send"]) {
    this.#send = send;
  }

  async run(): Promise<void> {
    while (!this.isOver) await this.#post(deadlineIn(60));
  }

  async #post(deadline: Deadline): Promise<void> {
    const key = randomUUID();
    const tries: Try[] = [];
    const request: Sent = { method: "POST", target: "/posts", body: { text: key }, headers: { "idempotency-key": key } };
    for (this.posts.push({ key, tries }); tries.at(-1)?.status !== 201; await sleep(pauseMs)) {
      deadline.check(`a POST with the key ${key} has no answer but ${tries.at(-1)?.status}`);
      const sentMs = performance.now();
      const { status, text } = await this.#send(request);
      tries.push({ sentMs, answeredMs: performance.now(), status });
      if (status !== 201 && status !== 409 && status !== 503) throw new Error(`A POST was answered ${status}: ${text}`);
    }
  }
}

/** A batch as a job, whose rows have its name. */
export class RowsJob {
  readonly name = randomUUID();
  readonly items: number;
  readonly #send: OutageStage["send"];
  #path = "";

  constructor(send: OutageStage["send"], items: number) {
    this.#send = send;
    this.items = items;
  }

  async begin(): Promise<void> {
    const items = Array.from({ length: this.items }, (_, item) => ({ job: this.name, item }));
    const headers = { prefer: "respond-async, return=minimal" };
    const answer = await this.#send({ method: "POST", target: "/rows/batch", body: { items }, headers });
    if (answer.status !== 202) throw new Error(`The job was answered ${answer.status}: ${answer.text}`);
    this.#path = String(answer.headers["location"]);
  }

  /** How many items it has processed; `undefined` while its store is away. */
  async processed(): Promise<number | undefined> {
    const { status, json, text }: Received = await this.#send({ method: "GET", target: this.#path });
    if (status === 503) return undefined;
    if (status !== 200 || json.status === "failed") throw new Error(`The job is ${status}: ${text}`);
    return json.status === "completed" ? this.items : json.processedRows;
  }

  /** Waits until more than so many items have been processed. */
  async untilBeyond(count: number, deadline: Deadline): Promise<void> {
    for (let processed = await this.processed(); processed === undefined || processed <= count; processed = await this.processed()) {
      deadline.check(`the job has processed ${processed} of ${this.items} items, and not more than ${count}`);
      await sleep(pauseMs);
    }
  }
}

/** Posts so many notes together. @returns their texts */
export async function postBurst(send: OutageStage["send"], count: number): Promise<ReadonlySet<string>> {
  const texts = Array.from({ length: count }, () => randomUUID());
  const body = { items: texts.map((text) => ({ text })) };
  const { status, text } = await send({ method: "POST", target: "/notes/batch", body, headers: { prefer: "handling=strict, return=minimal" } });
  if (status !== 200) throw new Error(`A batch was answered ${status}: ${text}`);
  return new Set(texts);
}
