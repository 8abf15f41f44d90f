import type { HttpResponse } from "../../http/message.js";
import type { Context } from "../../operation/context.js";
import type { UploadSettings } from "../records/settings.js";
import { problemOf, type Upload } from "../records/upload.js";
import { deletedUpload, finishUpload } from "./finishUpload.js";
import { recordAnswer } from "./recordAnswer.js";

/** An upload that was finished, and the answer that was recorded with it; none where it is judged later. */
export interface FinishedUpload {
  readonly upload: Upload;
  readonly response: HttpResponse | undefined;
}

/**
 * Makes a file of an upload that only this request knows of, and records the answer with it.
 *
 * @throws {ProblemError} what the file is rejected for, and all that `finishUpload` does
 */
export async function finishWithAnswer(
  settings: UploadSettings,
  context: Context,
  upload: Upload,
  answer: (file: Upload) => HttpResponse,
): Promise<FinishedUpload> {
  let response: HttpResponse | undefined;
  const finished = await finishUpload(settings, upload, async (write) => {
    const recorded = await recordAnswer(settings, context, write, ({ upload: file }) => {
      if (file.data.status !== "ready") throw deletedUpload();
      return answer(file);
    });
    response = recorded.response;
    return recorded.written;
  });
  if (finished.data.problem !== undefined) throw problemOf(finished.data.problem);
  return { upload: finished, response };
}
