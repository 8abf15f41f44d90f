import type { Environment } from "../../../engine/operation/environment.js";
import { renewPrincipal } from "../../../engine/operation/principals.js";
import type { AllowedRows } from "../../../engine/operation/rules/allowedRows.js";
import type { Scopes } from "../../../engine/operation/rules/scopes.js";
import { backgroundTimer } from "../../../ground/http/timers.js";
import { isRefusal, ProblemError } from "../../../ground/problem/index.js";
import type { StoredEvent } from "../../../ground/storage/queue/deliveries.js";
import type { Webhook } from "../../../ground/storage/queue/webhooks.js";
import type { Principal } from "../../../parts/auth/verifier.js";
import type { Subjects } from "../../events/subjects.js";
import { storedOwner } from "../registration/storedOwner.js";
import { internalDelayMs } from "./classify.js";

/** How long the answers of scopes are used, in milliseconds. */
const keptMs = 60_000;
/** How long a scope may take, in milliseconds: less than the lease of a delivery, which would be logged as interrupted. */
const maxAskMs = 10_000;
/** The most webhooks whose answers are kept. */
const maxWebhooks = 10_000;

/** What is known of the owner of a webhook. */
interface Owner {
  untilMs: number;
  /** Whether something failed. It was logged, and is not tried again before `untilMs`. */
  hasFailed: boolean;
  readonly scopes: Promise<Scopes | undefined>;
  /** By collection; `undefined` if the owner may read nothing. */
  readonly answers: Map<string, Promise<AllowedRows | undefined>>;
}

type Parts = Pick<Environment, "scopesOf" | "principals" | "clock" | "timers" | "logger" | "limits" | "storage">;

/** The `read` scopes of the owners of webhooks: which events each webhook may get now. They are asked when an event is sent, never when it is written. */
export class OwnerScopes {
  readonly #environment: Parts;
  readonly #subjects: Subjects;
  /** By id and version of the webhook, the one that ends first at the front. */
  readonly #owners = new Map<string, Owner>();
  readonly #warned = new Set<string>();

  constructor(environment: Parts, subjects: Subjects) {
    this.#environment = environment;
    this.#subjects = subjects;
  }

  /**
   * Whether the owner may read the row of an event. An event that is about no row is for everyone.
   *
   * @throws {unknown} what a scope, `principals.reload` or the store throws; it was logged
   */
  async allows(webhook: Webhook, event: StoredEvent): Promise<boolean> {
    const subject = this.#subjects.read(event);
    if (subject === "anyone") return true;
    if (subject === "nobody") {
      this.#warnOnce(event.type, { type: event.type }, "Events are not sent: the rows that they are about were not stored with them.");
      return false;
    }
    const owner = this.#ownerOf(webhook);
    const { storage, limits } = this.#environment;
    try {
      const allowed = await this.#answerOf(owner, subject.collection);
      const call = { tenant: event.tenant, actor: webhook.owner, budgetMs: limits.queryMs };
      return allowed !== undefined && (await allowed.includes(subject.row, { storage }, call));
    } catch (error) {
      this.#note(error, owner, webhook, subject.collection);
      throw error;
    }
  }

  #ownerOf(webhook: Webhook): Owner {
    const nowMs = this.#environment.clock.now();
    // A new version may have a new principal.
    const key = `${webhook.id} ${webhook.version}`;
    const known = this.#owners.get(key);
    if (known !== undefined && isCurrent(known, nowMs)) return known;
    this.#owners.delete(key);
    for (const [first, owner] of this.#owners) {
      if (isCurrent(owner, nowMs) && this.#owners.size < maxWebhooks) break;
      this.#owners.delete(first);
    }
    const owner = { untilMs: nowMs + keptMs, hasFailed: false, scopes: this.#scopesOf(webhook), answers: new Map() };
    this.#owners.set(key, owner);
    return owner;
  }

  async #scopesOf(webhook: Webhook): Promise<Scopes | undefined> {
    return this.#environment.scopesOf(await this.#principalOf(webhook));
  }

  /** The owner as it is now. @throws {ProblemError} FORBIDDEN if it no longer exists */
  async #principalOf(webhook: Webhook): Promise<Principal> {
    const { principals } = this.#environment;
    const stored = storedOwner(webhook);
    if (stored === undefined && !principals?.reload) {
      this.#warnOnce(webhook.id, { webhook: webhook.id }, ownerMissing);
      throw new ProblemError("FORBIDDEN", "The owner of the webhook is not known.");
    }
    return renewPrincipal(this.#environment, stored ?? { id: webhook.owner, tenant: webhook.tenant });
  }

  #answerOf({ scopes, answers }: Owner, collection: string): Promise<AllowedRows | undefined> {
    let answer = answers.get(collection);
    if (answer === undefined) {
      answer = this.#inTime(scopes.then((asked) => asked?.ask(collection, "read", "before"))).catch(nothingIfRefused);
      answers.set(collection, answer);
    }
    return answer;
  }

  #inTime<R>(asked: Promise<R>): Promise<R> {
    return new Promise((resolve, reject) => {
      const late = () => reject(new Error(`The scope did not answer within ${maxAskMs / 1_000} seconds.`));
      const timer = backgroundTimer(this.#environment.timers, late, maxAskMs);
      asked.then(resolve, reject).finally(() => timer.cancel());
    });
  }

  /** Logs the first failure of a webhook, and asks again when its deliveries are due again. */
  #note(error: unknown, owner: Owner, webhook: Webhook, collection: string): void {
    if (owner.hasFailed) return;
    owner.hasFailed = true;
    owner.untilMs = Math.min(owner.untilMs, this.#environment.clock.now() + internalDelayMs);
    const facts = { err: error, webhook: webhook.id, collection };
    this.#environment.logger.error(facts, "Asking what the owner of a webhook may read failed; its deliveries wait.");
  }

  #warnOnce(about: string, facts: Readonly<Record<string, unknown>>, message: string): void {
    if (this.#warned.has(about)) return;
    if (this.#warned.size >= maxWebhooks) this.#warned.clear();
    this.#warned.add(about);
    this.#environment.logger.warn(facts, message);
  }
}

const ownerMissing =
  'A webhook was registered before its owner was stored with it: it gets no event of a collection with a scope until its owner changes it, or "principals.reload" is set.';

/** Not longer than that if the clock is set back. */
function isCurrent({ untilMs }: Owner, nowMs: number): boolean {
  return nowMs < untilMs && nowMs >= untilMs - keptMs;
}

/** A refusal is an answer; a fault of the service or of what the scope asks is not. */
function nothingIfRefused(error: unknown): undefined {
  if (isRefusal(error) && error.status !== 429) return undefined;
  throw error;
}
