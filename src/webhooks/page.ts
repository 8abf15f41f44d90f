import { weakTag } from "../conditional/etag.js";
import { checkPreconditions } from "../conditional/precondition.js";
import type { HttpResponse, ResponseHeaders } from "../http/message.js";
import type { Context } from "../operation/context.js";
import { ProblemError } from "../problem/index.js";
import { type CursorCodec, cursorCodec } from "../query/cursor.js";
import type { Faults } from "../query/fault.js";
import { type PageInput, parsePage } from "../query/page.js";
import { metaOf } from "../resource/envelope.js";
import { linkHeader, listLinks } from "../resource/links.js";

/** Things of a list that stand one after the other, one more than the page has where there are more. */
export interface FoundPage<Item> {
  readonly found: readonly Item[];
  readonly perPage: number;
  readonly codec: CursorCodec;
  show(item: Item): object;
  /** What the cursor behind an item holds. */
  placeOf(item: Item): string | number;
}

/** Readers of `perPage` and `cursor`. */
export function pageParameters({ environment }: Context) {
  const placeOf = (parameter: string) => ({ parameter });
  const read = (input: PageInput, faults: Faults) => parsePage(input, environment.lists.query, faults, placeOf);
  return {
    perPage: (perPage: string | undefined, faults: Faults) => read({ perPage }, faults).perPage,
    cursor: (cursor: string | undefined, faults: Faults) => read({ cursor }, faults).cursor,
  };
}

/**
 * Cursors of one list: of no use in any other.
 *
 * @param list what makes it the list that it is: its path and its filters
 */
export function cursorsOf({ environment, principal }: Context, list: string): CursorCodec {
  return cursorCodec({ collection: list, tenant: principal.tenant, filter: undefined, sort: [] }, environment.secrets.signer("cursor"));
}

/** The place that a cursor holds. @throws {ProblemError} INVALID_CURSOR */
export function placeBehind(codec: CursorCodec, cursor: string | undefined): unknown {
  if (cursor === undefined) return undefined;
  const [place] = codec.read(cursor)?.values ?? [];
  if (place !== undefined) return place;
  const detail = "The cursor is not one of this list: it was made for another filter, or it was changed.";
  throw new ProblemError("INVALID_CURSOR", detail, { errors: [{ code: "INVALID_CURSOR", detail, parameter: "cursor" }] });
}

/** Answers a page in the envelope of all lists. */
export function answerPage<Item>(context: Context, { found, perPage, codec, show, placeOf }: FoundPage<Item>, hasPrevious: boolean): HttpResponse {
  const { environment, request } = context;
  const rows = found.slice(0, perPage);
  const hasNext = found.length > perPage;
  const last = rows.at(-1);
  const nextCursor = hasNext && last !== undefined ? codec.write({ direction: "after", values: [placeOf(last)] }) : null;
  const page = { rows: [], page: null, perPage, hasNext, hasPrevious, nextCursor, prevCursor: null, total: null, totalRelation: null } as const;
  const meta = metaOf(page);
  const links = listLinks(request, page, meta, environment.limits);
  const data = rows.map(show);
  const link = linkHeader(links);
  const body = JSON.stringify(environment.lists.envelope === "none" ? data : { data, meta, links });
  return answerTagged(context, body, link === undefined ? {} : { link });
}

/** A body with a weak tag of its own: 304 where the client has it already. @throws {ProblemError} PRECONDITION_FAILED, MALFORMED_HEADER */
export function answerTagged({ headers }: Context, body: string, more: ResponseHeaders = {}): HttpResponse {
  const etag = weakTag(body);
  const judged = checkPreconditions({ method: "GET", headers, current: { tag: etag, updatedAt: undefined } });
  if (judged === "failed") {
    throw new ProblemError("PRECONDITION_FAILED", "What is asked for is not in the state that the request asks for.", { headers: { etag } });
  }
  if (judged === "not-modified") return { status: 304, headers: { ...more, etag }, body: null };
  return { status: 200, headers: { "content-type": "application/json", etag, ...more }, body };
}
