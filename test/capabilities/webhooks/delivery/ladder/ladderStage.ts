import type { Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import type { AttemptResult } from "../../../../../src/capabilities/webhooks/delivery/transport.js";
import { systemIds } from "../../../../../src/engine/operation/ids/ids.js";
import { FakeClock } from "../../../../../src/testing/clock.js";
import { clientOf } from "../../../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../../../tools/fullService.js";
import { hookUrl, orders, Receiver, register, secrets } from "../../emissionStage.js";

/** In milliseconds. */
export const [second, minute, hour, day]: readonly [number, number, number, number] = [1_000, 60_000, 3_600_000, 86_400_000];

type Answer = Partial<AttemptResult>;

export interface LadderOptions extends Partial<Omit<FullServiceOptions, "clock" | "webhooks">> {
  readonly webhooks?: Partial<FullServiceOptions["webhooks"]>;
  readonly clock?: FakeClock;
  /** What the service takes for the time of day. */
  readonly wall?: { now(): number };
  readonly storage?: Storage;
}

/** A service with one webhook on a clock that moves only when it is told to. */
export class Ladder {
  /** How long an attempt takes. */
  latencyMs = 0;
  /** What each attempt comes to, the last one for all that follow. */
  answers: readonly Answer[] = [{ status: 200 }];
  /** When attempts began. */
  readonly begun: number[] = [];
  readonly logged: string[] = [];
  readonly receiver = new Receiver();
  readonly clock: FakeClock;
  readonly storage: Storage;
  readonly service: ReturnType<typeof fullService>;
  readonly send: ReturnType<typeof clientOf>;
  webhook = "";

  constructor({ clock = new FakeClock(), wall = clock, random = () => 0.5, storage, webhooks, ...more }: LadderOptions = {}) {
    this.clock = clock;
    this.storage = storage ?? memoryStorage({ clock });
    this.receiver.answer = ({ headers }) => this.#answer(Number(headers["webhook-attempt"]));
    const log = (_facts: object, message: string) => void this.logged.push(message);
    this.service = fullService({
      principals: { reload: false },
      resources: [orders],
      storage: this.storage,
      // Without a poll in between, attempts are made when the rows say that they are due, and at no other time.
      webhooks: { transport: this.receiver, events: ["report.ready"], pollMs: 10 * day, ...webhooks },
      secrets,
      clock: wall,
      timers: clock,
      ids: systemIds(clock, Math.random),
      random,
      logger: { error: log, warn: log, info: () => {}, debug: () => {} },
      ...more,
    });
    this.send = clientOf(this.service);
  }

  /** Registers the webhook that the ladder is about. */
  async listen(body: object = {}): Promise<string> {
    this.webhook = await register(this, { url: hookUrl, events: ["report.*"], ...body });
    return this.webhook;
  }

  async emit(count = 1): Promise<void> {
    for (let number = 1; number <= count; number++) await this.service.emit({ type: "report.ready", data: { number } });
    await this.settle();
  }

  /** Lets everything happen that needs no more time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 40; turn++) await new Promise(setImmediate);
    this.clock.advance(0);
    for (let turn = 0; turn < 40; turn++) await new Promise(setImmediate);
  }

  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.settle();
  }

  /** Advances by steps, so that what one step causes is there in the next. */
  async pass(ms: number, stepMs = minute): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) await this.advance(Math.min(stepMs, ms - passedMs));
  }

  /** The deliveries, oldest first, with their attempts. */
  async deliveries(webhook = this.webhook): Promise<readonly DeliveryAnswer[]> {
    const list = await this.send({ target: `/webhooks/${webhook}/deliveries?perPage=100` });
    const ids: readonly string[] = list.json.data.map(({ id }: { id: string }) => id).reverse();
    return Promise.all(ids.map(async (id) => (await this.send({ target: `/webhooks/${webhook}/deliveries/${id}` })).json));
  }

  async delivery(): Promise<DeliveryAnswer> {
    const [first] = await this.deliveries();
    if (first === undefined) throw new Error("There is no delivery.");
    return first;
  }

  /** How the webhook is. */
  async health(webhook = this.webhook) {
    return (await this.send({ target: `/webhooks/${webhook}` })).json;
  }

  async #answer(attempt: number): Promise<Answer> {
    this.begun.push(this.clock.now());
    const answer = this.answers[attempt - 1] ?? this.answers.at(-1) ?? {};
    if (this.latencyMs > 0) await new Promise<void>((resolve) => void this.clock.setTimeout(resolve, this.latencyMs));
    return { latencyMs: this.latencyMs, ...answer };
  }
}

/** What `GET /webhooks/{id}/deliveries/{d}` says. */
export interface DeliveryAnswer {
  readonly id: string;
  readonly eventId: string;
  readonly status: string;
  readonly attemptCount: number;
  readonly nextAttemptAt: string | null;
  readonly endedAt: string | null;
  readonly attempts: readonly {
    readonly n: number;
    readonly startedAt: string;
    readonly latencyMs: number;
    readonly status: number | null;
    readonly errorCode: string | null;
    readonly body: string;
    readonly interrupted: boolean;
  }[];
}
