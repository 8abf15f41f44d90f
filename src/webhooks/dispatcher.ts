import { setMaxListeners } from "node:events";
import type { Timer, Timers } from "../http/timers.js";
import type { Clock } from "../operation/clock.js";
import type { Logger } from "../operation/logger.js";
import type { Random } from "../operation/random.js";
import { Recurring } from "../operation/recurring.js";
import { retrying } from "../operation/retry.js";
import { ConfigurationError } from "../problem/index.js";
import type { ClaimedDelivery } from "../storage/deliveries.js";
import type { Webhook } from "../storage/webhooks.js";
import { deliver } from "./deliver.js";
import type { WebhookSettings } from "./settings.js";

/** What a dispatcher is made of. */
export interface DispatcherOptions {
  readonly settings: WebhookSettings;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
  /** Emits `webhook.disabled` to the other webhooks of the tenant, and tells the owner. */
  readonly onDisabled: (webhook: Webhook, reason: string) => Promise<void>;
  /** Attempts under way at once (100). */
  readonly concurrency?: number | undefined;
  /** Attempts under way at once to one webhook, those of all processes together (5). */
  readonly perWebhook?: number | undefined;
  /** How long an attempt may be silent before another worker makes it again, in milliseconds (75,000). */
  readonly leaseMs?: number | undefined;
  /** How often is looked for what other processes left, in milliseconds (5,000). */
  readonly pollMs?: number | undefined;
  /** How long what has ended stays in the log, in milliseconds (14 days). */
  readonly keepMs?: number | undefined;
}

const day = 86_400_000;
const defaults = { concurrency: 100, perWebhook: 5, leaseMs: 75_000, pollMs: 5_000, keepMs: 14 * day };
/** Due, and yet not to be had: somebody else holds it, and will soon be done. */
const shortestWaitMs = 100;
/** What does not end when it is cut off is not waited for. */
const cutOffMs = 1_000;
const sweepEveryMs = 600_000;
const sweptAtOnce = 1_000;

/**
 * Sends what is due, over the deliveries that the storage keeps: several processes on one storage share the work. The truth is in the rows; a process
 * that dies leaves a lease that ends.
 */
export class WebhookDispatcher {
  readonly #options: DispatcherOptions;
  readonly #numbers: typeof defaults;
  readonly #look: Recurring;
  readonly #sweep: Recurring;
  readonly #underWay = new Set<Promise<void>>();
  /** Owners that are being told; they hold no place. */
  readonly #telling = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #next: Timer | undefined;
  #isStarted = false;
  #closed: Promise<void> | undefined;

  /** @throws {ConfigurationError} for a lease that an attempt may outlive */
  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { concurrency, perWebhook, leaseMs, pollMs, keepMs } = options;
    this.#numbers = {
      concurrency: concurrency ?? defaults.concurrency,
      perWebhook: perWebhook ?? defaults.perWebhook,
      leaseMs: leaseMs ?? defaults.leaseMs,
      pollMs: pollMs ?? defaults.pollMs,
      keepMs: keepMs ?? defaults.keepMs,
    };
    for (const [name, value] of Object.entries(this.#numbers)) {
      if (!Number.isSafeInteger(value) || value < 1) throw new ConfigurationError(`webhooks: "${name}" must be a whole number of at least 1.`);
    }
    const { longestAttemptMs } = options.settings.transport;
    if (!(this.#numbers.leaseMs > 2 * longestAttemptMs)) {
      throw new ConfigurationError(`webhooks: "leaseMs" must be more than twice the longest attempt of the transport, ${longestAttemptMs} ms.`);
    }
    // Every attempt under way listens to it.
    setMaxListeners(0, this.#stop.signal);
    const { timers, random, logger } = options;
    const shared = { timers, random, logger };
    this.#look = new Recurring({
      ...shared,
      run: () => this.#claim(),
      everyMs: this.#numbers.pollMs,
      failing: "The store cannot be asked for deliveries.",
    });
    this.#sweep = new Recurring({ ...shared, run: () => this.#removeOld(), everyMs: sweepEveryMs, failing: "Old deliveries cannot be removed." });
  }

  /** Looks for work at once, and whenever something is due. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#look.now();
    this.#sweep.later();
  }

  /** Something was enqueued here: looks at once. */
  wake(): void {
    if (this.#isStarted) this.#look.now();
  }

  /** Begins no more attempts and waits for those under way; what is cut off is made again by whoever claims it. */
  close({ graceMs = 10_000 }: { readonly graceMs?: number | undefined } = {}): Promise<void> {
    this.#closed ??= this.#close(graceMs);
    return this.#closed;
  }

  async #close(graceMs: number): Promise<void> {
    this.#look.stop();
    this.#sweep.stop();
    this.#next?.cancel();
    const { timers, settings } = this.#options;
    let last: Timer | undefined;
    const cut = new Promise<void>((resolve) => {
      last = timers.setTimeout(() => {
        this.#stop.abort();
        last = timers.setTimeout(resolve, cutOffMs);
      }, graceMs);
    });
    await Promise.race([this.#idle(), cut]);
    last?.cancel();
    await settings.transport.close();
  }

  async #idle(): Promise<void> {
    await Promise.all([this.#look.idle(), this.#sweep.idle()]);
    await Promise.all([...this.#underWay, ...this.#telling]);
  }

  async #claim(): Promise<void> {
    const { concurrency, perWebhook, leaseMs } = this.#numbers;
    const { deliveries } = this.#options.settings;
    const max = concurrency - this.#underWay.size;
    if (max <= 0) return;
    const claimed = await retrying(() => deliveries.claim({ leaseMs, max, maxPerWebhook: perWebhook }), this.#options);
    for (const delivery of claimed) this.#begin(delivery);
    if (claimed.length === 0) await this.#waitForNext();
    else if (claimed.length < max) this.#look.now();
  }

  /** The rows know when something is due; the poll repairs what they cannot know of other processes. */
  async #waitForNext(): Promise<void> {
    const { timers, settings } = this.#options;
    const dueInMs = await settings.deliveries.dueInMs(this.#numbers.perWebhook);
    this.#next?.cancel();
    if (dueInMs === undefined || dueInMs >= this.#numbers.pollMs || this.#closed !== undefined) return;
    this.#next = timers.setTimeout(() => this.#look.now(), dueInMs === 0 ? shortestWaitMs : dueInMs);
  }

  #begin(delivery: ClaimedDelivery): void {
    const { settings, clock, random, timers, logger } = this.#options;
    const onDisabled = (webhook: Webhook, reason: string) => this.#tell(this.#options.onDisabled(webhook, reason));
    const { perWebhook } = this.#numbers;
    const attempt = deliver(delivery, { settings, clock, random, timers, logger, onDisabled, perWebhook, signal: this.#stop.signal });
    const underWay = attempt.then(() => {
      this.#underWay.delete(underWay);
      this.#look.now();
    });
    this.#underWay.add(underWay);
  }

  #tell(told: Promise<void>): void {
    const telling = told.finally(() => this.#telling.delete(telling));
    this.#telling.add(telling);
  }

  async #removeOld(): Promise<void> {
    const { deliveries } = this.#options.settings;
    while (this.#closed === undefined && (await deliveries.sweep(this.#numbers.keepMs, sweptAtOnce)) === sweptAtOnce);
  }
}
