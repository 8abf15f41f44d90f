import { createHash } from "node:crypto";
import { hashBytes } from "../../../ground/http/body/hashBytes.js";
import { writeJson } from "../../../ground/http/json/writeJson.js";
import type { HttpResponse, ResponseBody } from "../../../ground/http/message.js";
import type { Row } from "../../../ground/storage/collection.js";
import { strongTag } from "../../../language/conditional/etag.js";
import { checkPreconditions } from "../../../language/conditional/precondition.js";
import { parseSelection } from "../../../language/fields/parse.js";
import type { Selection, SelectionInput } from "../../../language/fields/selection.js";
import type { View } from "../../../language/fields/view.js";
import type { Faults } from "../../../language/query/fault.js";
import { refuseFaults } from "../../../language/query/grammar/parse.js";
import { parseSingleQuery } from "../../../language/query/grammar/single.js";
import { gateFor } from "../../../language/schema/access.js";
import { type Context, readCall } from "../../operation/context.js";
import type { Operation, QueryContext } from "../../operation/operation.js";
import type { Permit } from "../../operation/permit.js";
import { readableRows } from "../../operation/rules/readableRows.js";
import { inPathScope } from "../relations/inPathScope.js";
import type { LinkedResource } from "../relations/link.js";
import { loadInclude } from "../relations/onDemand.js";
import type { Resource } from "../resource.js";
import { preconditionFailed } from "../write/preconditions.js";
import { noSuchRow, parseId } from "./identify.js";
import { noteRows } from "./noteRows.js";
import { bare, inFormat, representation, singleView } from "./respond.js";

/** GET of one row; the version is the tag, so a 304 needs neither body nor hash. */
export function readOperation(linked: LinkedResource): Operation {
  return {
    name: `${linked.name}.read`,
    method: "GET",
    access: { action: "read", collection: linked.name },
    answers: "row",
    readQuery: (context) => (context.request.query === "" ? undefined : parse(linked, context)),
    run: (context) => read(linked, context, context.query as SelectionInput | undefined),
  };
}

/** @throws {ProblemError} 400 with all faults that are known without the row */
function parse(linked: LinkedResource, context: QueryContext): SelectionInput {
  const faults: Faults = [];
  const input = parseSingleQuery(context.request.query, context.environment.lists.query, faults);
  if (faults.length > 0) selectOfRow(linked, context, context.permit, input, faults);
  return input;
}

function read(linked: LinkedResource, context: Context, input: SelectionInput | undefined): Promise<HttpResponse> {
  return readRow(linked.resource, context, context.params[0] ?? "", (row, allowed) => represent(linked, context, row, allowed, input));
}

/**
 * Reads a row that the principal may read.
 *
 * @param answer makes the answer from the row
 * @throws {ProblemError} NOT_FOUND, FORBIDDEN
 */
export async function readRow<Answer>(
  resource: Resource,
  context: Context,
  segment: string,
  answer: (row: Row, allowed: Permit) => Answer | Promise<Answer>,
): Promise<Answer> {
  // An await takes a turn even where there is nothing to wait for, and most of these have nothing.
  const parsed = parseId(resource, segment);
  const id = parsed instanceof Promise ? await parsed : parsed;
  const readable = readableRows(context, resource.name);
  const rows = readable instanceof Promise ? await readable : readable;
  const row = await rows.get(id, readCall(context));
  if (row === undefined || !inPathScope(context, row)) throw noSuchRow(resource, id);
  return answer(row, context.permit);
}

function represent(
  linked: LinkedResource,
  context: Context,
  row: Row,
  allowed: Permit,
  input: SelectionInput | undefined,
): HttpResponse | Promise<HttpResponse> {
  const { resource } = linked;
  noteRows(context, linked, [row]);
  if (input === undefined)
    return answer(linked, context, row, { view: singleView(resource, context, allowed), updatedAt: row._updatedAt ?? undefined });
  const selection = selectOfRow(linked, context, allowed, input, []);
  const view = inFormat(resource, context, resource.views.chosen(selection, "full", context.principal, allowed.fields));
  if (selection.relations.size === 0) return answer(linked, context, row, { view, updatedAt: row._updatedAt ?? undefined });
  return withRelated(linked, context, row, view, selection);
}

async function withRelated(linked: LinkedResource, context: Context, row: Row, view: View, selection: Selection): Promise<HttpResponse> {
  const shown = view.select(row);
  await (await loadInclude()).includeRelations(linked, context, [row], [shown], selection.relations);
  // This response contains other rows: only its bytes show whether it is the same, and no date does.
  const body = await (view.format?.write(shown) ?? writeJson(shown));
  const tag = await hashOf(body);
  return undated(answer(linked, context, row, { view: { ...view, tag }, updatedAt: undefined, body }));
}

async function hashOf(body: string | Uint8Array): Promise<string> {
  const hash = typeof body === "string" ? createHash("sha256").update(body) : await hashBytes("sha256", body);
  return hash.digest("hex").slice(0, 8);
}

function undated({ headers: { "last-modified": _, ...headers }, ...response }: HttpResponse): HttpResponse {
  return { ...response, headers };
}

/** Parses the fields and relations to show of one row. @throws {ProblemError} 400 with all faults, 403 FORBIDDEN_FIELD */
export function selectOfRow(
  linked: LinkedResource,
  { principal, environment }: Pick<QueryContext, "principal" | "environment">,
  allowed: Permit,
  input: SelectionInput,
  faults: Faults,
): Selection {
  const own = gateFor(principal, allowed.fields);
  const rights = { own, related: allowed.fields === undefined ? own : gateFor(principal) };
  const selection = parseSelection(input, linked, { kind: "full", ...rights, limits: environment.limits }, faults);
  refuseFaults(faults);
  return selection;
}

/** What a row is shown as. */
interface Shown {
  readonly view: View;
  readonly updatedAt: Date | undefined;
  /** The body, if it is already made. */
  readonly body?: ResponseBody;
}

function answer({ resource }: LinkedResource, { headers }: Context, row: Row, { view, updatedAt, body }: Shown): HttpResponse {
  const current = { tag: strongTag(row._version, view.tag), updatedAt };
  switch (checkPreconditions({ method: "GET", headers, current, acceptWeakIfMatch: resource.acceptWeakIfMatch })) {
    case "not-modified":
      return bare(304, row, view);
    case "failed":
      throw preconditionFailed(row, view);
    default:
      return representation(200, row, view, undefined, body);
  }
}
