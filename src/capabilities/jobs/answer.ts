import type { Context } from "../../engine/operation/context.js";
import type { HttpResponse, ResponseHeaders } from "../../ground/http/message.js";
import type { JobState } from "../../ground/storage/queue/jobs.js";
import { isFinished, jobDocument } from "./document.js";
import { fromTheStart } from "./entriesAfter.js";
import type { JobKind, ShownEntries } from "./kind.js";

/**
 * The answer that shows a job.
 *
 * @param page the entries that are shown; by default the first ones
 */
export async function answerJob(
  kind: JobKind,
  context: Context,
  state: JobState,
  { status, headers = {}, page }: { readonly status: number; readonly headers?: ResponseHeaders; readonly page?: JobPage | undefined },
): Promise<HttpResponse> {
  return {
    status,
    headers: { "content-type": "application/json", ...pollHint(state, context.environment.clock.now()), ...headers },
    body: await jobBody(kind, context, state, page ?? (await pageOf(kind, context, state, fromTheStart))),
  };
}

/** The body that shows a job, as JSON on one line. */
export async function jobBody(kind: JobKind, context: Context, state: JobState, { entries, next }: JobPage): Promise<string> {
  const self = pathOf(kind, context.request.mount, state);
  const { result, members, links } = await kind.describe(state, entries, self, context);
  const document = jobDocument(state, {
    result,
    members,
    links: {
      self,
      ...(next === undefined ? {} : { next: `${self}?after=${next}` }),
      ...(isFinished(state) ? {} : { cancel: `${self}/cancel` }),
      ...links,
    },
  });
  return JSON.stringify(document);
}

/**
 * The answer to a request that has become a job: 202 with its `Location`.
 *
 * @see RFC 9110 §15.3.3
 */
export function acceptedJob(kind: Pick<JobKind, "path">, { environment, request }: Context, state: JobState): HttpResponse {
  const self = pathOf(kind, request.mount, state);
  const location = pathOf(kind, environment.baseUrl ?? request.mount, state);
  return {
    status: 202,
    headers: { "content-type": "application/json", location, ...pollHint(state, environment.clock.now()) },
    body: JSON.stringify(jobDocument(state, { links: isFinished(state) ? { self } : { self, cancel: `${self}/cancel` } })),
  };
}

const maxRetryAfterSeconds = 10;

/** The Retry-After header of a job: 1 s at first, up to 10 s as the job gets older; no header after the job has ended. */
export function pollHint(state: JobState, nowMs: number): ResponseHeaders {
  if (isFinished(state)) return {};
  const ageSeconds = (nowMs - state.createdAt.getTime()) / 1_000;
  return { "retry-after": String(Math.max(1, Math.min(maxRetryAfterSeconds, Math.ceil(ageSeconds / 10)))) };
}

function pathOf({ path }: Pick<JobKind, "path">, base: string, { id }: JobState): string {
  return `${base}/${path}/${encodeURIComponent(id)}`;
}

/** Entries of a job as a principal may see them. */
export interface JobPage extends ShownEntries {
  /** The position after which the next page begins; `undefined` if there is none. */
  readonly next: number | undefined;
}

/** @param after position of the entry before the first that is shown */
export async function pageOf(kind: JobKind, context: Context, { id }: JobState, after: number): Promise<JobPage> {
  const { settings, entriesPerPage } = kind;
  if (entriesPerPage === undefined) return { entries: [], mark: undefined, next: undefined };
  const found = await settings.store.entries(id, after, entriesPerPage + 1);
  const entries = found.slice(0, entriesPerPage);
  const next = found.length > entriesPerPage ? entries.at(-1)?.position : undefined;
  return { ...((await kind.shown?.(entries, context)) ?? { entries, mark: undefined }), next };
}
