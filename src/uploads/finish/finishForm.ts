import { ProblemError } from "../../problem/index.js";
import type { Rejection } from "../checks/fileCheck.js";
import type { UploadSettings } from "../records/settings.js";
import { blobKeyOf, type Upload, type UploadData, uploadOf } from "../records/upload.js";
import { answeringMs, finishingUntil } from "./beginFinishing.js";
import { checksOf, checkUpload } from "./checkUpload.js";
import { announceReady, markReady } from "./markReady.js";
import { dueAgain, type Recorded, recordOutcome } from "./recordOutcome.js";

/** What is said of the files of a form together; `gone` where one of them is not there any more. */
export type CheckedForm =
  | { readonly verdict: "pass" | "defer"; readonly uploads: readonly Upload[] }
  | { readonly verdict: "gone" }
  | { readonly verdict: "reject"; readonly upload: Upload; readonly rejection: Rejection };

/**
 * Has all files of a form looked into, and records of each what it will be. None can be read yet.
 *
 * @param uploads all of them, in their order; what was said of one before is not asked again
 * @throws {ProblemError} WRITE_CONFLICT
 */
export async function checkForm(settings: UploadSettings, uploads: readonly Upload[]): Promise<CheckedForm> {
  const together = uploads.map(({ record }) => record.id);
  const checked: Upload[] = [];
  let verdict: "pass" | "defer" = "pass";
  for (const upload of uploads) {
    const { file } = upload.data;
    const said = file === undefined ? await checkUpload(settings, upload) : { verdict: "pass" as const, file };
    if (said.verdict === "reject") return { verdict: "reject", upload, rejection: said };
    if (said.verdict === "gone") return said;
    if (said.verdict === "defer") verdict = "defer";
    const known = { together, file: said.verdict === "pass" ? said.file : undefined };
    checked.push(await prepare(settings, upload, { known, dueAt: nextLook(settings, upload, together) }));
  }
  return verdict === "pass" ? { verdict, uploads: checked } : { verdict, uploads: await postponed(settings, checked) };
}

/** With the first all are seen to again. */
async function postponed(settings: UploadSettings, [first, ...others]: readonly Upload[]): Promise<readonly Upload[]> {
  return first === undefined ? [] : [(await recordOutcome(settings, first, { dueAt: dueAgain(settings) })).upload, ...others];
}

/** By the first a form is taken for dead, and nothing of it stays where nobody was told of it: that has to wait for all others. */
function nextLook(settings: UploadSettings, upload: Upload, [first, ...others]: readonly string[]): Date {
  if (upload.record.id !== first || upload.data.isAcknowledged !== false) return finishingUntil(settings);
  return new Date(settings.clock.now() + answeringMs({ ...settings, checks: checksOf(settings, upload) }, others.length));
}

interface Preparation {
  readonly known: Pick<UploadData, "together" | "file">;
  readonly dueAt: Date;
}

async function prepare(settings: UploadSettings, { record, data }: Upload, { known, dueAt }: Preparation): Promise<Upload> {
  const outcome = await settings.store.update(record.id, record.version, { data: { ...data, ...known }, dueAt });
  if (outcome.outcome === "stored") return uploadOf(outcome.record);
  const key = known.file?.key;
  if (key !== undefined && key !== blobKeyOf(record.id)) await settings.blobs.delete(key).catch(() => {});
  throw new ProblemError("WRITE_CONFLICT", "A file of the form was changed by another request meanwhile.");
}

/**
 * Makes files of all uploads of a form that was checked. With the first the form is there: of the others it is found out by it what becomes of them, whoever
 * dies in between.
 *
 * @param record how that is recorded; one file after the other unless given
 * @throws {ProblemError} WRITE_CONFLICT where the first was ended meanwhile: then nothing was done
 */
export async function commitForm(
  settings: UploadSettings,
  uploads: readonly Upload[],
  record: RecordFiles = (write) => write(settings),
): Promise<readonly Upload[]> {
  const marked = await record((within) => markAll(within, uploads));
  for (const { upload, isOwn } of marked) if (isOwn) await announceReady(settings, upload);
  return marked.map(({ upload }) => upload);
}

/** Has the files of a form recorded: by themselves, or together with something else. */
export type RecordFiles = (write: (settings: UploadSettings) => Promise<readonly Recorded[]>) => Promise<readonly Recorded[]>;

async function markAll(settings: UploadSettings, uploads: readonly Upload[]): Promise<readonly Recorded[]> {
  const marked: Recorded[] = [];
  for (const upload of uploads) marked.push(await markOf(settings, upload));
  return marked;
}

async function markOf(settings: UploadSettings, upload: Upload): Promise<Recorded> {
  const { file } = upload.data;
  if (file === undefined) throw new Error("A file of a form is to become ready that was not checked.");
  const marked = await markReady(settings, upload, file);
  if (marked.upload.data.status !== "ready") throw new ProblemError("WRITE_CONFLICT", "A file of the form was deleted meanwhile.");
  return marked;
}
