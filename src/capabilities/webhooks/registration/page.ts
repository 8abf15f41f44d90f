import type { Context } from "../../../engine/operation/context.js";
import { metaOf } from "../../../engine/resource/read/envelope.js";
import { linkHeader, listLinks } from "../../../engine/resource/read/links.js";
import type { HttpResponse, ResponseHeaders } from "../../../ground/http/message.js";
import { ProblemError, problemAt } from "../../../ground/problem/index.js";
import { weakTag } from "../../../language/conditional/etag.js";
import { checkPreconditions } from "../../../language/conditional/precondition.js";
import type { Faults } from "../../../language/query/fault.js";
import { type CursorCodec, cursorCodec } from "../../../language/query/paging/cursor.js";
import { type PageInput, parsePage } from "../../../language/query/paging/page.js";

/** The items of a page, and one more if there is a next page. */
export interface FoundPage<Item> {
  readonly found: readonly Item[];
  readonly perPage: number;
  readonly codec: CursorCodec;
  show(item: Item): object;
  /** The values of the cursor after an item. */
  placeOf(item: Item): string | number;
}

/** Parsers of `perPage` and `cursor`. */
export function pageParameters({ environment }: Context) {
  const placeOf = (parameter: string) => ({ parameter });
  const read = (input: PageInput, faults: Faults) => parsePage(input, environment.lists.query, faults, placeOf);
  return {
    perPage: (perPage: string | undefined, faults: Faults) => read({ perPage }, faults).perPage,
    cursor: (cursor: string | undefined, faults: Faults) => read({ cursor }, faults).cursor,
  };
}

/**
 * Cursors of one list, which no other list accepts.
 *
 * @param list identifies the list: its path and its filters
 */
export function cursorsOf({ environment, principal }: Context, list: string): CursorCodec {
  return cursorCodec({ collection: list, tenant: principal.tenant, filter: undefined, sort: [] }, environment.secrets.signer("cursor"));
}

/** The position in a cursor. @throws {ProblemError} INVALID_CURSOR */
export function positionInCursor(codec: CursorCodec, cursor: string | undefined): unknown {
  if (cursor === undefined) return undefined;
  const [place] = codec.read(cursor)?.values ?? [];
  if (place !== undefined) return place;
  const detail = "The cursor does not belong to this list: it was made for another filter, or it was changed.";
  throw problemAt("INVALID_CURSOR", detail, { parameter: "cursor" });
}

/** The response with a page, in the envelope of all lists. */
export function answerPage<Item>(context: Context, { found, perPage, codec, show, placeOf }: FoundPage<Item>, hasPrevious: boolean): HttpResponse {
  const { environment, request } = context;
  const rows = found.slice(0, perPage);
  const hasNext = found.length > perPage;
  const last = rows.at(-1);
  const nextCursor = hasNext && last !== undefined ? codec.write({ direction: "after", values: [placeOf(last)] }) : null;
  const page = { rows: [], page: null, perPage, hasNext, hasPrevious, nextCursor, prevCursor: null, total: null, totalRelation: null } as const;
  const meta = metaOf(page);
  const links = listLinks(request, page, meta, environment);
  const data = rows.map(show);
  const link = linkHeader(links);
  const body = JSON.stringify(environment.lists.envelope === "none" ? data : { data, meta, links });
  return answerTagged(context, body, link === undefined ? {} : { link });
}

/** A response with a weak tag of its body: 304 if the client already has it. @throws {ProblemError} PRECONDITION_FAILED, MALFORMED_HEADER */
export function answerTagged({ headers }: Context, body: string, more: ResponseHeaders = {}): HttpResponse {
  const etag = weakTag(body);
  const precondition = checkPreconditions({ method: "GET", headers, current: { tag: etag, updatedAt: undefined } });
  if (precondition === "failed") {
    throw new ProblemError("PRECONDITION_FAILED", "The resource is not in the state that the request requires.", { headers: { etag } });
  }
  if (precondition === "not-modified") return { status: 304, headers: { ...more, etag }, body: null };
  return { status: 200, headers: { "content-type": "application/json", etag, ...more }, body };
}
