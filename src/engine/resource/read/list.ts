import type { HttpResponse } from "../../../ground/http/message.js";
import type { Faults } from "../../../language/query/fault.js";
import { parseListQuery } from "../../../language/query/grammar/parse.js";
import { gateFor } from "../../../language/schema/access.js";
import type { Context } from "../../operation/context.js";
import type { Operation, QueryContext } from "../../operation/operation.js";
import { permit as requirePermit } from "../../operation/permit.js";
import type { LinkedResource } from "../relations/link.js";
import { type AskedList, answerList, selectList } from "./answerList.js";
import { listLinks } from "./links.js";

/** GET of a collection: a page of the compact view in an envelope. */
export function listOperation(linked: LinkedResource): Operation {
  return {
    name: `${linked.name}.list`,
    method: "GET",
    access: { action: "list", collection: linked.name },
    answers: "list",
    readQuery: (context) => parse(linked, context),
    run: (context) => list(linked, context, context.query as ParsedQuery),
  };
}

type ParsedQuery = Pick<AskedList, "query" | "gate" | "selection">;

/** @throws {ProblemError} 400 with all faults, 403 FORBIDDEN_FIELD */
function parse(linked: LinkedResource, context: QueryContext): ParsedQuery {
  const { environment, request, principal, permit } = context;
  const faults: Faults = [];
  const gate = gateFor(principal, permit.fields);
  const query = parseListQuery(request.query, { table: linked.table, gate, settings: environment.lists.query, faults });
  return { query, gate, selection: selectList(linked, context, { query, faults, gate, fields: permit.fields }) };
}

async function list(linked: LinkedResource, context: Context, asked: ParsedQuery): Promise<HttpResponse> {
  const { environment, request, permit } = context;
  if (asked.query.deleted) await requirePermit(environment, { ...context, action: "readDeleted", collection: linked.name });
  return answerList(linked, context, {
    ...asked,
    fields: permit.fields,
    cursorPlace: { parameter: "cursor" },
    links: (page, meta) => listLinks(request, page, meta, environment),
    conditional: true,
  });
}
