import type { DeliveryTrigger, NewEvent, StoredEvent } from "../../../../../src/ground/storage/queue/deliveries.js";
import { Bindings } from "../../engine/bindings.js";
import type { Dialect } from "../../engine/dialect.js";
import type { SqlStatement } from "../../engine/executor.js";
import { jsonRows } from "../../query/jsonRows.js";

const columns = `"id", "event", "type", "webhook", "tenant", "trigger", "state", "attempts", "fence", "due", "created", "claimed"`;

/** An event, as far as its deliveries are concerned. */
export type EventToDeliver = Pick<NewEvent, "id" | "type" | "tenant" | "deliveries">;

/**
 * Inserts the deliveries of events to active webhooks, in the given order; returns their ids.
 *
 * @param condition of the text of the tenant, beside that
 */
export function insertDeliveries(
  dialect: Dialect,
  given: readonly EventToDeliver[],
  condition: (tenant: string) => string = () => "true",
): SqlStatement {
  const rows = given.flatMap(({ id: event, type, tenant = "", deliveries: made }) =>
    made.map(({ id, webhook }) => [id, event, type, webhook, tenant]),
  );
  const bindings = new Bindings(dialect);
  const { source, names, order } = jsonRows(
    bindings,
    [0, 1, 2, 3, 4].map((column) => ({ kind: "text", values: rows.map((row) => row[column]) })),
  );
  const from = `${source} join ${dialect.place.own.webhooks} as target on target."id" = ${names[3]} and target."active" = 1`;
  const where = condition(names[4] ?? "");
  return insertSelected(dialect, `select ${names.join(", ")}, ${unclaimed(dialect, "auto")} from ${from} where ${where} order by ${order}`, bindings);
}

/** Inserts new deliveries for the events of existing ones, and locks these events against removal; returns the ids. */
export function insertReplays(dialect: Dialect, given: readonly { readonly id: string; readonly of: string }[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const { source, names, order } = jsonRows(bindings, [
    { kind: "text", values: given.map(({ id }) => id) },
    { kind: "text", values: given.map(({ of }) => of) },
  ]);
  const from =
    `${source} join ${dialect.place.own.deliveries} as original on original."id" = ${names[1]} join ${dialect.place.own.events} as event on event."id" = original."event" ` +
    `join ${dialect.place.own.webhooks} as target on target."id" = original."webhook" and target."active" = 1`;
  const copied = `original."event", original."type", original."webhook", original."tenant"`;
  return insertSelected(
    dialect,
    `select ${names[0]}, ${copied}, ${unclaimed(dialect, "replay")} from ${from} where true order by ${order}${dialect.locks.shareOf("event")}`,
    bindings,
  );
}

/** Inserts a delivery that has already ended; returns its id. */
export function insertTest(
  dialect: Dialect,
  event: StoredEvent,
  { id, webhook, state }: { readonly id: string; readonly webhook: string; readonly state: "succeeded" | "dead" },
): SqlStatement {
  const bindings = new Bindings(dialect);
  const texts = [id, event.id, event.type, webhook, event.tenant ?? "", "test", state].map((text) => bindings.bind(text));
  const clock = dialect.now;
  const values = [...texts, "0", "0", clock, clock, clock, clock].join(", ");
  const text = `insert into ${dialect.place.own.deliveries} (${columns}, "ended") values (${values}) on conflict ("id") do nothing returning "id"`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

/** The values of a delivery that was never claimed, from the column "trigger" on. */
function unclaimed({ now }: Dialect, trigger: DeliveryTrigger): string {
  return `'${trigger}', 'pending', 0, 0, ${now}, ${now}, ${now}`;
}

function insertSelected(dialect: Dialect, select: string, { values }: Bindings): SqlStatement {
  const text = `insert into ${dialect.place.own.deliveries} (${columns}) ${select} on conflict ("id") do nothing returning "id"`;
  return { text, values, writes: true, returns: "many" };
}
