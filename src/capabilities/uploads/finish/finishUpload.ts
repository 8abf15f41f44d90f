import type { Context } from "../../../engine/operation/context.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { rejectionProblem } from "../../../parts/checks/rejection.js";
import type { UploadSettings } from "../records/settings.js";
import { problemOf, type Upload } from "../records/upload.js";
import { discardPieces } from "./discardPieces.js";
import { evaluateUpload } from "./evaluateUpload.js";
import { Heartbeat } from "./heartbeat.js";
import { apply, deletedUpload, next, type Recorded, runEffect } from "./record.js";
import { recordAnswer } from "./recordAnswer.js";
import type { FinishEvent } from "./states.js";

/**
 * Finishes an upload that has all of its bytes: completes its blob, runs the checks, and records the outcome. If two processes do so at once, only one records the
 * outcome.
 *
 * @returns the upload, `ready` or `rejected`; still `processing` if a check defers the decision
 * @throws {ProblemError} SCAN_UNAVAILABLE: the upload stays `processing` and is retried later; GONE
 */
export async function finishUpload(settings: UploadSettings, upload: Upload): Promise<Upload> {
  const heartbeat = new Heartbeat(settings, [upload]);
  try {
    const event = await evaluateUpload(settings, upload);
    const applied = await apply(settings, upload, event);
    if (event.type === "rejected") await discardPieces(settings, upload);
    return requireLeft(event, applied);
  } finally {
    heartbeat.end();
  }
}

/**
 * Finishes an upload that only this request knows, and records the response with it: 201, or 202 if a check defers the decision. After that the upload is kept, even
 * if this process dies.
 *
 * @throws {ProblemError} the problem that the file is rejected for, and all problems of `finishUpload`
 */
export async function finishWithAnswer(
  settings: UploadSettings,
  context: Context,
  upload: Upload,
  answer: (upload: Upload) => HttpResponse,
): Promise<HttpResponse> {
  const heartbeat = new Heartbeat(settings, [upload]);
  try {
    const event = await evaluateUpload(settings, upload);
    if (event.type !== "accepted" && event.type !== "deferred") {
      const { data } = requireLeft(event, await apply(settings, upload, event));
      throw data.problem === undefined ? deletedUpload() : problemOf(data.problem);
    }
    const step = next(settings, upload, event.type === "deferred" ? { ...event, isAnswered: true } : event);
    const status = step.changes.data?.status ?? upload.data.status;
    const { recorded, response } = await recordAnswer(settings, context, [{ upload, changes: step.changes }], ([first]) => {
      if (first?.upload.data.status !== status) throw deletedUpload();
      return answer(first.upload);
    });
    for (const each of recorded) await runEffect(settings, step, each);
    return response;
  } finally {
    heartbeat.end();
  }
}

/** @throws {ProblemError} SCAN_UNAVAILABLE, GONE */
function requireLeft(event: FinishEvent, { upload, isOwn }: Recorded): Upload {
  if (event.type === "unavailable" && isOwn) throw rejectionProblem(event.rejection);
  if (upload.data.status === "gone") throw deletedUpload();
  return upload;
}
