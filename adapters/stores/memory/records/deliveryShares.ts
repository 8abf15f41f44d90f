import type { DeliveryShares } from "../../../../src/ground/storage/queue/deliveries.js";
import type { Webhook } from "../../../../src/ground/storage/queue/webhooks.js";
import type { DeliveryRecord } from "./deliveryRecord.js";
import { byDue } from "./queuedRecords.js";

/** An active webhook with open deliveries. */
export interface ReadyWebhook {
  readonly webhook: Webhook;
  /** Its deliveries in flight. */
  readonly live: readonly DeliveryRecord[];
  /** How many it may have in flight. */
  readonly max: number;
  readonly isSlow: boolean;
}

/** A delivery that the limits of its webhook allow to claim. */
export interface Candidate {
  readonly record: DeliveryRecord;
  readonly ready: ReadyWebhook;
  /** How many deliveries its webhook would have in flight, including this one. */
  readonly rank: number;
}

/** The webhooks that use a share, and how many deliveries they have in flight. */
interface Share {
  live: number;
  readonly webhooks: ReadyWebhook[];
}

interface Tally {
  readonly all: Share;
  readonly slow: Share;
}

const unlimited = { maxPerTenant: Number.POSITIVE_INFINITY, maxSlowPerTenant: Number.POSITIVE_INFINITY, maxSlow: Number.POSITIVE_INFINITY };

/** Counts deliveries in flight per tenant and of slow webhooks, and applies the shares to candidates. */
export class DeliveryTally {
  readonly webhooks: readonly ReadyWebhook[];
  readonly #shares: Omit<DeliveryShares, "slowMs">;
  readonly #ofTenants = new Map<string | undefined, Tally>();
  readonly #slow: Share = { live: 0, webhooks: [] };

  constructor(webhooks: readonly ReadyWebhook[], shares: DeliveryShares | undefined) {
    this.webhooks = webhooks;
    this.#shares = shares ?? unlimited;
    for (const ready of webhooks) {
      const { all, slow } = this.#ofTenant(ready);
      for (const share of ready.isSlow ? [all, slow, this.#slow] : [all]) {
        share.live += ready.live.length;
        share.webhooks.push(ready);
      }
    }
  }

  /** The webhooks of a used-up share that this webhook needs; `undefined` if its shares have room. */
  fullShare(ready: ReadyWebhook): readonly ReadyWebhook[] | undefined {
    const { all, slow } = this.#ofTenant(ready);
    if (ready.isSlow && this.#slow.live >= this.#shares.maxSlow) return this.#slow.webhooks;
    if (ready.isSlow && slow.live >= this.#shares.maxSlowPerTenant) return slow.webhooks;
    return all.live >= this.#shares.maxPerTenant ? all.webhooks : undefined;
  }

  /** The candidates that the shares allow. Tenants with the fewest deliveries in flight come first. Each share applies to the candidates that the previous one left. */
  choose(candidates: readonly Candidate[], max: number): readonly Candidate[] {
    const { maxPerTenant, maxSlowPerTenant, maxSlow } = this.#shares;
    const byRank = candidates.toSorted((left, right) => left.rank - right.rank || bySpeed(left, right) || byDue(left.record, right.record));
    const ofTenants = this.#ranked(
      byRank.filter(({ ready }) => ready.isSlow),
      "slow",
      maxSlowPerTenant,
    );
    const slow = new Set(ofTenants.slice(0, Math.max(0, maxSlow - this.#slow.live)));
    return this.#ranked(
      byRank.filter((candidate) => !candidate.ready.isSlow || slow.has(candidate)),
      "all",
      maxPerTenant,
    ).slice(0, max);
  }

  /** Orders candidates by their rank within the tenant, which counts deliveries in flight and previous candidates; drops ranks above `max`. */
  #ranked(candidates: readonly Candidate[], which: "all" | "slow", max: number): readonly Candidate[] {
    const counts = new Map<string | undefined, number>();
    const ranked = candidates.map((candidate) => {
      const { tenant } = candidate.ready.webhook;
      const tenantRank = (counts.get(tenant) ?? this.#ofTenant(candidate.ready)[which].live) + 1;
      counts.set(tenant, tenantRank);
      return { candidate, tenantRank };
    });
    return ranked
      .filter(({ tenantRank }) => tenantRank <= max)
      .sort((left, right) => left.tenantRank - right.tenantRank || byDue(left.candidate.record, right.candidate.record))
      .map(({ candidate }) => candidate);
  }

  #ofTenant({ webhook: { tenant } }: ReadyWebhook): Tally {
    const known = this.#ofTenants.get(tenant) ?? { all: { live: 0, webhooks: [] }, slow: { live: 0, webhooks: [] } };
    this.#ofTenants.set(tenant, known);
    return known;
  }
}

function bySpeed(left: Candidate, right: Candidate): number {
  return Number(left.ready.isSlow) - Number(right.ready.isSlow);
}
