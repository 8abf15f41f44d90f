import type { Context } from "../../../engine/operation/context.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { BlobStore } from "../../../ground/storage/files/blobs.js";
import { fileName } from "../../../parts/blobs/fileName.js";
import { fileTooLarge } from "../fileTooLarge.js";
import { pieceId, piecesOf } from "../finish/discardPieces.js";
import { finishWithAnswer } from "../finish/finishUpload.js";
import { beginFinishing } from "../finish/heartbeat.js";
import { record } from "../finish/record.js";
import { wasRolledBack } from "../finish/recordAnswer.js";
import { HashedBlobWriter } from "../hashedBlob.js";
import { forget } from "../plain/receiveFile.js";
import { createUpload, newUploadId } from "../records/create.js";
import { isOwner, loadUpload } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import { blobKeyOf, isPartial, type Upload } from "../records/upload.js";
import { requireAcceptedClaim } from "../requireAcceptedClaim.js";
import { announcedFile, created, hasBody } from "./createResumable.js";
import { bytesOf, malformed, requireVersion } from "./headers.js";
import { parseMetadata } from "./metadata.js";

const maxParts = 1_000;

/**
 * Concatenates complete partial uploads into one upload. They are kept until they expire, so that the client can repeat the request if the response is lost.
 *
 * @throws {ProblemError} MALFORMED_HEADER, NOT_FOUND, UPLOAD_INCOMPLETE, FILE_TOO_LARGE, QUOTA_EXCEEDED, the problem that the file is rejected for
 * @see tus resumable upload protocol 1.0.0, Concatenation
 */
export async function concatenate(settings: UploadSettings, context: Context): Promise<HttpResponse> {
  const { headers } = context;
  requireVersion(headers);
  if (hasBody(context)) throw malformed("upload-concat", "says that the upload is complete, but the request has a body");
  if (bytesOf(headers, "upload-length") !== undefined) throw malformed("upload-length", "is the sum of the pieces and must not be sent");
  const concat = headers.get("upload-concat") ?? "";
  const pieces = await findPieces(settings, context, concat);
  const length = pieces.reduce((sum, { data }) => sum + (data.length ?? 0), 0);
  if (length > settings.maxBytes) throw fileTooLarge(settings.maxBytes);
  const metadata = headers.get("upload-metadata");
  const announced = announcedFile(parseMetadata(metadata));
  requireAcceptedClaim(settings, announced.filename, announced.declaredType);
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
    return await finishWithAnswer(settings, context, await join(settings, upload, pieces, context.request.signal), answer);
  } catch (error) {
    // The client does not receive the URL of the upload, and repeats the request.
    if (!isKept || wasRolledBack(error)) await forget(settings, upload);
    throw error;
  }
}

/** Stops counting the partial uploads against the quota. If this fails, they count until they expire; the file is finished already. */
async function letGo(settings: UploadSettings, pieces: readonly Upload[]): Promise<void> {
  try {
    for (const piece of pieces) await record(settings, piece, { bytes: 0, isOpen: false });
  } catch (error) {
    settings.logger.warn({ err: error }, "Releasing the quota of the pieces of a concatenation failed; they count until they expire.");
  }
}

async function findPieces(settings: UploadSettings, context: Context, concat: string): Promise<readonly Upload[]> {
  const addresses = piecesOf(concat);
  if (addresses.length === 0 || addresses.length > maxParts) throw malformed("upload-concat", `must name 1 to ${maxParts} uploads`);
  const pieces: Upload[] = [];
  for (const address of addresses) {
    const piece = await loadUpload(settings, pieceId(address));
    if (piece === undefined || !isOwner(piece, context) || !isPartial(piece)) {
      throw new ProblemError("NOT_FOUND", `There is no piece "${address.slice(0, 128)}" to concatenate.`);
    }
    if (piece.data.status !== "ready") throw new ProblemError("UPLOAD_INCOMPLETE", `The piece "${address.slice(0, 128)}" is not complete.`);
    pieces.push(piece);
  }
  return pieces;
}

/** Adds the bytes of the partial uploads to the limit, because they are already counted. */
async function limitsWithout(settings: UploadSettings, context: Context, pieces: readonly Upload[]) {
  const limits = await settings.limitsOf(context.principal);
  const counted = new Map(pieces.map(({ record }) => [record.id, record.bytes]));
  const bytes = [...counted.values()].reduce((sum, each) => sum + each, 0);
  return limits.maxBytes === undefined ? limits : { ...limits, maxBytes: limits.maxBytes + bytes };
}

/** Writes the partial uploads one after the other. @throws the reason of the signal: a client that has gone away would never receive the address of the file */
async function join(settings: UploadSettings, upload: Upload, pieces: readonly Upload[], signal: AbortSignal): Promise<Upload> {
  const { blobs, hashes } = settings;
  const { record, data } = upload;
  const writer = await HashedBlobWriter.open(blobs, blobKeyOf(record.id), { size: data.length });
  try {
    for (const piece of pieces) {
      for await (const chunk of await readPiece(blobs, piece)) {
        signal.throwIfAborted();
        await writer.write(chunk);
      }
    }
    const { size, sha256 } = await writer.commit();
    hashes.put(record.id, size, sha256);
  } catch (error) {
    await writer.abort().catch(() => {});
    throw error;
  }
  return beginFinishing(settings, upload);
}

async function readPiece(blobs: BlobStore, { record }: Upload): Promise<AsyncIterable<Uint8Array>> {
  const bytes = await blobs.read(blobKeyOf(record.id));
  if (bytes === undefined) throw new ProblemError("GONE", "A piece of the upload no longer exists.");
  return bytes;
}
