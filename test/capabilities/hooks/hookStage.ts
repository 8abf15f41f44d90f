import { createService, defineResource, type Resource, type ServiceOptions } from "restwright";
import { batch } from "restwright/batch";
import { hooks } from "restwright/hooks";
import { jobs } from "restwright/jobs";
import { memoryBlobs } from "restwright/memory";
import { transfer } from "restwright/transfer";
import { z } from "zod";
import type { TransactionCollections } from "../../../src/engine/calls/index.js";
import type { FakeClock } from "../../../src/testing/clock.js";
import { clientOf, type Received } from "../../tools/client.js";
import type { OpenedStore } from "../../tools/storage/batchStores.js";

/** What a hook of a test gets, with every member of all kinds. */
export interface Told {
  readonly kind: "create" | "update" | "remove";
  readonly operationId: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into rows of every shape
  readonly before: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly next: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly row: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly changes: any;
  readonly principal: { readonly id: string } | undefined;
  readonly way: string;
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly tx: TransactionCollections;
}

/** What hooks of slices get. */
export interface ToldSlice extends Pick<Told, "principal" | "way" | "tx"> {
  readonly writes: readonly Told[];
}

/** Hooks that tests set while the service runs. */
export interface TestHooks {
  beforeWrite?: ((told: Told) => unknown) | undefined;
  afterWrite?: ((told: Told) => unknown) | undefined;
}

/** The option `hooks`, of functions that a test may exchange; for collections of every shape. */
export function hooksOf(set: TestHooks): never {
  const option = { beforeWrite: (told: Told) => set.beforeWrite?.(told), afterWrite: (told: Told) => set.afterWrite?.(told) };
  return option as never;
}

export const merge = { "content-type": "application/merge-patch+json" };
export const csv = { "content-type": "text/csv" };

/** Rows of one collection with hooks, another one with hooks, and one without. */
export async function hookStage(open: () => Promise<OpenedStore>, options: Partial<ServiceOptions> = {}) {
  const of = { orders: {} as TestHooks, stock: {} as TestHooks };
  const orders = defineResource("orders", {
    schema: z.object({
      id: z.int(),
      sku: z.string(),
      pieces: z.int().min(1),
      total: z.int().optional(),
      note: z.string().max(20).nullable().optional(),
      madeAt: z.date().optional(),
      secret: z.string().optional(),
    }),
    generated: { id: "increment" },
    unique: ["sku"],
    readOnly: ["total"],
    hooks: hooksOf(of.orders) as never,
  });
  const stock = defineResource("stock", { schema: z.object({ id: z.string(), left: z.int() }), hooks: hooksOf(of.stock) as never });
  const logs = defineResource("logs", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });
  const faults: unknown[] = [];
  const { storage, end } = await open();
  const service = createService({
    resources: [orders, stock, logs] as readonly Resource[],
    storage,
    logger: false,
    onError: (error) => void faults.push(error),
    secrets: ["a secret of the service itself, long enough"],
    ...options,
    use: [hooks(), batch(), ...(storage.jobs ? [jobs({ pollMs: 5 }), transfer({ blobs: memoryBlobs() })] : []), ...(options.use ?? [])],
  });
  await service.start();
  const client = clientOf(service);
  const send = (method: string, target: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Received> =>
    client({ method, target, body, headers });
  const system = service.asSystem() as unknown as TransactionCollections;
  return {
    service,
    storage,
    system,
    orders,
    stock,
    logs,
    of,
    send,
    faults,
    /** Sends a new order and returns its id. */
    async order(sku: string, more: object = {}): Promise<number> {
      const { status, text, json } = await send("POST", "/orders", { sku, pieces: 1, ...more });
      if (status !== 201) throw new Error(text);
      return json.id as number;
    },
    forget() {
      for (const set of [of.orders, of.stock]) {
        set.beforeWrite = undefined;
        set.afterWrite = undefined;
      }
      faults.length = 0;
    },
    async close() {
      await service.close();
      await end();
    },
  };
}

export type HookStage = Awaited<ReturnType<typeof hookStage>>;

/** Lets the time of hooks run out until the answer is there. Only a clock of a test makes that certain: on a busy machine any hook may take long. */
export async function outOfTime<R>(clock: FakeClock, hookMs: number, answer: Promise<R>, begun: Promise<void> = Promise.resolve()): Promise<R> {
  await begun;
  let isThere = false;
  const noted = answer.finally(() => {
    isThere = true;
  });
  while (!isThere) {
    await Promise.race([noted.catch(() => {}), new Promise((resolve) => setTimeout(resolve, 20))]);
    clock.advance(hookMs);
  }
  return noted;
}
