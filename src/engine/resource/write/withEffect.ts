import { ConfigurationError } from "../../../ground/problem/index.js";
import type { Row } from "../../../ground/storage/collection.js";
import { type Context, readCall } from "../../operation/context.js";
import { Targets } from "../../operation/references/targets.js";
import { outOfScope } from "../../operation/rules/outOfScope.js";
import { isPromise, withinTime } from "../../operation/timeLimit.js";
import type { CreateEffect, Resource } from "../resource.js";
import { unknownReference } from "./conflict.js";
import { toRowValue } from "./rowValues.js";
import { requirePlain } from "./serverValues.js";

/** The time that remains for the write when the effect is aborted. */
const reserveMs = 5_000;
/** How long an effect may take to end after its signal is aborted. */
const lastMs = 1_000;
/** How long an effect may take without an idempotency key. */
const withoutKeyMs = 60_000;

/**
 * Runs the developer's effect and sets the members that it returns.
 *
 * @throws {ProblemError} UNKNOWN_REFERENCE, OUT_OF_SCOPE before the effect, HOOK_TIMEOUT if it does not end
 * @throws {ConfigurationError} for a member that is not in the schema, or an invalid value
 */
export async function withEffect(resource: Resource, effect: CreateEffect, context: Context, row: Row): Promise<Row> {
  const { environment, principal, requestId } = context;
  await requireTargets(resource, context, row);
  const { timers, ids, idempotency } = environment;
  const controller = new AbortController();
  const leaseMs = context.operationId === undefined ? withoutKeyMs : (idempotency?.leaseMs ?? withoutKeyMs);
  const abortMs = Math.max(leaseMs - reserveMs, leaseMs / 2);
  const stop = timers.setTimeout(() => controller.abort(new Error("The operation timed out.")), abortMs);
  // What obeys the signal says itself how it ended.
  const limit = { timers, limitMs: abortMs + Math.min(lastMs, leaseMs / 4), rule: `"create" of "${resource.name}"`, stop: () => {} };
  try {
    const call = { operationId: context.operationId ?? ids.ulid(), signal: controller.signal, principal, requestId };
    const pending = effect(membersOf(resource, row), call);
    const changes = isPromise(pending) ? await withinTime(pending, limit) : pending;
    return changes === undefined ? row : { ...row, ...(await checked(resource, changes)) };
  } finally {
    stop.cancel();
  }
}

/** The write checks this again, but by then the effect has happened. */
async function requireTargets(resource: Resource, context: Context, row: Row): Promise<void> {
  const { scopes, environment } = context;
  const { references, storage, version } = environment;
  // A row of a version is judged by the write, when it is a row of the schema.
  const inside = version !== undefined || scopes?.answer(resource.name, "create", "after").includes(row, environment, readCall(context));
  if ((await inside) === false) throw outOfScope();
  const held = references.heldBy.get(resource.name) ?? [];
  const missing = (await new Targets(held, storage, [], { scopes: context.scopes }).missing([row], readCall(context))).get(row);
  if (missing !== undefined) throw unknownReference(missing);
}

function membersOf(resource: Resource, row: Row): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const { name } of resource.fields.values()) if (row[name] !== undefined) members[name] = row[name];
  return members;
}

async function checked(resource: Resource, changes: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
  requirePlain(`${resource.name}: "create"`, changes);
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(changes)) {
    const field = resource.fields.get(name);
    if (field === undefined) throw new ConfigurationError(`${resource.name}: "create" returned "${name}", which is not a field.`);
    const validation = await field.validate(value, [name]);
    if (!validation.ok) throw new ConfigurationError(`${resource.name}: "create" returned a "${name}" that the schema refuses.`);
    values[name] = toRowValue(field, validation.value);
  }
  return values;
}
