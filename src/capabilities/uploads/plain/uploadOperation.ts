import type { Context } from "../../../engine/operation/context.js";
import { type Keepable, keepable } from "../../../engine/operation/keepable.js";
import type { Operation, ReceivedBody } from "../../../engine/operation/operation.js";
import { bodyChunks } from "../../../ground/http/body/bodyStream.js";
import { requireRaw } from "../../../ground/http/body/rawBody.js";
import { decodePercent } from "../../../ground/http/decodePercent.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { bodyPace } from "../../../ground/limits/bodyPace.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { fileName } from "../../../parts/blobs/fileName.js";
import { announcedLength } from "../announcedLength.js";
import { fileTooLarge } from "../fileTooLarge.js";
import { finishWithAnswer } from "../finish/finishUpload.js";
import { wasRolledBack } from "../finish/recordAnswer.js";
import { baseOf, filePath, uploadDocument, uploadPath } from "../records/document.js";
import type { UploadSettings } from "../records/settings.js";
import type { Upload } from "../records/upload.js";
import { parseChecksum, verifiedChunks } from "../resumable/checksum.js";
import { concatenate } from "../resumable/concatenate.js";
import { beginsResumable, createResumable } from "../resumable/createResumable.js";
import { refuseCoding } from "./contentCoding.js";
import { forget, receiveFile } from "./receiveFile.js";

interface PlainUpload extends ReceivedBody, Keepable {
  readonly upload: Upload;
}

/** POST that uploads a file as one body, or begins a resumable upload. */
export function uploadOperation(settings: UploadSettings): Operation {
  return {
    name: "uploads.create",
    method: "POST",
    standsAlone: true,
    access: { action: "create", collection: "uploads" },
    body: {
      accepts: () => true,
      supported: ["application/octet-stream"],
      limitBytes: Number.POSITIVE_INFINITY,
      checksHeadersItself: true,
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
  if (headers.mediaType?.type === "multipart/form-data") {
    throw new ProblemError("UNSUPPORTED_MEDIA_TYPE", "Forms are not accepted here: send the file itself, e.g. as application/octet-stream.", {
      extensions: { supported: ["application/octet-stream"] },
    });
  }
  const length = announcedLength(headers);
  const { plainBytes, blobs } = settings;
  const limitBytes = length === undefined ? Math.min(plainBytes, blobs.maxBytes ?? plainBytes) : plainBytes;
  if (length !== undefined && length > limitBytes) throw fileTooLarge(limitBytes);
  const checksum = parseChecksum(headers);
  const { limits, timers } = environment;
  const announced = headers.get("content-length");
  const chunks = bodyChunks(request, { limitBytes, ...bodyPace(limits), timers, tooLarge: fileTooLarge, announced });
  const { upload: received, sha256 } = await receiveFile(settings, context, {
    kind: "plain",
    filename: fileName(requestedName(headers.get("content-disposition")) ?? ""),
    declaredType: headers.get("content-type")?.slice(0, 255),
    length,
    source: verifiedChunks(chunks, checksum),
  });
  return { upload: received, fingerprint: sha256, ...keepable(() => forget(settings, received)) };
}

async function finishPlain(settings: UploadSettings, context: Context, received: PlainUpload): Promise<HttpResponse> {
  const answer = (file: Upload) => {
    // From here on a commit may succeed even if an error is thrown, so the upload must not be dropped.
    received.keep();
    return answerFile(context, file);
  };
  try {
    return await finishWithAnswer(settings, context, received.upload, answer);
  } catch (error) {
    await (wasRolledBack(error) ? received.drop() : received.release());
    throw error;
  }
}

/** 201 with the file, or 202 if a check has deferred the decision. */
export function answerFile(context: Context, file: Upload, mayRead?: boolean): HttpResponse {
  const isReady = file.data.status === "ready";
  const location = baseOf(context) + (isReady ? filePath(file) : uploadPath(file.record.id));
  return {
    status: isReady ? 201 : 202,
    headers: { location, "content-type": "application/json", "cache-control": "no-store" },
    body: JSON.stringify(uploadDocument(file, context, mayRead)),
  };
}

const extended = /(?:^|;)\s*filename\*\s*=\s*(?:utf-8|iso-8859-1)'[^']*'([^\s;]+)/i;
const quoted = /(?:^|;)\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i;
const bare = /(?:^|;)\s*filename\s*=\s*([^\s;"]+)/i;

/**
 * The file name in the Content-Disposition of a request; `filename*` takes precedence over `filename`.
 *
 * @param header header value, decoded as latin1
 * @see RFC 6266 §4.3, RFC 8187
 */
function requestedName(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const [, encoded] = extended.exec(header) ?? [];
  const decoded = encoded && decodePercent(encoded);
  if (decoded) return decoded;
  const [, text] = quoted.exec(header) ?? [];
  const name = text?.replace(/\\(.)/g, "$1") ?? bare.exec(header)?.[1];
  return name === undefined ? undefined : Buffer.from(name, "latin1").toString("utf8");
}
