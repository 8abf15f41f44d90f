import { createService, defineResource, type Isolation, problem, type ServiceOptions } from "restwright";
import { actions } from "restwright/actions";
import { batch } from "restwright/batch";
import { hooks } from "restwright/hooks";
import { transfer } from "restwright/transfer";
import { z } from "zod";
import { clientOf } from "../../../tools/client.js";
import type { OpenedStore } from "../../../tools/storage/batchStores.js";

/** How a rule that reads other rows stays right. */
export interface WayOut {
  readonly locks?: boolean;
  readonly isolation?: Isolation;
  readonly concurrent?: boolean;
}

export const waysOut: readonly (readonly [string, WayOut])[] = [
  ["a lock", { locks: true }],
  ["an isolation", { isolation: "serializable" }],
];

const seat = { schema: z.object({ id: z.int(), showId: z.int() }), generated: { id: "increment" } } as const;

/** Seats of shows, with at most one each: by a hook, by an action, and by code. */
export async function openTheatre({ locks, ...concurrency }: WayOut, open: () => Promise<OpenedStore>, options: Partial<ServiceOptions> = {}) {
  const { storage, end } = await open();
  const attempts: number[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: rules of several shapes take one seat
  const requireFree = async (tx: any, showId: number): Promise<void> => {
    if (locks) await tx.lock("show", showId);
    if ((await tx.of(seats).count({ where: { showId } })) > 0) throw problem("TAKEN", 409, "The show has its seat.");
  };
  // biome-ignore lint/suspicious/noExplicitAny: names itself
  const seats: any = defineResource("seats", {
    ...seat,
    hooks: {
      ...concurrency,
      beforeWrite: async ({ tx, next, attempt }) => {
        attempts.push(attempt);
        if (next !== undefined) await requireFree(tx, next.showId);
      },
    },
  });
  const chairs = defineResource("chairs", {
    ...seat,
    actions: ({ action }) => ({
      take: action({
        on: "collection",
        input: z.object({ showId: z.int() }),
        problems: ["TAKEN"],
        ...concurrency,
        run: async ({ input, tx }) => {
          if (locks) await tx.lock("show", input.showId);
          if ((await tx.of(chairs as never as typeof seats).count({ where: input })) > 0) throw problem("TAKEN", 409, "The show has its chair.");
          await tx.of(chairs as never as typeof seats).create(input);
        },
      }),
    }),
  });
  const places = defineResource("places", seat);
  // biome-ignore lint/suspicious/noExplicitAny: the resources are made of each other
  const service: any = createService({
    resources: [seats, chairs, places],
    storage,
    logger: false,
    secrets: ["a secret of the service itself, long enough"],
    ...options,
    use: [hooks(), actions(), batch(), transfer()],
  } as ServiceOptions);
  await service.start();
  const send = clientOf(service);
  return {
    service,
    seats,
    attempts,
    send,
    bySeat: (showId: number) => send({ method: "POST", target: "/seats", body: { showId } }).then(({ status }) => status),
    byAction: (showId: number) => send({ method: "POST", target: "/chairs/take", body: { showId } }).then(({ status }) => status),
    byCode: (showId: number) =>
      service
        .transaction(
          { id: "ann" },
          // biome-ignore lint/suspicious/noExplicitAny: as above
          async (tx: any) => {
            if (locks) await tx.lock("show", showId);
            if ((await tx.places.count({ where: { showId } })) > 0) return;
            await tx.places.create({ showId });
          },
          { isolation: concurrency.isolation },
        )
        .catch((error: { readonly code?: string }) => {
          if (error.code !== "WRITE_CONFLICT") throw error;
        }),
    async count(collection: string, showId: number): Promise<number> {
      return service.asSystem()[collection].count({ where: { showId } });
    },
    async close() {
      await service.close();
      await end();
    },
  };
}
