import type { Context } from "../operation/context.js";
import { ConfigurationError } from "../problem/index.js";
import type { Row } from "../storage/collection.js";
import type { CreateEffect, Resource } from "./resource.js";
import { toRowValue } from "./rowValues.js";

/** What is left for the write when the effect is told to stop. */
const reserveMs = 5_000;
/** How long an effect may take that no other try waits for. */
const withoutKeyMs = 60_000;

/**
 * Lets the developer's effect happen and sets what it returns.
 *
 * @throws {ConfigurationError} for a member that the schema does not have, or a value that it refuses
 */
export async function withEffect(resource: Resource, effect: CreateEffect, context: Context, row: Row): Promise<Row> {
  const { environment, principal, requestId } = context;
  const { timers, ids, idempotency } = environment;
  const controller = new AbortController();
  const leaseMs = context.operationId === undefined ? withoutKeyMs : (idempotency?.leaseMs ?? withoutKeyMs);
  const stop = timers.setTimeout(
    () => controller.abort(new Error("The time for this operation is over.")),
    Math.max(leaseMs - reserveMs, leaseMs / 2),
  );
  try {
    const call = { operationId: context.operationId ?? ids.ulid(), signal: controller.signal, principal, requestId };
    const changes = await effect(membersOf(resource, row), call);
    return changes === undefined ? row : { ...row, ...(await checked(resource, changes)) };
  } finally {
    stop.cancel();
  }
}

function membersOf(resource: Resource, row: Row): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const { name } of resource.fields.values()) if (row[name] !== undefined) members[name] = row[name];
  return members;
}

async function checked(resource: Resource, changes: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(changes)) {
    const field = resource.fields.get(name);
    if (field === undefined) throw new ConfigurationError(`${resource.name}: "create" returned "${name}", which is no field.`);
    const validation = await field.validate(value, [name]);
    if (!validation.ok) throw new ConfigurationError(`${resource.name}: "create" returned a "${name}" that the schema refuses.`);
    values[name] = toRowValue(field, validation.value);
  }
  return values;
}
