import { rejectionProblem } from "../checks/rejection.js";
import { loadUpload } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import type { StoredProblem, Upload } from "../records/upload.js";
import { discardUpload, removeBlobs } from "./discardUpload.js";
import { type CheckedForm, checkForm, commitForm } from "./finishForm.js";
import { announceReady, markReady } from "./markReady.js";
import { dueAgain, recordOutcome, tombstone } from "./recordOutcome.js";

/**
 * Sees to an upload of a form of several files whose request is over: judges the form again if it is its first, else does what was done with the first.
 *
 * @param upload `processing`
 * @returns whether something came of it
 */
export async function settleForm(settings: UploadSettings, upload: Upload): Promise<boolean> {
  const { record, data } = upload;
  const [first = record.id] = data.together ?? [];
  return first === record.id ? settleFirst(settings, upload) : follow(settings, upload, await loadUpload(settings, first));
}

async function follow(settings: UploadSettings, upload: Upload, first: Upload | undefined): Promise<boolean> {
  const { file } = upload.data;
  if (first?.data.status === "ready" && file !== undefined) {
    const marked = await markReady(settings, upload, file);
    if (marked.isOwn) await announceReady(settings, marked.upload);
    return true;
  }
  if (first?.data.problem !== undefined) return refuse(settings, upload, first.data.problem);
  if (first?.data.status !== "processing") return discardUpload(settings, upload);
  await recordOutcome(settings, upload, { dueAt: dueAgain(settings) });
  return false;
}

async function settleFirst(settings: UploadSettings, first: Upload): Promise<boolean> {
  // Its request died, and was never answered.
  if (first.data.isAcknowledged === false) return endAll(settings, first, discardUpload);
  const checked = await checkLiving(settings, first);
  if (checked.verdict === "pass") await commitForm(settings, checked.uploads);
  if (checked.verdict === "gone") return endAll(settings, first, discardUpload);
  if (checked.verdict === "reject") return refuseAll(settings, first, checked);
  return checked.verdict === "pass";
}

async function checkLiving(settings: UploadSettings, first: Upload): Promise<CheckedForm> {
  const others = await othersOf(settings, first);
  const living = others.flatMap((other) => (other?.data.status === "processing" ? other : []));
  return living.length < others.length ? { verdict: "gone" } : checkForm(settings, [first, ...living]);
}

function othersOf(settings: UploadSettings, { data }: Upload): Promise<readonly (Upload | undefined)[]> {
  return Promise.all((data.together ?? []).slice(1).map((id) => loadUpload(settings, id)));
}

function refuseAll(
  settings: UploadSettings,
  first: Upload,
  { upload, rejection }: Extract<CheckedForm, { readonly verdict: "reject" }>,
): Promise<boolean> {
  if (rejection.status === 503) throw rejectionProblem(rejection);
  const { code, status, detail, extensions } = rejection;
  const problem = { code, status, detail, extensions: { ...extensions, ...placeOf(upload) } };
  return endAll(settings, first, (_, current) => refuse(settings, current, problem));
}

/** Ends the first, and with it the others: those that are not reached now follow it when they are due. */
async function endAll(settings: UploadSettings, { record }: Upload, end: typeof discardUpload): Promise<boolean> {
  // It may have been changed while it was looked into.
  const first = await loadUpload(settings, record.id);
  if (first?.data.status !== "processing" || !(await end(settings, first))) return false;
  const ended = await loadUpload(settings, record.id);
  for (const other of await othersOf(settings, first)) if (other?.data.status === "processing") await follow(settings, other, ended);
  return true;
}

async function refuse(settings: UploadSettings, upload: Upload, problem: StoredProblem): Promise<boolean> {
  const data = { status: "rejected", file: undefined, problem } as const;
  const { upload: stored, isOwn } = await recordOutcome(settings, upload, { ...tombstone(settings), data });
  if (isOwn) await removeBlobs(settings, upload);
  return stored.data.status === "rejected";
}

/** Which file of a form a problem is of. */
export function placeOf({ data }: Upload): { readonly field: string | undefined; readonly filename: string } {
  return { field: data.field, filename: data.filename };
}
