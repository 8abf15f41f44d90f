import { type Context, readCall } from "../../../../engine/operation/context.js";
import type { Permit } from "../../../../engine/operation/permit.js";
import { Targets } from "../../../../engine/operation/references/targets.js";
import { prepareWrite } from "../../../../engine/operation/rules/prepareWrite.js";
import type { Resource } from "../../../../engine/resource/resource.js";
import { unknownReference } from "../../../../engine/resource/write/conflict.js";
import { whenReady } from "../../../../ground/http/whenReady.js";
import { mapInTurns } from "../../../../ground/http/yieldToEventLoop.js";
import { isRefusal } from "../../../../ground/problem/index.js";
import type { Row } from "../../../../ground/storage/collection.js";
import type { SourceRow } from "../../rows.js";
import type { ReadMembers, RowMembers } from "../columns/members.js";
import { FieldPermits } from "./fieldPermits.js";
import type { RowEffect } from "./importEffect.js";
import { importedRow } from "./importedRow.js";
import type { ImportWork } from "./importWork.js";
import { insertRows } from "./insertRows.js";
import { type FailedRow, failedRow, faultsOf, type RowResult } from "./rowResult.js";

/** A row that can be inserted, or why it cannot. */
type ValidatedRow = { readonly row: SourceRow; readonly values: Row } | FailedRow;

/** Options of `insertWork`. */
export interface InsertWorkOptions {
  readonly resource: Resource;
  readonly context: Context;
  readonly read: ReadMembers;
  /** For storages without transactions: the operation id of a row, the same in every attempt. */
  readonly operationIdOf?: ((row: SourceRow) => string | undefined) | undefined;
  readonly effect?: RowEffect | undefined;
}

/** Inserts every row of the file as a new one. */
export function insertWork({ resource, context, read, operationIdOf = () => undefined, effect }: InsertWorkOptions): ImportWork {
  const permits = new FieldPermits(resource, context);
  // The rows of a chunk are written at once: they have one instant, which stores are sent once.
  const validateAll = (rows: readonly SourceRow[]) => {
    const nowMs = context.environment.clock.now();
    const make = (members: RowMembers, allowed: Permit) => importedRow(resource, context, members, allowed, nowMs);
    return mapInTurns(rows, (row) => validateRow(permits, read, make, row));
  };
  return {
    canPrefetch: effect === undefined,
    async findInvalid(rows) {
      await prepareWrite(context, resource, "create");
      const validated = await withReferences(resource, context, await validateAll(rows));
      return validated.find((each) => "faults" in each);
    },
    async prepare(rows) {
      await prepareWrite(context, resource, "create");
      const validated = await validateAll(rows);
      const prepared = effect === undefined ? validated : await mapInTurns(validated, (each) => withEffectOf(effect, each));
      return {
        failed: prepared.filter((each) => "faults" in each),
        async write(tx) {
          const ready = prepared.filter((each) => "values" in each);
          const inserted = await insertRows(
            resource,
            context,
            ready.map(({ row, values }) => ({ number: row.row, values, operationId: operationIdOf(row) })),
            { tx, wantsRows: false },
          );
          let next = 0;
          return prepared.map((each): RowResult => {
            if (!("values" in each)) return each;
            const outcome = inserted[next++];
            if (outcome === undefined) throw new Error(`${ready.length} rows were inserted with ${inserted.length} results.`);
            return outcome.ok ? { row: each.row, outcome: "created" } : failedRow(each.row, ...outcome.faults);
          });
        },
      };
    },
  };
}

/** Not an async function: each would make promises of its own for every row of a file. */
function validateRow(
  permits: FieldPermits,
  read: ReadMembers,
  make: (members: RowMembers, allowed: Permit) => Row | Promise<Row>,
  row: SourceRow,
): ValidatedRow | Promise<ValidatedRow> {
  const members = read(row);
  if ("code" in members) return failedRow(row, members);
  const refuse = (error: unknown): FailedRow => {
    if (isRefusal(error)) return failedRow(row, ...faultsOf(error));
    throw error;
  };
  try {
    const made = whenReady(permits.toCreate(members), (permit) => make(members, permit));
    return made instanceof Promise ? made.then((values) => ({ row, values }), refuse) : { row, values: made };
  } catch (error) {
    return refuse(error);
  }
}

async function withEffectOf(effect: RowEffect, validated: ValidatedRow): Promise<ValidatedRow> {
  if (!("values" in validated)) return validated;
  const done = await effect(validated.row, validated.values);
  return "values" in done ? { row: validated.row, values: done.values } : done;
}

/** Fails rows that refer to missing rows of other collections. References within the collection are checked by the write, since the file may contain them. */
async function withReferences(resource: Resource, context: Context, validated: readonly ValidatedRow[]): Promise<readonly ValidatedRow[]> {
  const { references, storage } = context.environment;
  const others = references.heldBy.get(resource.name)?.filter(({ holder, target }) => holder !== target) ?? [];
  const values = validated.flatMap((each) => ("values" in each ? [each.values] : []));
  const missing = await new Targets(others, storage, [], { scopes: context.scopes }).missing(values, readCall(context));
  return validated.map((each) => {
    const faults = "values" in each ? missing.get(each.values) : undefined;
    return faults === undefined ? each : failedRow(each.row, ...faultsOf(unknownReference(faults)));
  });
}
