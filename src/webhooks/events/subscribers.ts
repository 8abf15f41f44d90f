import type { ActiveWebhooks, Webhook, WebhookStore } from "../../storage/webhooks.js";
import { compileEventFilter, type EventPredicate } from "./filter.js";
import { compileEventPatterns, type EventMatcher } from "./matchEvent.js";

/** A webhook, compiled for the fan-out. */
export interface Subscriber {
  readonly id: string;
  readonly matches: EventMatcher;
  /** `undefined` if it has no filter. */
  readonly filter: EventPredicate | undefined;
}

interface Known {
  readonly generation: string;
  readonly subscribers: readonly Subscriber[];
}

const maxTenants = 1_000;

/** The active webhooks of tenants, compiled once and cached until they change. */
export class Subscribers {
  readonly #known = new Map<string | undefined, Known>();

  /** @param store the store of the transaction, which may have changed webhooks itself */
  async of(tenant: string | undefined, store: WebhookStore): Promise<readonly Subscriber[]> {
    const known = this.#known.get(tenant);
    const active = await store.active(tenant, known?.generation);
    if (active === undefined) return known?.subscribers ?? [];
    return this.#keep(tenant, active);
  }

  #keep(tenant: string | undefined, { generation, webhooks }: ActiveWebhooks): readonly Subscriber[] {
    const subscribers = webhooks.map(subscriberOf);
    this.#known.delete(tenant);
    if (this.#known.size >= maxTenants) this.#known.delete(this.#known.keys().next().value);
    this.#known.set(tenant, { generation, subscribers });
    return subscribers;
  }
}

function subscriberOf({ id, events, filter }: Webhook): Subscriber {
  return { id, matches: compileEventPatterns(events), filter: filter === undefined || filter === null ? undefined : compileEventFilter(filter) };
}
