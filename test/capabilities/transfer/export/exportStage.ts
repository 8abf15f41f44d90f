import { defineResource, type HttpResponse, type Service, type Storage } from "restwright";
import { z } from "zod";
import { complete } from "../../../../src/ground/storage/completed/complete.js";
import { requestOf, type Sent } from "../../../tools/client.js";
import { boundStorage } from "../../../tools/storage/boundStorage.js";

/** Plain rows, as many as a test needs. */
export const lines = defineResource("lines", {
  schema: z.object({ id: z.int(), text: z.string(), group: z.int() }),
  generated: { id: "increment" },
});

/** Writes rows past the service, which has started. */
export async function fillLines(storage: Storage, count: number, tenant?: string): Promise<void> {
  const rows = complete(storage.collection(lines.model));
  for (let start = 0; start < count; start += 5_000) {
    const some = Array.from({ length: Math.min(5_000, count - start) }, (_, index) => start + index);
    await rows.insertMany(
      some.map((number) => ({ text: `line ${number}`, group: number % 10, _version: `v${number}`, _updatedAt: new Date(0) })),
      { tenant, returning: "none" },
    );
  }
}

/** How storage is iterated, and what goes wrong there. */
export interface Iterations {
  open: number;
  batches: number;
  /** The batch at which the store fails, the first being 1. */
  failAt?: number | undefined;
  /** Waited for before the fifth batch. */
  hold?: Promise<void> | undefined;
}

/** The same storage, whose iterations are counted. */
export function watchedStorage(storage: Storage, state: Iterations): Storage {
  return boundStorage(storage, {
    collection(model) {
      const rows = complete(storage.collection(model), model.id);
      return new Proxy(rows, {
        get(target, member) {
          if (member === "iterate") return (...args: Parameters<typeof rows.iterate>) => watched(rows.iterate(...args), state);
          const value: unknown = Reflect.get(target, member, target);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    },
  });
}

async function* watched<Batch>(batches: AsyncIterable<Batch>, state: Iterations): AsyncGenerator<Batch, void, void> {
  state.open += 1;
  try {
    for await (const batch of batches) {
      state.batches += 1;
      if (state.batches === 5) await state.hold;
      if (state.batches === state.failAt) throw new Error("the disk is gone");
      yield batch;
    }
  } finally {
    state.open -= 1;
  }
}

/** An answer whose body is a stream that nobody has read yet. */
export async function streamOf(
  service: Service,
  sent: Sent,
): Promise<{ readonly response: HttpResponse; readonly body: AsyncIterator<string | Uint8Array> }> {
  const response = await service.handle(requestOf(sent));
  const { body } = response ?? {};
  if (response === undefined || body === null || body === undefined || typeof body === "string" || body instanceof Uint8Array) {
    throw new Error(`No stream: ${response?.status} ${String(body)}`);
  }
  return { response, body: body[Symbol.asyncIterator]() };
}

/** The rest of a stream. */
export async function restOf(body: AsyncIterator<string | Uint8Array>): Promise<string> {
  let text = "";
  for (let step = await body.next(); step.done !== true; step = await body.next()) text += Buffer.from(step.value).toString();
  return text;
}

/** The rows of NDJSON. */
export function rowsOf(text: string): Record<string, unknown>[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
