import { ConfigurationError } from "../../ground/problem/index.js";
import { joinId } from "../../ground/storage/compositeId.js";
import { parseQueryMembers, readSelection } from "../../language/query/conditions/body.js";
import type { Faults } from "../../language/query/fault.js";
import { type ListQuery, refuseFaults } from "../../language/query/grammar/parse.js";
import { type Gate, gateFor } from "../../language/schema/access.js";
import { readableRows } from "../operation/rules/readableRows.js";
import { type ShownList, selectList, showList } from "../resource/read/answerList.js";
import { countTotal } from "../resource/read/count.js";
import { metaOf } from "../resource/read/envelope.js";
import { noSuchRow } from "../resource/read/identify.js";
import { readRow, selectOfRow } from "../resource/read/read.js";
import { includeRelations } from "../resource/relations/include.js";
import type { LinkedResource } from "../resource/relations/link.js";
import { resolveRelations } from "../resource/relations/relatedFilter.js";
import type { Resource } from "../resource/resource.js";
import { type Caller, callContext } from "./caller.js";
import type { CallId, CallList, CallRow, ListOptions, LockOptions, MatchOptions, ShowOptions, WalkOptions } from "./collectionCalls.js";

/** A page of a list. @throws {ProblemError} 400 with all faults, 403 */
export function listRows(caller: Caller, linked: LinkedResource, { lock, ...options }: ListOptions): Promise<CallList> {
  return readList(caller, linked, { options, lock }, ({ page, shown }) => ({ data: shown, meta: metaOf(page) }));
}

/** All rows of a list, page by page with cursors: rows that are written meanwhile may be among them. @throws {ProblemError} 400 with all faults, 403 */
export async function* walkRows(
  caller: Caller,
  linked: LinkedResource,
  { limit = Number.POSITIVE_INFINITY, ...options }: WalkOptions,
): AsyncGenerator<CallRow, void, void> {
  const { perPage = caller.environment.limits.maxPerPage } = options;
  let cursor: string | undefined;
  for (let left = limit; left > 0; ) {
    const asked = { ...options, cursor, count: "none", perPage: typeof perPage === "number" ? Math.min(perPage, left) : perPage };
    // The cursor does not leave the process, so it may hold values that the principal may not read.
    const { page, shown } = await readList(
      caller,
      linked,
      { options: asked },
      (list) => list,
      () => "allowed",
    );
    yield* shown;
    if (!page.hasNext) return;
    if (page.nextCursor === null) throw new Error(`"${linked.name}" cannot be walked in this order: a value of the sort keys cannot be compared.`);
    cursor = page.nextCursor;
    left -= shown.length;
  }
}

/** How many rows match. @throws {ProblemError} 400 with all faults, 403 */
export async function countRows(caller: Caller, linked: LinkedResource, options: MatchOptions): Promise<number> {
  const context = await callContext(caller, { method: "GET", action: "list", collection: linked.name });
  const faults: Faults = [];
  const { filter } = queryOf(caller, linked, gateFor(caller.principal, context.permit.fields), options, faults);
  refuseFaults(faults);
  const rows = await readableRows(context, linked.name);
  return (await countTotal(rows, context, await resolveRelations(linked, context, filter), { mode: "exact" })).total ?? 0;
}

/** One row. @throws {ProblemError} NOT_FOUND, 400 with all faults, 403 */
export async function getRow(caller: Caller, linked: LinkedResource, id: CallId, { lock, ...options }: ShowOptions & LockOptions): Promise<CallRow> {
  const { resource } = linked;
  const context = await callContext(caller, { method: "GET", action: "read", collection: linked.name, lock });
  return readRow(resource, context, idText(resource, id), (row, allowed) => {
    const faults: Faults = [];
    const selection = selectOfRow(linked, context, allowed, readSelection({ ...options }, faults), faults);
    const shown = resource.views.chosen(selection, "full", context.principal, allowed.fields).select(row);
    if (selection.relations.size === 0) return shown;
    return includeRelations(linked, context, [row], [shown], selection.relations).then(() => shown);
  });
}

/**
 * The text of an id, as a path has it.
 *
 * @throws {ProblemError} NOT_FOUND for what cannot be an id
 * @throws {ConfigurationError} for a composite id with other parts than those of the collection
 */
export function idText(resource: Resource, id: CallId): string {
  const { idNames, name } = resource;
  if (idNames.length > 1 && typeof id !== "string") {
    const isTuple = Array.isArray(id) && id.length === idNames.length && id.every((part) => ["string", "number", "bigint"].includes(typeof part));
    if (!isTuple) throw new ConfigurationError(`An id of "${name}" is an array with ${idNames.join(", ")}.`);
    const parts = id.map(String);
    // Half of a surrogate pair has no UTF-8.
    if (parts.every((part) => part.isWellFormed())) return joinId(parts);
  }
  if (typeof id === "string" || typeof id === "number" || typeof id === "bigint") return String(id);
  throw noSuchRow(resource, String(id));
}

async function readList<Answer>(
  caller: Caller,
  linked: LinkedResource,
  { options, lock }: { readonly options: Omit<ListOptions, "lock"> } & LockOptions,
  answer: (list: ShownList) => Answer,
  cursorGate?: Gate,
): Promise<Answer> {
  const context = await callContext(caller, { method: "GET", action: "list", collection: linked.name, lock });
  const { fields } = context.permit;
  const gate = gateFor(caller.principal, fields);
  const faults: Faults = [];
  const query = queryOf(caller, linked, gate, options, faults);
  const selection = selectList(linked, context, { query, faults, gate, fields });
  return showList(linked, context, { query, selection, gate: cursorGate ?? gate, fields, cursorPlace: { pointer: "/cursor" } }, answer);
}

function queryOf({ environment }: Caller, { table }: LinkedResource, gate: Gate, options: ListOptions, faults: Faults): ListQuery {
  return parseQueryMembers({ ...options }, "where", { table, gate, settings: environment.lists.query, faults });
}
