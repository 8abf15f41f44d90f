import type { HttpResponse } from "../../../ground/http/message.js";
import type { Faults } from "../../../language/query/fault.js";
import { parseListQuery } from "../../../language/query/grammar/parse.js";
import { type Gate, gateFor } from "../../../language/schema/access.js";
import type { Context } from "../../operation/context.js";
import type { Operation, QueryContext } from "../../operation/operation.js";
import { permit as requirePermit } from "../../operation/permit.js";
import type { LinkedResource } from "../relations/link.js";
import { type AskedList, answerList, selectList } from "./answerList.js";
import { type Keepable, KeptQueries } from "./keptQueries.js";
import { listLinks } from "./links.js";

/** GET of a collection: a page of the compact view in an envelope. */
export function listOperation(linked: LinkedResource): Operation {
  const kept = new KeptQueries<MeantList>();
  return {
    name: `${linked.name}.list`,
    method: "GET",
    access: { action: "list", collection: linked.name },
    answers: "list",
    readQuery: (context) => parse(linked, context, kept),
    run: (context) => list(linked, context, context.query as ParsedQuery),
  };
}

type ParsedQuery = Pick<AskedList, "query" | "gate" | "selection">;
type MeantList = Pick<AskedList, "query" | "selection"> & Keepable;

/** @throws {ProblemError} 400 with all faults, 403 FORBIDDEN_FIELD */
function parse(linked: LinkedResource, context: QueryContext, kept: KeptQueries<MeantList>): ParsedQuery {
  const { environment, request, principal, permit } = context;
  const gate = gateFor(principal, permit.fields);
  const { limits } = environment.lists.query;
  if (permit.fields !== undefined || request.query.length * maxBytesPerUnit > limits.targetBytes)
    return Object.assign(parseAll(linked, context, gate), { gate });
  const { text, cursor } = apart(request.query);
  const { query, selection } = kept.parse(text, gate, (asked) => parseAll(linked, context, asked));
  return { query: cursor === undefined ? query : { ...query, cursor }, selection, gate };
}

/** Of UTF-8, for each unit of a string. */
const maxBytesPerUnit = 3;

/** The text without the value of its cursor, which is another one on each page and is read with the page. It begins with whether there is one. */
function apart(query: string): { readonly text: string; readonly cursor: string | undefined } {
  const cursor = plainCursor.exec(query)?.[2];
  return { text: cursor === undefined ? `0${query}` : `1${query.replace(plainCursor, "$1")}`, cursor };
}

/** One without escapes, as ours are. */
const plainCursor = /(^|&)cursor=([\w.-]+)(?=&|$)/;

function parseAll(linked: LinkedResource, context: QueryContext, gate: Gate): MeantList {
  const { environment, request, permit } = context;
  const faults: Faults = [];
  let isPlain = true;
  const settings = {
    ...environment.lists.query,
    ignores(name: string) {
      const isIgnored = environment.lists.query.ignores(name);
      isPlain &&= !isIgnored;
      return isIgnored;
    },
  };
  const query = parseListQuery(request.query, { table: linked.table, gate, settings, faults });
  return { query, selection: selectList(linked, context, { query, faults, gate, fields: permit.fields }), isPlain };
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
