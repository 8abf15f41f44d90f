import type { AnswerFormat } from "../../../engine/operation/answers/answerFormat.js";
import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import { parseId } from "../../../engine/resource/read/identify.js";
import { readRow, selectOfRow } from "../../../engine/resource/read/read.js";
import type { LinkedResource } from "../../../engine/resource/relations/link.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { eventStreamType } from "../../../ground/http/serverSentEvent.js";
import { type ProblemError, problemAt } from "../../../ground/problem/index.js";
import type { Storage } from "../../../ground/storage/storage.js";
import type { Selection, SelectionInput } from "../../../language/fields/selection.js";
import { prefersEvents } from "../../../language/negotiation/accept.js";
import type { ListQuery } from "../../../language/query/grammar/parse.js";
import { parseSingleQuery } from "../../../language/query/grammar/single.js";
import { allOf, type FilterTree } from "../../../language/query/grammar/tree.js";
import type { Verifier } from "../../../parts/auth/verifier.js";
import type { Feed } from "../feed/feed.js";
import { type Positions, positionsOf } from "../positions.js";
import { type AskedRows, jsonOf, onlyRow, RowReader } from "../rows/rowReader.js";
import { AskedLive, readLiveQuery } from "./askedLive.js";
import type { Streams } from "./streams.js";

/** What live reads of a collection need. */
export interface LiveParts {
  /** Of tickets; `undefined` if the service has none. */
  readonly tickets: Verifier | undefined;
  readonly linked: LinkedResource;
  readonly feed: Feed;
  readonly streams: Streams;
  readonly storage: Storage;
}

/** Events are made where they are sent. */
const events: AnswerFormat = { name: "events", contentType: eventStreamType, writeList: () => "" };

/** The list or the row of a collection, also as events and as pages of changes. */
export function liveOperation(operation: Operation, parts: LiveParts): Operation {
  const { vary, answerTypes = [], readQuery, selectFormat, enter, run } = operation;
  return {
    ...operation,
    vary: vary === undefined ? "Accept" : /\bAccept\b/.test(vary) ? vary : `${vary}, Accept`,
    answerTypes: [...answerTypes, eventStreamType],
    verifier: parts.tickets,
    selectFormat: (headers, json) => (prefersEvents(headers.get("accept")) ? events : selectFormat?.(headers, json)),
    readQuery: (context) => readLiveQuery(context, prefersEvents(context.authRequest.headers.get("accept")), readQuery) ?? readQuery?.(context),
    async run(context) {
      const { query } = context;
      if (!(query instanceof AskedLive)) return run(context);
      refuseVersion(context);
      const outer = { ...context, query: query.query };
      if (enter === undefined) return answerLive(parts, outer, query);
      const { params } = context;
      return answerLive(parts, await enter(outer), query, (renewed) => enter({ ...renewed, params }));
    },
  };
}

/** @param enter the parents of the path, which are asked for again with the rights of the caller */
async function answerLive(
  { linked, feed, streams, storage }: LiveParts,
  context: Context,
  { mode, after }: AskedLive,
  enter?: (context: Context) => Promise<Context>,
): Promise<HttpResponse> {
  const isRow = context.params.length > 0;
  const asked = isRow ? await askedRow(linked, context) : askedList(context);
  const { principal, environment, pathScope } = context;
  const filter = allOf<FilterTree>([pathScope?.filter, asked.filter].filter((each) => each !== undefined));
  const place = { collection: linked.name, tenant: principal.tenant, filter, principal: principal.id };
  const positions = positionsOf(place, environment.secrets);
  const from = after === undefined ? undefined : positions.read(after);
  if (after !== undefined && from === undefined) throw unknownPosition(mode);
  const reader = await RowReader.open(linked, context, { ...asked, filter, enter }, storage);
  if (mode === "events") return streams.answer(context, { feed, reader, positions, after: from });
  const perPage = isRow ? environment.limits.maxPerPage : (context.query as { readonly query: ListQuery }).query.perPage;
  return answerPage(feed, reader, positions, from, perPage);
}

/** The rows of a version are made of those of the schema, and the log has those. */
function refuseVersion({ environment: { version } }: Context): void {
  if (version === undefined) return;
  throw problemAt("NOT_SUPPORTED", `Changes are told in the version of the schema, not in ${version.name}.`, { header: "Accept" });
}

function askedList({ query }: Context): AskedRows {
  const list = query as { readonly query: ListQuery; readonly selection: Selection };
  return { filter: list.query.filter, selection: list.selection, kind: "compact", action: "list" };
}

/** @throws {ProblemError} NOT_FOUND for a row that does not exist now */
async function askedRow(linked: LinkedResource, context: Context): Promise<AskedRows> {
  const { resource } = linked;
  const [segment = ""] = context.params;
  const input = (context.query as SelectionInput | undefined) ?? parseSingleQuery("", context.environment.lists.query, []);
  const selection = selectOfRow(linked, context, context.permit, input, []);
  await readRow(resource, context, segment, () => undefined);
  return { filter: onlyRow(linked, await parseId(resource, segment)), selection, kind: "full", action: "read" };
}

function unknownPosition(mode: AskedLive["mode"]): ProblemError {
  const detail = "The position does not belong to this list: it was made for another collection, filter or caller, or it was changed.";
  return problemAt("INVALID_POSITION", detail, { parameter: mode === "events" ? "after" : "changedAfter" });
}

/** A page of changes; without a position none, and the position to begin at. */
async function answerPage(feed: Feed, reader: RowReader, positions: Positions, from: string | undefined, perPage: number): Promise<HttpResponse> {
  const page = from === undefined ? { deltas: [], position: await feed.head(), hasMore: false } : await feed.read(from, reader.tenant, perPage);
  if (page === undefined) {
    const detail = "Changes after this position are not kept any more: read the list again.";
    throw problemAt("POSITION_EXPIRED", detail, { parameter: "changedAfter" });
  }
  const changes = await reader.judge(page.deltas);
  const meta = { position: positions.write(page.position), hasMore: page.hasMore };
  const body = `{"data":[${changes.map(jsonOf).join(",")}],"meta":${JSON.stringify(meta)}}`;
  return { status: 200, headers: { "content-type": "application/json", "cache-control": "no-store" }, body };
}
