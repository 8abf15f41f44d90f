import { setMaxListeners } from "node:events";
import type { Logger } from "../../../engine/operation/logging/logger.js";
import type { Random } from "../../../engine/operation/random.js";
import { type InFlight, LeasedWorker } from "../../../engine/operation/work/leasedWorker.js";
import type { WorkEnd } from "../../../engine/operation/work/observer.js";
import type { WorkerWakeups } from "../../../engine/operation/work/workerWakeups.js";
import type { Clock } from "../../../ground/clock/clock.js";
import { backgroundTimer, type Timer, type Timers } from "../../../ground/http/timers.js";
import { ConfigurationError } from "../../../ground/problem/index.js";
import type { ClaimedDelivery, DeliveryShares } from "../../../ground/storage/queue/deliveries.js";
import type { Webhook } from "../../../ground/storage/queue/webhooks.js";
import type { WebhookSettings } from "../settings.js";
import { deliver } from "./deliver.js";
import { ResultGroups } from "./resultGroups.js";
import { Spreading } from "./spreading.js";

/** Dependencies and options of a dispatcher. */
export interface DispatcherOptions {
  readonly settings: WebhookSettings;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
  readonly wakeups: WorkerWakeups;
  /** Emits `webhook.disabled` to the other webhooks of the tenant, and notifies the owner. */
  readonly onDisabled: (webhook: Webhook, reason: string) => Promise<void>;
  /** The most attempts that are being sent: those that began less than 250 ms ago. Defaults to 100. */
  readonly concurrency?: number | undefined;
  /** The most further attempts that wait for a response. Defaults to 10 times `concurrency`. */
  readonly waiting?: number | undefined;
  /** The most concurrent attempts to one webhook, over all processes. Defaults to 5. */
  readonly perWebhook?: number | undefined;
  /** How long a claimed delivery is held before another worker may claim it, in milliseconds. Defaults to 75,000. */
  readonly leaseMs?: number | undefined;
  /** The interval of polls for deliveries of other processes, in milliseconds. Defaults to 5,000, or 30,000 while wake-ups arrive. */
  readonly pollMs?: number | undefined;
  /** How long finished deliveries stay in the log, in milliseconds. Defaults to 14 days. */
  readonly keepMs?: number | undefined;
}

const day = 86_400_000;
const defaults = { concurrency: 100, waiting: 1_000, perWebhook: 5, leaseMs: 75_000, pollMs: 5_000, keepMs: 14 * day };
/** An attempt that takes longer only waits for the receiver; its webhook counts as slow meanwhile. */
const slowMs = 250;
/** An attempt that does not end when it is aborted is not waited for any longer. */
const cutOffMs = 1_000;
const sweepMs = 600_000;
const sweptAtOnce = 1_000;
/** Interval of looking for events whose process died before it had made their deliveries, in milliseconds, unless others were told as they were written. */
const spreadMs = 2_000;
const topics = ["deliveries"];

/**
 * Sends due deliveries from the storage. Several processes on one storage share the work. All state is in the rows; the lease of a process that dies
 * ends.
 */
export class WebhookDispatcher extends LeasedWorker<ClaimedDelivery, InFlight> {
  readonly #options: DispatcherOptions;
  readonly #numbers: typeof defaults;
  /** Attempts that began less than `slowMs` ago, with the timer that removes each of them. */
  readonly #sending = new Set<Timer>();
  readonly #stop = new AbortController();
  readonly #results: ResultGroups;
  readonly #spreading: Spreading;
  #ended: Promise<void> | undefined;

  /** @throws {ConfigurationError} for a lease that is shorter than two attempts */
  constructor(options: DispatcherOptions) {
    const numbers = resolveNumbers(options);
    const { perWebhook, leaseMs, keepMs } = numbers;
    const { settings, timers, random, logger, wakeups } = options;
    const pollMs = () => wakeups.pollMs(options.pollMs);
    const { deliveries } = settings;
    const shares = sharesOf(numbers);
    super({
      ...{ timers, random, logger, pollMs, wakeups, topics, sweepMs, sweptAtOnce, noun: "deliveries" },
      room: () => this.#room(),
      claim: (max, claimId) => deliveries.claim({ leaseMs, max, maxPerWebhook: perWebhook, shares, claimId }),
      unclaim: deliveries.unclaim?.bind(deliveries),
      begin: (delivery) => ({ ended: this.#attempt(delivery) }),
      dueInMs: () => deliveries.dueInMs(perWebhook, shares),
      recover: deliveries.recover?.bind(deliveries),
      sweep: () => deliveries.sweep(keepMs, sweptAtOnce),
      cutOff: () => {
        this.#stop.abort();
        return this.idle(cutOffMs);
      },
    });
    this.#options = options;
    this.#results = new ResultGroups(deliveries, { timers, random, isOver: () => this.#stop.signal.aborted });
    const everyMs = () => Math.min(pollMs(), wakeups.pollMs(options.pollMs === undefined ? undefined : spreadMs, spreadMs));
    this.#spreading = new Spreading({ deliveries, timers, random, logger, everyMs, made: () => this.#made() });
    this.#numbers = numbers;
    // Each running attempt adds a listener.
    setMaxListeners(0, this.#stop.signal);
  }

  /** Begins no more attempts and waits for those that run. Aborted attempts are repeated by the process that claims their deliveries. */
  override close(options?: { readonly graceMs?: number | undefined }): Promise<void> {
    this.#ended ??= Promise.all([this.#spreading.close(), super.close(options)]).then(() => this.#options.settings.transport.close());
    return this.#ended;
  }

  override start(): void {
    super.start();
    this.#spreading.start();
  }

  /** Polls at once for deliveries and for events that wait for theirs. */
  override wake(): void {
    super.wake();
    this.#spreading.wake();
  }

  override look(): void {
    super.look();
    this.#spreading.wake();
  }

  /** The same as `wake`, and tells other processes. */
  wakeAll(): void {
    this.wake();
    this.#options.wakeups.send(topics);
  }

  #made(): void {
    super.wake();
    this.#options.wakeups.send(topics);
  }

  /** The number of attempts that may begin now. */
  #room(): number {
    const { concurrency, waiting } = this.#numbers;
    return Math.min(concurrency - this.#sending.size, concurrency + waiting - this.inFlight.size);
  }

  async #attempt(delivery: ClaimedDelivery): Promise<WorkEnd> {
    const slow = () => {
      const wasFull = this.#room() <= 0;
      this.#sending.delete(sending);
      if (wasFull) this.wake();
    };
    const sending = backgroundTimer(this.#options.timers, slow, slowMs);
    this.#sending.add(sending);
    const onDisabled = (webhook: Webhook, reason: string) => this.alsoAwait(this.#options.onDisabled(webhook, reason));
    const { observer } = this.#options.settings;
    const { lease, attempt, event } = delivery;
    const parts = { onDisabled, perWebhook: this.#numbers.perWebhook, results: this.#results, signal: this.#stop.signal };
    const run = () => deliver(delivery, { ...this.#options, ...parts });
    const end = await (observer?.work({ kind: "delivery", type: event.type, id: lease.id, attempt, trace: event.trace }, run) ?? run());
    sending.cancel();
    this.#sending.delete(sending);
    return end;
  }
}

function resolveNumbers(options: DispatcherOptions): typeof defaults {
  const {
    concurrency = defaults.concurrency,
    waiting = 10 * concurrency,
    perWebhook = defaults.perWebhook,
    leaseMs = defaults.leaseMs,
    pollMs = defaults.pollMs,
    keepMs = defaults.keepMs,
  } = options;
  const numbers = { concurrency, waiting, perWebhook, leaseMs, pollMs, keepMs };
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isSafeInteger(value) || value < 1) throw new ConfigurationError(`webhooks: "${name}" must be a whole number of at least 1.`);
  }
  const { maxAttemptMs } = options.settings.transport;
  if (leaseMs > 2 * maxAttemptMs) return numbers;
  throw new ConfigurationError(`webhooks: "leaseMs" must be more than twice the longest attempt of the transport, ${maxAttemptMs} ms.`);
}

/** The most attempts to one webhook and one tenant; these limits hold for all processes together. */
function sharesOf({ concurrency, waiting }: { readonly concurrency: number; readonly waiting: number }): DeliveryShares {
  const [maxPerTenant, maxSlow, maxSlowPerTenant] = [(concurrency + waiting) / 2, waiting / 2, waiting / 10].map(Math.ceil) as [
    number,
    number,
    number,
  ];
  return { maxPerTenant, maxSlow, maxSlowPerTenant, slowMs };
}
