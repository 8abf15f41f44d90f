import type { HttpResponse } from "../http/message.js";
import type { Context } from "../operation/context.js";
import type { Operation } from "../operation/operation.js";
import type { Faults } from "../query/fault.js";
import { type ListQuery, parseListQuery } from "../query/parse.js";
import { gateFor } from "../schema/access.js";
import { answerList } from "./answerList.js";
import type { LinkedResource } from "./link.js";
import { listLinks } from "./links.js";

/** GET of a collection: a page of the compact view in an envelope. */
export function listOperation(linked: LinkedResource): Operation {
  return {
    name: `${linked.name}.list`,
    method: "GET",
    safety: "safe",
    access: { action: "list", collection: linked.name },
    run: (context) => list(linked, context),
  };
}

async function list(linked: LinkedResource, context: Context): Promise<HttpResponse> {
  const { environment, request, principal, permit } = context;
  const faults: Faults = [];
  const gate = gateFor(principal, permit.fields);
  const query: ListQuery = parseListQuery(request.query, linked.table, gate, environment.lists.query, faults);
  return answerList(linked, context, {
    query,
    faults,
    gate,
    fields: permit.fields,
    cursorPlace: { parameter: "cursor" },
    links: (page, meta) => listLinks(request, page, meta, environment.limits),
    conditional: true,
  });
}
