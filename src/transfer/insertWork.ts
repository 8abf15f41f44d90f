import { type Context, readCall } from "../operation/context.js";
import { inTurns } from "../operation/inTurns.js";
import { ProblemError } from "../problem/index.js";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../storage/collection.js";
import { FieldPermits } from "./fieldPermits.js";
import { importedRow } from "./importedRow.js";
import type { ImportWork } from "./importWork.js";
import { insertRows } from "./insertRows.js";
import type { ReadMembers } from "./members.js";
import { findMissingReferences } from "./references.js";
import { type FailedRow, failedRow, faultsOf, type RowResult } from "./rowResult.js";
import type { SourceRow } from "./rows.js";

/** A row that may be inserted, or why it may not. */
type Judged = { readonly row: SourceRow; readonly values: Row } | FailedRow;

/**
 * Imports rows as new ones.
 *
 * @param operationIdOf where no transaction keeps what was done: tells a row from every other, the same in each try
 */
export function insertWork(
  resource: Resource,
  context: Context,
  read: ReadMembers,
  operationIdOf: (row: SourceRow) => string | undefined = () => undefined,
): ImportWork {
  const permits = new FieldPermits(resource, context);
  const judge = (row: SourceRow) => judgeRow(resource, context, permits, read, row);
  const namesItself = [...resource.relations.values()].some(({ kind, collection }) => kind === "belongsTo" && collection === resource.name);
  return {
    canLookAhead: !namesItself,
    async findHopeless(rows) {
      const judged = await withReferences(resource, context, await inTurns(rows, judge), true);
      return judged.find((each) => "faults" in each);
    },
    async prepare(rows) {
      const judged = await withReferences(resource, context, await inTurns(rows, judge));
      return {
        failed: judged.filter((each) => "faults" in each),
        async write(tx) {
          const ready = judged.flatMap((each) => ("values" in each ? [each] : []));
          const inserted = await insertRows(
            resource,
            context,
            ready.map(({ row, values }) => ({ values, operationId: operationIdOf(row) })),
            { tx, wantsRows: false },
          );
          let next = 0;
          return judged.map((each): RowResult => {
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

async function judgeRow(resource: Resource, context: Context, permits: FieldPermits, read: ReadMembers, row: SourceRow): Promise<Judged> {
  const members = read(row);
  if ("code" in members) return failedRow(row, members);
  try {
    const allowed = await permits.toCreate([...Object.keys(members.members), ...Object.keys(members.generated)]);
    return { row, values: await importedRow(resource, context, members, allowed) };
  } catch (error) {
    if (error instanceof ProblemError && error.status < 500) return failedRow(row, ...faultsOf(error));
    throw error;
  }
}

async function withReferences(resource: Resource, context: Context, judged: readonly Judged[], exceptOwn = false): Promise<readonly Judged[]> {
  const values = judged.map((each) => ("values" in each ? each.values : undefined));
  const faults = await findMissingReferences(resource, context.environment, values, readCall(context), { exceptOwn });
  return judged.map((each, index) => {
    const fault = faults[index];
    return fault === undefined ? each : failedRow(each.row, fault);
  });
}
