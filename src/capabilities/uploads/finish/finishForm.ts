import type { Context } from "../../../engine/operation/context.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { rejectionProblem } from "../../../parts/checks/rejection.js";
import { loadUpload } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import { blobKeyOf, problemOf, type Upload, type UploadData } from "../records/upload.js";
import { checksOf, evaluateUpload } from "./evaluateUpload.js";
import { answeringMs, finishingUntil, Heartbeat } from "./heartbeat.js";
import { apply, discardUpload, next, type Recorded, record, runEffect } from "./record.js";
import { type RecordStep, recordAll, recordAnswer } from "./recordAnswer.js";
import { eventOfFollower, type FinishEvent, type Transition } from "./states.js";

/** The combined outcome of the checks of all files of a form; a problem names its file. */
type FormEvent =
  | { readonly type: "accepted" | "deferred"; readonly uploads: readonly Upload[] }
  | Exclude<FinishEvent, { readonly type: "accepted" | "deferred" }>;

/**
 * Finishes all uploads of a form, and records the response with them: 201, or 202 if a check defers the decision about one of them. If it throws, the caller must
 * remove the uploads.
 *
 * @param uploads all uploads of the form, in its order
 * @throws {ProblemError} the problem that a file is rejected for; SCAN_UNAVAILABLE, GONE, WRITE_CONFLICT
 */
export async function finishForm(
  settings: UploadSettings,
  context: Context,
  uploads: readonly Upload[],
  answer: (uploads: readonly Upload[]) => HttpResponse,
): Promise<HttpResponse> {
  const heartbeat = new Heartbeat(settings, uploads);
  try {
    const event = await evaluateForm(settings, uploads);
    switch (event.type) {
      case "accepted": {
        const steps = readySteps(settings, event.uploads);
        const { recorded, response } = await recordAnswer(settings, context, steps, (all) => answer(requireStatus(all, "ready")));
        await runEffects(settings, steps, recorded);
        return response;
      }
      case "deferred": {
        const [first, ...others] = event.uploads;
        if (first === undefined) return answer([]);
        const { changes } = next(settings, first, { type: "deferred", isAnswered: true });
        const answerFirst = (all: readonly Recorded[]) => answer([...requireStatus(all, "processing"), ...others]);
        return (await recordAnswer(settings, context, [{ upload: first, changes }], answerFirst)).response;
      }
      case "rejected":
        throw problemOf(event.problem);
      case "unavailable":
        throw rejectionProblem(event.rejection);
      default:
        throw new ProblemError("GONE", "A file of the form was deleted while it was checked.");
    }
  } finally {
    heartbeat.end();
  }
}

/** Ends a form whose request died without a response. @returns `false` if the first has changed since it was read */
export async function discardForm(settings: UploadSettings, first: Upload): Promise<boolean> {
  return (await discardUpload(settings, first)) && followAll(settings, first);
}

/**
 * Checks a form again after its request has ended.
 *
 * @param first its first file, `processing`
 * @returns whether the form reached a final state
 * @throws {ProblemError} SCAN_UNAVAILABLE: the form is retried later; WRITE_CONFLICT
 */
export async function resumeForm(settings: UploadSettings, first: Upload): Promise<boolean> {
  const others = await othersOf(settings, first);
  const living = others.flatMap((other) => (other?.data.status === "processing" ? other : []));
  const heartbeat = new Heartbeat(settings, [first, ...living]);
  try {
    // If one of the files has ended in the meantime, none is kept.
    const event: FormEvent = living.length < others.length ? { type: "missing" } : await evaluateForm(settings, [first, ...living]);
    switch (event.type) {
      case "accepted": {
        const steps = readySteps(settings, event.uploads);
        const recorded = await recordAll(settings, steps);
        requireStatus(recorded, "ready");
        await runEffects(settings, steps, recorded);
        return true;
      }
      case "deferred":
        await apply(settings, first, { type: "deferred" });
        return false;
      case "unavailable":
        await apply(settings, first, event);
        throw rejectionProblem(event.rejection);
      default: {
        const { isOwn } = await apply(settings, first, event);
        return isOwn && (await followAll(settings, first));
      }
    }
  } finally {
    heartbeat.end();
  }
}

/** Applies the state of the first file of a form to another file. @returns whether its status has changed */
export async function followFirst(settings: UploadSettings, upload: Upload): Promise<boolean> {
  const [first = upload.record.id] = upload.data.together ?? [];
  return follow(settings, upload, await loadUpload(settings, first));
}

/** Applies the final state of the first file to the others. If this fails for a file, the file follows when it is due. */
async function followAll(settings: UploadSettings, { record, data }: Upload): Promise<boolean> {
  const first = await loadUpload(settings, record.id);
  for (const other of await othersOf(settings, { data })) if (other?.data.status === "processing") await follow(settings, other, first);
  return true;
}

async function follow(settings: UploadSettings, upload: Upload, first: Upload | undefined): Promise<boolean> {
  const event = eventOfFollower(upload, first);
  if (event === undefined) return false;
  const { upload: stored } = await apply(settings, upload, event);
  return stored.data.status !== "processing";
}

function othersOf(settings: UploadSettings, { data }: Pick<Upload, "data">): Promise<readonly (Upload | undefined)[]> {
  return Promise.all((data.together ?? []).slice(1).map((id) => loadUpload(settings, id)));
}

/**
 * Checks all files of a form, and records the outcome with each. None can be read yet. A file that was accepted before is not checked again.
 *
 * @throws {ProblemError} WRITE_CONFLICT
 */
async function evaluateForm(settings: UploadSettings, uploads: readonly Upload[]): Promise<FormEvent> {
  const together = uploads.map(({ record }) => record.id);
  const evaluated: Upload[] = [];
  let type: "accepted" | "deferred" = "accepted";
  for (const upload of uploads) {
    const { file } = upload.data;
    const event: FinishEvent = file === undefined ? await evaluateUpload(settings, upload) : { type: "accepted", file };
    if (event.type === "rejected") return { ...event, problem: placed(event.problem, upload) };
    if (event.type === "unavailable") return { ...event, rejection: placed(event.rejection, upload) };
    if (event.type !== "accepted" && event.type !== "deferred") return event;
    if (event.type === "deferred") type = "deferred";
    evaluated.push(await prepare(settings, upload, { together, file: event.type === "accepted" ? event.file : undefined }));
  }
  return { type, uploads: evaluated };
}

/** Adds the field and the file name to a problem. */
function placed<P extends { readonly extensions?: Readonly<Record<string, unknown>> | undefined }>(problem: P, { data }: Upload): P {
  return { ...problem, extensions: { ...problem.extensions, field: data.field, filename: data.filename } };
}

/**
 * Records the outcome of a checked file. The first file shows other processes whether the form is still being finished. If its request has not been answered, its
 * record allows the time of all checks until the first heartbeat.
 *
 * @throws {ProblemError} WRITE_CONFLICT
 */
async function prepare(settings: UploadSettings, upload: Upload, known: Required<Pick<UploadData, "together" | "file">>): Promise<Upload> {
  const { id } = upload.record;
  const [first, ...others] = known.together ?? [];
  const isLeading = first === id && upload.data.isAcknowledged === false;
  const checksMs = answeringMs({ ...settings, checks: checksOf(settings, upload) }, others.length);
  const dueAt = isLeading ? new Date(settings.clock.now() + checksMs) : finishingUntil(settings);
  const { upload: prepared, isOwn } = await record(settings, upload, { dueAt, data: { ...known, isWaiting: undefined } });
  if (isOwn) return prepared;
  const key = known.file?.key;
  if (key !== undefined && key !== blobKeyOf(id)) await settings.blobs.delete(key).catch(() => {});
  throw new ProblemError("WRITE_CONFLICT", "A file of the form was changed by another request meanwhile.");
}

/** The first file is recorded first: if the process dies in between, the others follow its state. */
function readySteps(settings: UploadSettings, uploads: readonly Upload[]): readonly (RecordStep & Transition)[] {
  return uploads.map((upload) => {
    const { file } = upload.data;
    if (file === undefined) throw new Error("A file of a form would become ready without having been checked.");
    return { upload, ...next(settings, upload, { type: "accepted", file }) };
  });
}

/** @throws {ProblemError} WRITE_CONFLICT if a file of the form was ended by another request */
function requireStatus(recorded: readonly Recorded[], status: UploadData["status"]): readonly Upload[] {
  if (recorded.every(({ upload }) => upload.data.status === status)) return recorded.map(({ upload }) => upload);
  throw new ProblemError("WRITE_CONFLICT", "A file of the form was deleted meanwhile.");
}

async function runEffects(settings: UploadSettings, steps: readonly (RecordStep & Transition)[], recorded: readonly Recorded[]): Promise<void> {
  for (const [index, step] of steps.entries()) {
    const each = recorded[index];
    if (each !== undefined) await runEffect(settings, step, each);
  }
}
