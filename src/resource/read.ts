import { createHash } from "node:crypto";
import { strongTag } from "../conditional/etag.js";
import { checkPreconditions } from "../conditional/precondition.js";
import { parseSelection } from "../fields/parse.js";
import type { Selection, SelectionInput } from "../fields/selection.js";
import type { View } from "../fields/view.js";
import type { HttpResponse } from "../http/message.js";
import { type Context, readCall } from "../operation/context.js";
import type { Operation } from "../operation/operation.js";
import type { Permit } from "../operation/permit.js";
import type { Faults } from "../query/fault.js";
import { refuseFaults } from "../query/parse.js";
import { parseSingleQuery } from "../query/single.js";
import { gateFor } from "../schema/access.js";
import type { Row } from "../storage/collection.js";
import { noSuchRow, parseId } from "./identify.js";
import { includeRelations } from "./include.js";
import { inScope } from "./inScope.js";
import type { LinkedResource } from "./link.js";
import { permitRow } from "./permitRow.js";
import { preconditionFailed } from "./preconditions.js";
import { bare, representation, singleView } from "./respond.js";

/** GET of one row; the version is the tag, so a 304 needs neither body nor hash. */
export function readOperation(linked: LinkedResource): Operation {
  return {
    name: `${linked.name}.read`,
    method: "GET",
    safety: "safe",
    access: { action: "read", collection: linked.name },
    run: (context) => read(linked, context),
  };
}

async function read(linked: LinkedResource, context: Context): Promise<HttpResponse> {
  const { resource } = linked;
  const faults: Faults = [];
  const input = context.request.query === "" ? undefined : parseSingleQuery(context.request.query, context.environment.lists.query, faults);
  const id = await parseId(resource, context.params[0] ?? "");
  const row = await context.environment.collection(resource.name).get(id, readCall(context));
  if (row === undefined || !inScope(context, row)) throw noSuchRow(resource, id);
  const allowed = await permitRow(context, resource, "read", row);
  if (allowed === undefined) throw noSuchRow(resource, id);
  if (input === undefined) return answer(linked, context, row, singleView(resource, context, allowed), row._updatedAt);
  const selection = select(linked, context, allowed, input, faults);
  const view = resource.views.chosen(selection, "full", context.principal, allowed.fields);
  if (selection.relations.size === 0) return answer(linked, context, row, view, row._updatedAt);
  const shown = view.select(row);
  await includeRelations(linked, context, [row], [shown], selection.relations);
  // Other rows stand in this answer: only its bytes tell whether it is the same, and no date does.
  const hash = createHash("sha256").update(JSON.stringify(shown)).digest("hex").slice(0, 8);
  return undated(answer(linked, context, row, { ...view, tag: hash, select: () => shown }, undefined));
}

function undated({ headers: { "last-modified": _, ...headers }, ...response }: HttpResponse): HttpResponse {
  return { ...response, headers };
}

function select(linked: LinkedResource, { principal, environment }: Context, allowed: Permit, input: SelectionInput, faults: Faults): Selection {
  const own = gateFor(principal, allowed.fields);
  const rights = { own, related: allowed.fields === undefined ? own : gateFor(principal) };
  const selection = parseSelection(input, linked, { kind: "full", ...rights, limits: environment.limits }, faults);
  refuseFaults(faults);
  return selection;
}

function answer({ resource }: LinkedResource, { headers }: Context, row: Row, view: View, updatedAt: Date | undefined): HttpResponse {
  const current = { tag: strongTag(row._version, view.tag), updatedAt };
  switch (checkPreconditions({ method: "GET", headers, current, acceptWeakIfMatch: resource.acceptWeakIfMatch })) {
    case "not-modified":
      return bare(304, row, view);
    case "failed":
      throw preconditionFailed(row, view);
    default:
      return representation(200, row, view);
  }
}
