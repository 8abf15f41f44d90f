import { setTimeout as sleep } from "node:timers/promises";
import { type Capability, createService, defineResource, type Service, type ServiceOptions, type Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { type HandledEvent, type SubscriberApi, type SubscribersOptions, subscribers } from "restwright/subscribers";
import { FakeClock } from "restwright/testing";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { systemIds } from "../../../src/engine/operation/ids/ids.js";

/** In milliseconds. */
export const [minute, hour, day]: readonly [number, number, number] = [60_000, 3_600_000, 86_400_000];

/** A collection whose writes cause events. */
export const orders = defineResource("orders", {
  schema: z.object({ id: z.int(), total: z.number().min(0), code: z.string().nullable().default(null) }),
  generated: { id: "increment" },
  unique: ["code"],
  events: {
    "order.created": { on: "create", data: ({ id, total }) => ({ orderId: id, total }) },
    "order.updated": { on: "update", data: ({ id, total }) => ({ orderId: id, total }) },
    "order.removed": { on: "remove", data: ({ id }) => ({ orderId: id }) },
  },
});

export type SubscribedService = Service & SubscriberApi;

export interface StageOptions extends Partial<Omit<ServiceOptions, "use" | "storage">> {
  readonly storage: Storage;
  readonly subscribers?: SubscribersOptions | undefined;
  /** Capabilities besides. */
  readonly more?: readonly Capability[] | undefined;
}

/** What was logged. */
export interface Logged {
  readonly level: string;
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface Stage {
  readonly service: SubscribedService;
  readonly logged: readonly Logged[];
  order(total?: number, tenant?: string): Promise<number>;
}

/** A service with subscribers; it is closed after the test. */
export function stageOn({ storage, subscribers: options, more = [], ...others }: StageOptions): Stage {
  const logged: Logged[] = [];
  const log = (level: string) => (facts: object, message: string) => void logged.push({ level, message, facts: { ...facts } });
  const service = createService({
    resources: [orders],
    storage,
    secrets: ["a secret of the service itself"],
    logger: { error: log("error"), warn: log("warn"), info: () => {}, debug: () => {} },
    use: [subscribers({ events: ["report.ready"], ...options }), ...more],
    ...others,
  }) as SubscribedService;
  onTestFinished(() => service.close({ graceMs: 0 }));
  return {
    service,
    logged,
    async order(total = 5, tenant) {
      const { id } = await service
        .asSystem(tenant === undefined ? {} : { tenant })
        .of(orders)
        .create({ total });
      return id;
    },
  };
}

/** A stage in memory on a clock that moves only when it is told to. */
export function clockStage(options: Partial<StageOptions> = {}): Stage & { readonly clock: FakeClock } {
  const clock = new FakeClock();
  const storage = memoryStorage({ clock });
  const subscriberOptions = { pollMs: 10 * day, ...options.subscribers };
  const stage = stageOn({
    storage,
    clock,
    timers: clock,
    ids: systemIds(clock, Math.random),
    random: () => 0.5,
    ...options,
    subscribers: subscriberOptions,
  });
  return { ...stage, clock };
}

/** Waits until something is true, by default for at most 30 seconds. */
export async function until(what: string, isTrue: () => unknown, ms = 30_000): Promise<void> {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    if (await isTrue()) return;
    await sleep(5);
  }
  throw new Error(`This did not happen: ${what}.`);
}

/** Lets everything happen that is already due. */
export const pause = (ms = 30): Promise<void> => sleep(ms);

/** What a handler got. */
export const orderOf = ({ data }: Pick<HandledEvent, "data">): unknown => data["orderId"];
