import type { DeliveryLease, DeliveryTrigger, HeldOutcome, RecordedDelivery } from "../../../../../src/ground/storage/queue/deliveries.js";
import { webhookAfterAttempt } from "../../../../../src/ground/storage/queue/webhookLife.js";
import type { Webhook } from "../../../../../src/ground/storage/queue/webhooks.js";
import { Bindings } from "../../engine/bindings.js";
import type { Dialect } from "../../engine/dialect.js";
import type { SqlRow, SqlStatement } from "../../engine/executor.js";
import { run, type Session } from "../../engine/session.js";
import { jsonRows } from "../../query/jsonRows.js";
import { leasedDeliveries } from "../queue/leases.js";
import { type AttemptRow, insertAttempts } from "./deliveryStatements.js";
import { toWebhook } from "./webhookRow.js";
import { writeWebhook } from "./webhooks.js";

/** A result as it is written. */
interface EndedDelivery extends HeldOutcome {
  readonly held: SqlRow;
  readonly recorded: RecordedDelivery;
}

/**
 * Records results in as many statements as one result needs.
 *
 * Locks the webhooks before their deliveries, as disabling a webhook does: a delivery that becomes pending again is then canceled by one of the two.
 */
export async function recordResults(session: Session, results: readonly HeldOutcome[]): Promise<readonly (RecordedDelivery | undefined)[]> {
  const dialect = session.dialect;
  const leases = results.map(({ lease }) => lease);
  const locked = (await run(session, lockReceivers(dialect, leases))).rows;
  const before = new Map(locked.map((row) => [String(row["id"]), toWebhook(row)]));
  const after = new Map(before);
  const held = new Map((await run(session, lockHeld(dialect, leases))).rows.map((row) => [String(row["id"]), row]));
  const ended = results.map((result): EndedDelivery | undefined => {
    const row = held.get(result.lease.id);
    if (row === undefined || Number(row["fence"]) !== result.lease.fence) return undefined;
    // The next result of the same lease has lost it.
    held.delete(result.lease.id);
    return { ...result, held: row, recorded: consequence(String(row["webhook"]), result, after, new Date(Number(row["now"]))) };
  });
  const written = ended.filter((one) => one !== undefined);
  if (written.length > 0) await run(session, endLeases(dialect, written));
  const attempts = attemptsOf(written);
  if (attempts.length > 0) await run(session, insertAttempts(dialect, attempts));
  for (const [id, webhook] of after) {
    const was = before.get(id);
    if (was !== undefined && was !== webhook) await writeWebhook(session, was, webhook);
  }
  return ended.map((one) => one?.recorded);
}

/** What a result changes for its delivery, and for its webhook in `webhooks`. */
function consequence(id: string, { outcome }: HeldOutcome, webhooks: Map<string, Webhook>, at: Date): RecordedDelivery {
  const before = webhooks.get(id);
  const after = before && webhookAfterAttempt(before, outcome, at);
  if (after !== undefined) webhooks.set(id, after);
  return {
    state: outcome.next.state === "pending" && after?.active !== true ? "canceled" : outcome.next.state,
    consecutiveFailures: after?.consecutiveFailures ?? 0,
    disabled: before?.active === true && after?.active === false ? after.disabledReason : undefined,
  };
}

/** Locks the webhooks of deliveries until the transaction ends, always in the same order. */
function lockReceivers(dialect: Dialect, leases: readonly DeliveryLease[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const receivers = `select "webhook" from ${dialect.place.own.deliveries} where "id" in (${idList(leases, bindings)})`;
  const text = `select * from ${dialect.place.own.webhooks} where "id" in (${receivers}) order by "id"${dialect.locks.update}`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

/** Locks the deliveries that are still being sent, and selects what is needed to end them. */
function lockHeld(dialect: Dialect, leases: readonly DeliveryLease[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const columns = `"id", "fence", "webhook", "attempts", "trigger", ${dialect.now} as "now"`;
  const where = `"id" in (${idList(leases, bindings)}) and ${leasedDeliveries.held}`;
  const text = `select ${columns} from ${dialect.place.own.deliveries} where ${where} order by "number"${dialect.locks.update}`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

function idList(leases: readonly DeliveryLease[], bindings: Bindings): string {
  return bindings.dialect.list("text", bindings.bind(JSON.stringify(leases.map(({ id }) => id))));
}

/** Ends locked leases and notes their attempts; unless the new state is `pending`, also ends the deliveries. */
function endLeases(dialect: Dialect, ended: readonly EndedDelivery[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const { source, names } = jsonRows(bindings, [
    { kind: "text", values: ended.map(({ lease }) => lease.id) },
    { kind: "text", values: ended.map(({ recorded }) => recorded.state) },
    { kind: "int", values: ended.map(({ outcome: { next } }) => (next.state === "pending" ? Math.ceil(next.delayMs) : 0)) },
    { kind: "int", values: ended.map(({ outcome: { attempt } }) => (attempt === undefined ? 0 : 1)) },
    { kind: "int", values: ended.map(({ outcome: { attempt } }) => attempt?.startedAt.getTime() ?? null) },
    { kind: "int", values: ended.map(({ outcome: { attempt } }) => attempt?.status ?? null) },
    { kind: "text", values: ended.map(({ outcome: { attempt } }) => attempt?.errorCode ?? null) },
    { kind: "text", values: ended.map(({ outcome: { attempt } }) => attempt?.url ?? null) },
  ]);
  const [id, state, delay, attempts, last, status, error, url] = names;
  const clock = dialect.now;
  const table = dialect.place.own.deliveries;
  const noted = (column: string, value: string | undefined) => `"${column}" = case when ${attempts} = 1 then ${value} else ${table}."${column}" end`;
  const assignments = [
    `"state" = ${state}, "due" = ${clock} + ${delay}, "ended" = case when ${state} = 'pending' then null else ${clock} end`,
    `"attempts" = ${table}."attempts" + ${attempts}`,
    ...[noted("last", last), noted("status", status), noted("error", error), noted("url", url)],
  ];
  const text = `update ${table} set ${assignments.join(", ")} from ${source} where ${table}."id" = ${id}`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}

/** The attempts of results that have one, as the log stores them. */
function attemptsOf(ended: readonly EndedDelivery[]): readonly AttemptRow[] {
  return ended.flatMap(({ lease, held, outcome: { attempt } }) => {
    if (attempt === undefined) return [];
    const n = Number(held["attempts"]) + 1;
    return [{ ...attempt, delivery: lease.id, n, trigger: held["trigger"] as DeliveryTrigger, interrupted: false }];
  });
}
