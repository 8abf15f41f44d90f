import type { HttpResponse } from "../../http/message.js";
import type { Context } from "../../operation/context.js";
import { type Keepable, keepable } from "../../operation/keepable.js";
import type { Operation, ReceivedBody } from "../../operation/operation.js";
import { ProblemError } from "../../problem/index.js";
import { rejectionProblem } from "../checks/rejection.js";
import { acknowledge } from "../finish/acknowledge.js";
import { checkForm, commitForm } from "../finish/finishForm.js";
import { recordAnswer, wasUndone } from "../finish/recordAnswer.js";
import { placeOf } from "../finish/settleForm.js";
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
    safety: "unsafe",
    standsAlone: true,
    access: { action: "create", collection: form.name },
    body: {
      accepts: () => true,
      supported: ["multipart/form-data"],
      limitBytes: Number.POSITIVE_INFINITY,
      judgesItself: true,
      receive: (context) => receive(settings, form, context),
    },
    run: (context) => finish(settings, context, context.received as ReceivedForm),
  };
}

async function receive(settings: UploadSettings, { name, rules, limits, ...taken }: FormSettings, context: Context): Promise<ReceivedForm> {
  const { timers, clock } = settings;
  const drop = async (files: readonly ReceivedFile[]) => {
    for (const { upload } of files) await forget(settings, upload);
  };
  const taker: FileTaker<ReceivedFile> = {
    take: ({ name: field, filename, declaredContentType: declaredType, bytes: source }) =>
      receiveFile(settings, context, { kind: "form", form: name, field, filename, declaredType, source, mostFiles: limits.files, ...taken }),
    drop,
  };
  const { headers, request } = context;
  // Files of a form do not say how long they are.
  const fileBytes = Math.min(limits.fileBytes, settings.blobs.mostBytes ?? limits.fileBytes);
  const form = await readForm({ headers, body: request.body }, { ...limits, fileBytes, rules, timers, clock }, taker);
  return { form, fingerprint: form.fingerprint, ...keepable(() => drop(form.files)) };
}

async function finish(settings: UploadSettings, context: Context, received: ReceivedForm): Promise<HttpResponse> {
  const { files, fields } = received.form;
  try {
    const uploads = files.map(({ upload }) => upload);
    const answer = (made: readonly Upload[]) => {
      // Once they are recorded, or about to be, it is no longer known that nobody will be told of them.
      received.keep();
      return answerForm(context, made, fields);
    };
    return await makeFiles(settings, context, { uploads, answer });
  } catch (error) {
    // Nothing is visible but for a moment: without the first file there is none.
    await (wasUndone(error) ? received.drop() : received.release());
    throw error;
  }
}

interface CheckableForm {
  readonly uploads: readonly Upload[];
  answer(uploads: readonly Upload[]): HttpResponse;
}

async function makeFiles(settings: UploadSettings, context: Context, { uploads, answer }: CheckableForm): Promise<HttpResponse> {
  const checked = await checkForm(settings, uploads);
  switch (checked.verdict) {
    case "pass": {
      let response: HttpResponse | undefined;
      const files = await commitForm(settings, checked.uploads, async (write) => {
        const recorded = await recordAnswer(settings, context, write, (marked) => answer(marked.map(({ upload }) => upload)));
        response = recorded.response;
        return recorded.written;
      });
      return response ?? answer(files);
    }
    case "gone":
      throw new ProblemError("GONE", "A file of the form was deleted while it was looked into.");
    case "reject": {
      const { rejection, upload } = checked;
      throw rejectionProblem({ ...rejection, extensions: { ...rejection.extensions, ...placeOf(upload) } });
    }
    case "defer": {
      const [first, ...others] = checked.uploads;
      return first === undefined ? answer([]) : acknowledge(settings, context, first, (known) => answer([known, ...others]));
    }
  }
}

/** 201 with the files, or 202 while somebody else is to judge some of them. */
function answerForm(context: Context, uploads: readonly Upload[], fields: ReadForm<ReceivedFile>["fields"]): HttpResponse {
  const [first, ...others] = uploads;
  if (first === undefined) throw new Error("A form without a file was taken.");
  const isReady = first.data.status === "ready";
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  const place = isReady ? filePath(first) : uploadPath(first.record.id);
  // Several files are in no one place.
  const location = isReady && others.length > 0 ? {} : { location: baseOf(context) + place };
  const files = uploads.map((upload) => uploadDocument(upload, context));
  const body = others.length > 0 ? { files, fields } : { ...files[0], ...(Object.keys(fields).length > 0 ? { fields } : {}) };
  return { status: isReady ? 201 : 202, headers: { ...headers, ...location }, body: JSON.stringify(body) };
}
