import type { Ids } from "../operation/ids.js";
import type { NewEvent } from "../storage/deliveries.js";
import type { Storage } from "../storage/storage.js";
import type { SerializedEvent } from "./event.js";
import type { Subscribers } from "./subscribers.js";

/**
 * Enqueues events for the webhooks of a tenant that want them, in the transaction that is given. What nobody wants is not kept.
 *
 * @param except a webhook that is to hear nothing of it
 * @returns how many deliveries were made
 */
export async function fanOut(
  tx: Pick<Storage, "webhooks" | "deliveries" | "name">,
  tenant: string | undefined,
  events: readonly SerializedEvent[],
  { subscribers, ids, except }: { readonly subscribers: Subscribers; readonly ids: Ids; readonly except?: string | undefined },
): Promise<number> {
  const { webhooks, deliveries } = tx;
  if (webhooks === undefined || deliveries === undefined) throw new Error(`The storage "${tx.name}" keeps no webhooks.`);
  if (events.length === 0) return 0;
  const candidates = (await subscribers.of(tenant, webhooks)).filter(({ id }) => id !== except);
  if (candidates.length === 0) return 0;
  const wanted = events.flatMap((event): NewEvent[] => {
    const typed = candidates.filter(({ matches }) => matches(event.type));
    const data: unknown = typed.some(({ filter }) => filter !== undefined) ? JSON.parse(event.dataJson) : undefined;
    const to = typed.filter(({ filter }) => filter === undefined || filter(data));
    if (to.length === 0) return [];
    const made = to.map(({ id }) => ({ id: `dlv_${ids.ulid()}`, webhook: id }));
    return [{ id: event.id, type: event.type, tenant, createdAt: new Date(event.createdAt), body: Buffer.from(event.body), deliveries: made }];
  });
  return wanted.length === 0 ? 0 : (await deliveries.enqueue(wanted)).length;
}
