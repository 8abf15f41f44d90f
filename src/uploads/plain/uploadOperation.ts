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
import { finishUpload } from "../finish/finishUpload.js";
import { requireRaw, wholeBody } from "../rawBody.js";
import { changedMeanwhile } from "../records/create.js";
import { baseOf, filePath, uploadDocument, uploadPath } from "../records/document.js";
import type { UploadSettings } from "../records/settings.js";
import { problemOf, type Upload, uploadOf } from "../records/upload.js";
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
  const limitBytes = settings.plainBytes;
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
  const finished = await finishUpload(settings, received.upload).catch(async (error: unknown) => {
    await received.release();
    throw error;
  });
  if (finished.data.problem !== undefined) throw problemOf(finished.data.problem);
  const known = finished.data.status === "processing" ? await acknowledge(settings, finished) : finished;
  received.keep();
  return answerFile(context, known);
}

/** The client will hear that it is judged later: from now on it stays, whatever happens to this process. */
export async function acknowledge(settings: UploadSettings, { record, data }: Upload): Promise<Upload> {
  const outcome = await settings.store.update(record.id, record.version, { data: { ...data, isAcknowledged: true } });
  if (outcome.outcome !== "stored") throw changedMeanwhile();
  return uploadOf(outcome.record);
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
