import type { HttpResponse } from "../http/message.js";
import { selectType } from "../negotiation/accept.js";
import type { Context } from "../operation/context.js";
import type { Operation } from "../operation/operation.js";
import { answerJob, pollHint } from "./answer.js";
import { parseEntriesAfter } from "./entriesAfter.js";
import { streamJob } from "./eventStream.js";
import { findJob } from "./findJob.js";
import { judgeJob } from "./judge.js";
import type { JobKind } from "./kind.js";

/**
 * GET of a job: its version is the tag, so a poll that has missed nothing costs no body. A client that likes `text/event-stream` better than JSON is told
 * of the job until it has ended.
 */
export function readJobOperation(kind: JobKind): Operation {
  return {
    name: `${kind.path}.read`,
    method: "GET",
    // Within a transaction of a batch it would wait for that to end.
    standsAlone: true,
    safety: "safe",
    vary: "Accept",
    access: { action: "read", collection: undefined },
    run: (context) => read(kind, context),
  };
}

async function read(kind: JobKind, context: Context): Promise<HttpResponse> {
  const after = parseEntriesAfter(context, kind.entriesPerPage !== undefined);
  const state = await findJob(kind, context);
  const type = selectType(context.headers.get("accept"), ["application/json", "text/event-stream"]);
  if (type === "text/event-stream") return streamJob(kind, context, state, after);
  const { etag, isKnown } = judgeJob(context, state, await kind.view?.(state, context));
  if (isKnown) return { status: 304, headers: { etag, ...pollHint(state, context.environment.clock.now()) }, body: null };
  return answerJob(kind, context, state, { status: 200, headers: { etag }, after });
}
