import type { Context } from "../../engine/operation/context.js";
import { type Operation, parsesQuery } from "../../engine/operation/operation.js";
import type { HttpResponse } from "../../ground/http/message.js";
import { prefersEvents } from "../../language/negotiation/accept.js";
import { answerJob, pageOf, pollHint } from "./answer.js";
import { parseEntriesAfter } from "./entriesAfter.js";
import { streamJob } from "./eventStream.js";
import { findJob } from "./findJob.js";
import type { JobKind } from "./kind.js";
import { validateJob } from "./validateJob.js";

/**
 * GET of a job. Its version is the ETag, so a poll without changes is answered with 304. A client that prefers `text/event-stream` to JSON receives events
 * until the job has ended.
 */
export function readJobOperation(kind: JobKind): Operation {
  return {
    name: `${kind.path}.read`,
    method: "GET",
    // Within the transaction of a batch it would wait for that transaction to end.
    standsAlone: true,
    vary: "Accept",
    access: { action: "read", collection: undefined },
    readQuery: parsesQuery,
    run: (context) => read(kind, context),
  };
}

/** GET of the events of a job, whatever the client accepts. */
export function readEventsOperation(kind: JobKind): Operation {
  return {
    name: `${kind.path}.events`,
    method: "GET",
    standsAlone: true,
    access: { action: "read", collection: undefined },
    readQuery: parsesQuery,
    async run(context) {
      const after = parseEntriesAfter(context, kind.entriesPerPage !== undefined);
      return streamJob(kind, context, await findJob(kind, context), after);
    },
  };
}

async function read(kind: JobKind, context: Context): Promise<HttpResponse> {
  const after = parseEntriesAfter(context, kind.entriesPerPage !== undefined);
  const state = await findJob(kind, context);
  if (prefersEvents(context.headers.get("accept"))) return streamJob(kind, context, state, after);
  // Rights may change while the job does not.
  const known = kind.shown && (await pageOf(kind, context, state, after));
  const view = [await kind.view?.(state, context), known?.mark].filter(Boolean).join("-");
  const { etag, isKnown } = validateJob(context, state, view);
  if (isKnown) return { status: 304, headers: { etag, ...pollHint(state, context.environment.clock.now()) }, body: null };
  return answerJob(kind, context, state, { status: 200, headers: { etag }, page: known ?? (await pageOf(kind, context, state, after)) });
}
