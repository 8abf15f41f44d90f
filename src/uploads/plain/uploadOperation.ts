import { fileName } from "../../blobs/fileName.js";
import { bodyChunks } from "../../http/bodyStream.js";
import { parseMediaType } from "../../http/mediaType.js";
import type { HttpResponse } from "../../http/message.js";
import { atMinimumRate } from "../../http/minimumRate.js";
import type { Context } from "../../operation/context.js";
import { type Keepable, keepable } from "../../operation/keepable.js";
import type { Operation, ReceivedBody } from "../../operation/operation.js";
import { ProblemError } from "../../problem/index.js";
import { announcedLength } from "../announcedLength.js";
import { fileTooLarge } from "../fileTooLarge.js";
import { acknowledge } from "../finish/acknowledge.js";
import { finishWithAnswer } from "../finish/finishWithAnswer.js";
import { wasUndone } from "../finish/recordAnswer.js";
import { requireRaw, wholeBody } from "../rawBody.js";
import { baseOf, filePath, uploadDocument, uploadPath } from "../records/document.js";
import type { UploadSettings } from "../records/settings.js";
import type { Upload } from "../records/upload.js";
import { concatenate } from "../resumable/concatenate.js";
import { beginsResumable, createResumable } from "../resumable/createResumable.js";
import { refuseCoding } from "./contentCoding.js";
import { leastRate } from "./leastRate.js";
import { forget, receiveFile } from "./receiveFile.js";
import { requestedName } from "./requestedName.js";

interface PlainUpload extends ReceivedBody, Keepable {
  readonly upload: Upload;
}

/** POST of uploads: of a file as it is, or of nothing yet, for one that comes in pieces. */
export function uploadOperation(settings: UploadSettings): Operation {
  return {
    name: "uploads.create",
    method: "POST",
    safety: "unsafe",
    standsAlone: true,
    access: { action: "create", collection: "uploads" },
    body: {
      accepts: () => true,
      supported: ["application/octet-stream"],
      limitBytes: Number.POSITIVE_INFINITY,
      judgesItself: true,
      receive: (context) => receive(settings, context),
    },
    run: (context) => upload(settings, context),
  };
}

async function receive(settings: UploadSettings, context: Context): Promise<ReceivedBody> {
  if (!beginsResumable(context)) return receivePlain(settings, context);
  const names = ["upload-length", "upload-defer-length", "upload-metadata", "upload-concat"] as const;
  return { fingerprint: JSON.stringify(names.map((name) => context.headers.get(name) ?? null)), release: async () => {} };
}

async function upload(settings: UploadSettings, context: Context): Promise<HttpResponse> {
  if (!beginsResumable(context)) return finishPlain(settings, context, context.received as PlainUpload);
  return context.headers.get("upload-concat")?.startsWith("final;") ? concatenate(settings, context) : createResumable(settings, context);
}

async function receivePlain(settings: UploadSettings, context: Context): Promise<PlainUpload> {
  const { headers, request, environment } = context;
  requireRaw(request);
  refuseCoding(headers);
  const contentType = headers.get("content-type");
  if (contentType !== undefined && parseMediaType(contentType)?.type === "multipart/form-data") {
    throw new ProblemError("UNSUPPORTED_MEDIA_TYPE", "A form is not taken here: send the file itself, e.g. as application/octet-stream.", {
      extensions: { supported: ["application/octet-stream"] },
    });
  }
  const length = announcedLength(headers);
  const { plainBytes, blobs } = settings;
  const limitBytes = length === undefined ? Math.min(plainBytes, blobs.mostBytes ?? plainBytes) : plainBytes;
  if (length !== undefined && length > limitBytes) throw fileTooLarge(limitBytes);
  const { limits, timers, clock } = environment;
  const chunks = wholeBody(bodyChunks(request, { limitBytes, stallMs: limits.bodyStallMs, timers, tooLarge: fileTooLarge }), headers);
  const { upload: received, sha256 } = await receiveFile(settings, context, {
    kind: "plain",
    filename: fileName(requestedName(headers.get("content-disposition")) ?? ""),
    declaredType: contentType?.slice(0, 255),
    length,
    source: atMinimumRate(chunks, { ...leastRate, now: () => clock.now() }),
  });
  return { upload: received, fingerprint: sha256, ...keepable(() => forget(settings, received)) };
}

async function finishPlain(settings: UploadSettings, context: Context, received: PlainUpload): Promise<HttpResponse> {
  const answer = (file: Upload) => {
    // Once it is recorded, or about to be, it is no longer known that nobody will be told of it.
    received.keep();
    return answerFile(context, file);
  };
  try {
    const { upload: finished, response } = await finishWithAnswer(settings, context, received.upload, answer);
    return response ?? (await acknowledge(settings, context, finished, answer));
  } catch (error) {
    await (wasUndone(error) ? received.drop() : received.release());
    throw error;
  }
}

/** 201 with the file, or 202 while somebody else is to judge it. */
export function answerFile(context: Context, file: Upload): HttpResponse {
  const isReady = file.data.status === "ready";
  const location = baseOf(context) + (isReady ? filePath(file) : uploadPath(file.record.id));
  return {
    status: isReady ? 201 : 202,
    headers: { location, "content-type": "application/json", "cache-control": "no-store" },
    body: JSON.stringify(uploadDocument(file, context)),
  };
}
