import type { ActiveWebhooks, Webhook, WebhookStore } from "../../../ground/storage/queue/webhooks.js";
import { compileEventPatterns, type EventMatcher } from "../../events/matchEvent.js";
import { compileEventFilter, type EventPredicate } from "./filter.js";

/** A webhook, compiled for the fan-out. */
export interface CompiledWebhook {
  readonly id: string;
  readonly matches: EventMatcher;
  /** `undefined` if it has no filter. */
  readonly filter: EventPredicate | undefined;
}

interface Known {
  readonly generation: string;
  readonly webhooks: readonly CompiledWebhook[];
}

const maxTenants = 1_000;

/** The active webhooks of tenants, compiled once and cached until they change. */
export class KnownWebhooks {
  readonly #known = new Map<string | undefined, Known>();

  /** @param store the store of the transaction, which may have changed webhooks itself */
  async of(tenant: string | undefined, store: WebhookStore): Promise<readonly CompiledWebhook[]> {
    const known = this.#known.get(tenant);
    const active = await store.active(tenant, known?.generation);
    if (active === undefined) return known?.webhooks ?? [];
    return this.#keep(tenant, active);
  }

  #keep(tenant: string | undefined, { generation, webhooks }: ActiveWebhooks): readonly CompiledWebhook[] {
    const compiled = webhooks.map(compile);
    this.#known.delete(tenant);
    if (this.#known.size >= maxTenants) this.#known.delete(this.#known.keys().next().value);
    this.#known.set(tenant, { generation, webhooks: compiled });
    return compiled;
  }
}

function compile({ id, events, filter }: Webhook): CompiledWebhook {
  return { id, matches: compileEventPatterns(events), filter: filter === undefined || filter === null ? undefined : compileEventFilter(filter) };
}
