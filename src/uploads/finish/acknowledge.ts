import type { HttpResponse } from "../../http/message.js";
import type { Context } from "../../operation/context.js";
import { changedMeanwhile } from "../records/create.js";
import type { UploadSettings } from "../records/settings.js";
import { type Upload, uploadOf } from "../records/upload.js";
import { recordAnswer } from "./recordAnswer.js";

/** The client will hear that it is judged later: from now on it stays, whatever happens to this process. @throws {ProblemError} WRITE_CONFLICT */
export async function acknowledge(
  settings: UploadSettings,
  context: Context,
  upload: Upload,
  answer: (upload: Upload) => HttpResponse,
): Promise<HttpResponse> {
  return (await recordAnswer(settings, context, (within) => recordKnown(within, upload), answer)).response;
}

async function recordKnown({ store }: UploadSettings, { record, data }: Upload): Promise<Upload> {
  const outcome = await store.update(record.id, record.version, { data: { ...data, isAcknowledged: true } });
  if (outcome.outcome !== "stored") throw changedMeanwhile();
  return uploadOf(outcome.record);
}
