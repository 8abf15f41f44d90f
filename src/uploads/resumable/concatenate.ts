import { createHash } from "node:crypto";
import { fileName } from "../../blobs/fileName.js";
import type { HttpResponse } from "../../http/message.js";
import type { Context } from "../../operation/context.js";
import { ProblemError } from "../../problem/index.js";
import type { BlobStore } from "../../storage/blobs.js";
import { fileTooLarge } from "../fileTooLarge.js";
import { acknowledge } from "../finish/acknowledge.js";
import { beginFinishing } from "../finish/beginFinishing.js";
import { requireClaim } from "../finish/finishUpload.js";
import { finishWithAnswer } from "../finish/finishWithAnswer.js";
import { wasUndone } from "../finish/recordAnswer.js";
import { recordOutcome } from "../finish/recordOutcome.js";
import { forget } from "../plain/receiveFile.js";
import { createUpload, newUploadId } from "../records/create.js";
import { isOwner, loadUpload } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import { blobKeyOf, isPartial, type Upload } from "../records/upload.js";
import { announcedFile, created, hasBody } from "./createResumable.js";
import { bytesOf, malformed, requireVersion } from "./headers.js";
import { parseMetadata } from "./metadata.js";

const mostParts = 1_000;

/**
 * Makes one upload of pieces that are complete. They stay until their time is over, so that the request can be repeated when its answer was lost.
 *
 * @throws {ProblemError} MALFORMED_HEADER, NOT_FOUND, UPLOAD_INCOMPLETE, FILE_TOO_LARGE, QUOTA_EXCEEDED, what the file is rejected for
 * @see tus resumable upload protocol 1.0.0, Concatenation
 */
export async function concatenate(settings: UploadSettings, context: Context): Promise<HttpResponse> {
  const { headers } = context;
  requireVersion(headers);
  if (hasBody(context)) throw malformed("upload-concat", "says that there is nothing more to come, but the request has a body");
  if (bytesOf(headers, "upload-length") !== undefined) throw malformed("upload-length", "is that of the pieces together; it cannot be given");
  const concat = headers.get("upload-concat") ?? "";
  const pieces = await findPieces(settings, context, concat);
  const length = pieces.reduce((sum, { data }) => sum + (data.length ?? 0), 0);
  if (length > settings.maximumBytes) throw fileTooLarge(settings.maximumBytes);
  const metadata = headers.get("upload-metadata");
  const announced = announcedFile(parseMetadata(metadata));
  requireClaim(settings, announced.filename, announced.declaredType);
  const upload = await createUpload(
    settings,
    context,
    {
      id: newUploadId(),
      kind: "resumable",
      status: "uploading",
      visibility: settings.visibility,
      ...announced,
      filename: fileName(announced.filename),
      length,
      metadata,
      concat,
      isAcknowledged: false,
      bytes: length,
    },
    await limitsWithout(settings, context, pieces),
  );
  const response = await answerJoined(settings, context, { upload, pieces });
  await letGo(settings, pieces);
  return response;
}

interface Joining {
  readonly upload: Upload;
  readonly pieces: readonly Upload[];
}

async function answerJoined(settings: UploadSettings, context: Context, { upload, pieces }: Joining): Promise<HttpResponse> {
  let isKept = false;
  const answer = (file: Upload) => {
    isKept = true;
    return created(context, file, {});
  };
  try {
    const finished = await finishWithAnswer(settings, context, await join(settings, upload, pieces), answer);
    return finished.response ?? (await acknowledge(settings, context, finished.upload, answer));
  } catch (error) {
    // Its client is not told where it is, and asks for it again.
    if (!isKept || wasUndone(error)) await forget(settings, upload);
    throw error;
  }
}

/** Whose bytes are in a file do not count any more. That is made by now: what cannot be said of them now ends with their time. */
async function letGo(settings: UploadSettings, pieces: readonly Upload[]): Promise<void> {
  try {
    for (const piece of pieces) await recordOutcome(settings, piece, { bytes: 0, isOpen: false });
  } catch (error) {
    settings.logger.warn({ err: error }, "The pieces of a concatenation still count until their time is over.");
  }
}

async function findPieces(settings: UploadSettings, context: Context, concat: string): Promise<readonly Upload[]> {
  const addresses = concat
    .slice("final;".length)
    .split(" ")
    .filter((address) => address !== "");
  if (addresses.length === 0 || addresses.length > mostParts) throw malformed("upload-concat", `must name 1 to ${mostParts} uploads`);
  const pieces: Upload[] = [];
  for (const address of addresses) {
    const [, id = ""] = /\/uploads\/([0-9a-f]{32})\/?(?:\?.*)?$/.exec(address) ?? [];
    const piece = await loadUpload(settings, id);
    if (piece === undefined || !isOwner(piece, context) || !isPartial(piece)) {
      throw new ProblemError("NOT_FOUND", `There is no piece "${address.slice(0, 128)}" that could be made a part of an upload.`);
    }
    if (piece.data.status !== "ready") throw new ProblemError("UPLOAD_INCOMPLETE", `The piece "${address.slice(0, 128)}" is not complete.`);
    pieces.push(piece);
  }
  return pieces;
}

/** The bytes of the pieces are counted already. */
async function limitsWithout(settings: UploadSettings, context: Context, pieces: readonly Upload[]) {
  const limits = await settings.limitsOf(context.principal);
  const counted = new Map(pieces.map(({ record }) => [record.id, record.bytes]));
  const bytes = [...counted.values()].reduce((sum, each) => sum + each, 0);
  return limits.mostBytes === undefined ? limits : { ...limits, mostBytes: limits.mostBytes + bytes };
}

/** Writes the pieces one behind the other. */
async function join(settings: UploadSettings, upload: Upload, pieces: readonly Upload[]): Promise<Upload> {
  const { blobs, hashes } = settings;
  const { record, data } = upload;
  const hash = createHash("sha256");
  const writer = await blobs.open(blobKeyOf(record.id), { size: data.length });
  try {
    for (const piece of pieces) {
      for await (const chunk of await readPiece(blobs, piece)) {
        hash.update(chunk);
        await writer.write(chunk);
      }
    }
    const { size } = await writer.commit();
    hashes.put(record.id, size, hash);
  } catch (error) {
    await writer.abort().catch(() => {});
    throw error;
  }
  return beginFinishing(settings, upload);
}

async function readPiece(blobs: BlobStore, { record }: Upload): Promise<AsyncIterable<Uint8Array>> {
  const bytes = await blobs.read(blobKeyOf(record.id));
  if (bytes === undefined) throw new ProblemError("GONE", "A piece of the upload is not there any more.");
  return bytes;
}
