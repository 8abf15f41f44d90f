import type { Context } from "../../../engine/operation/context.js";
import { type Keepable, keepable } from "../../../engine/operation/keepable.js";
import type { Operation, ReceivedBody } from "../../../engine/operation/operation.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { finishForm } from "../finish/finishForm.js";
import { wasRolledBack } from "../finish/recordAnswer.js";
import { forget, type ReceivedFile, receiveFile } from "../plain/receiveFile.js";
import { baseOf, filePath, uploadDocument, uploadPath } from "../records/document.js";
import type { UploadSettings } from "../records/settings.js";
import type { Upload } from "../records/upload.js";
import { type FileTaker, type ReadForm, readForm } from "./readForm.js";
import type { FormSettings } from "./settings.js";

interface ReceivedForm extends ReceivedBody, Keepable {
  readonly form: ReadForm<ReceivedFile>;
}

/** POST of a form with files. */
export function formOperation(settings: UploadSettings, form: FormSettings): Operation {
  return {
    name: `${form.name}.create`,
    method: "POST",
    standsAlone: true,
    access: { action: "create", collection: form.name },
    form: { ...form.rules, maxFiles: form.limits.files, types: form.types },
    body: {
      accepts: () => true,
      supported: ["multipart/form-data"],
      limitBytes: Number.POSITIVE_INFINITY,
      checksHeadersItself: true,
      receive: (context) => receive(settings, form, context),
    },
    run: (context) => finish(settings, context, context.received as ReceivedForm),
  };
}

async function receive(settings: UploadSettings, { name, rules, limits, ...taken }: FormSettings, context: Context): Promise<ReceivedForm> {
  const { timers } = settings;
  const drop = async (files: readonly ReceivedFile[]) => {
    for (const { upload } of files) await forget(settings, upload);
  };
  const taker: FileTaker<ReceivedFile> = {
    take: ({ name: field, filename, declaredContentType: declaredType, bytes: source }) =>
      receiveFile(settings, context, { kind: "form", form: name, field, filename, declaredType, source, maxFiles: limits.files, ...taken }),
    drop,
  };
  const { headers, request } = context;
  // The size of a file in a form is not announced.
  const fileBytes = Math.min(limits.fileBytes, settings.blobs.maxBytes ?? limits.fileBytes);
  const form = await readForm({ headers, body: request.body }, { ...limits, fileBytes, rules, timers }, taker);
  return { form, fingerprint: form.fingerprint, ...keepable(() => drop(form.files)) };
}

async function finish(settings: UploadSettings, context: Context, received: ReceivedForm): Promise<HttpResponse> {
  const { files, fields } = received.form;
  try {
    const uploads = files.map(({ upload }) => upload);
    const answer = (made: readonly Upload[]) => {
      // From here on a commit may succeed even if an error is thrown, so the files must not be dropped.
      received.keep();
      return answerForm(context, made, fields);
    };
    return await finishForm(settings, context, uploads, answer);
  } catch (error) {
    // If the transaction was undone, drop the files; without the first file the others are not readable.
    await (wasRolledBack(error) ? received.drop() : received.release());
    throw error;
  }
}

/** 201 with the files, or 202 if a check has deferred the decision about one of them. */
function answerForm(context: Context, uploads: readonly Upload[], fields: ReadForm<ReceivedFile>["fields"]): HttpResponse {
  const [first, ...others] = uploads;
  if (first === undefined) throw new Error("A form without a file was accepted.");
  const isReady = first.data.status === "ready";
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  const place = isReady ? filePath(first) : uploadPath(first.record.id);
  // Several files have no common location.
  const location = isReady && others.length > 0 ? {} : { location: baseOf(context) + place };
  const files = uploads.map((upload) => uploadDocument(upload, context));
  const body = others.length > 0 ? { files, fields } : { ...files[0], ...(Object.keys(fields).length > 0 ? { fields } : {}) };
  return { status: isReady ? 201 : 202, headers: { ...headers, ...location }, body: JSON.stringify(body) };
}
