import type { Context } from "../../../engine/operation/context.js";
import type { Environment } from "../../../engine/operation/environment.js";
import { joinBytes } from "../../../ground/http/json/writeJson.js";
import { turnIsOver, yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { ChunkSealer, chunkBytes, createDataKey, sealedPart } from "../../../ground/secrets/sealedChunks.js";
import { secretBoxOf } from "../../../ground/secrets/secretBox.js";
import { SecretBoxError } from "../../../ground/secrets/secretBoxError.js";
import type { Secrets } from "../../../ground/secrets/secrets.js";
import type { ClaimedJob } from "../../../ground/storage/queue/jobs.js";
import { encodeRequest, type OpenedRequest, type PackedRequest, packRequest, type StoredRequest } from "./storedRequest.js";

/** A stored request that cannot be read without the secrets of the service. */
interface SealedRequest {
  /** The {@link SealedHead} as JSON, sealed for the id of the job. */
  readonly sealed: string;
  /** A large body, compressed and sealed in chunks, in base64: sealed at once it would block the event loop. */
  readonly sealedBody?: string | undefined;
}

/** A stored request without its large body. */
interface SealedHead extends Omit<StoredRequest, "packedBody"> {
  readonly largeBody?: { readonly key: string; readonly bytes: number } | undefined;
}

/**
 * The input of the job for a request.
 *
 * @param seal `isSealed`: whether the request is sealed with the secrets of the service, for this job only
 */
export async function requestInput(
  context: Context,
  { jobId, isSealed }: { readonly jobId: string; readonly isSealed: boolean },
): Promise<StoredRequest | SealedRequest> {
  const packed = await packRequest(context);
  return isSealed ? sealRequest(packed, jobId, context.environment.secrets) : encodeRequest(packed);
}

/** Whether the input of a job is a sealed request. */
function isSealedInput(input: unknown): input is SealedRequest {
  return typeof input === "object" && input !== null && "sealed" in input;
}

/**
 * The request of a job, opened if it is sealed.
 *
 * @throws {ProblemError} SECRET_UNREADABLE if it is sealed with a secret that the service no longer has, or was changed; this is logged
 */
export async function openRequest(
  { secrets, logger }: Pick<Environment, "secrets" | "logger">,
  { id, type, input }: Pick<ClaimedJob, "id" | "type" | "input">,
): Promise<OpenedRequest> {
  if (!isSealedInput(input)) return input as StoredRequest;
  try {
    return await unsealRequest(input, id, secrets);
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error;
    logger.error(
      { err: error, job: id, type },
      "The request of a job cannot be opened, so the job fails; keep older `secrets` until their jobs have ended.",
    );
    throw unreadableJob(error);
  }
}

/** The problem of a job whose request or file cannot be opened. */
export function unreadableJob(cause: SecretBoxError): ProblemError {
  const detail = "What was stored for the job cannot be opened with the secrets of the service; send the request again.";
  return new ProblemError("SECRET_UNREADABLE", detail, { cause });
}

async function sealRequest({ packedBody, ...stored }: PackedRequest, jobId: string, secrets: Secrets): Promise<SealedRequest> {
  const seal = (head: SealedHead) => secretBoxOf(secrets).seal(JSON.stringify(head), contextOf(jobId));
  if (packedBody === undefined) return { sealed: seal(stored) };
  const key = createDataKey();
  const sealedBody = await sealBody(key, packedBody);
  return { sealed: seal({ ...stored, largeBody: { key: Buffer.from(key).toString("base64"), bytes: packedBody.length } }), sealedBody };
}

async function sealBody(key: Uint8Array, body: Uint8Array): Promise<string> {
  const sealer = new ChunkSealer(key);
  const chunks: Uint8Array[] = [];
  for (let start = 0; start < body.length; start += chunkBytes) {
    chunks.push(...sealer.add(body.subarray(start, start + chunkBytes)));
    if (turnIsOver()) await yieldToEventLoop();
  }
  return Buffer.from(await joinBytes([...chunks, sealer.end()])).toString("base64");
}

async function unsealRequest({ sealed, sealedBody = "" }: SealedRequest, jobId: string, secrets: Secrets): Promise<OpenedRequest> {
  const { largeBody, ...stored } = JSON.parse(secretBoxOf(secrets).open(sealed, contextOf(jobId))) as SealedHead;
  if (largeBody === undefined) return stored;
  const { key, bytes } = largeBody;
  const chunks: Uint8Array[] = [];
  const { open } = sealedPart(Buffer.from(key, "base64"), bytes, { start: 0, end: bytes });
  for await (const chunk of open(bytesOf(sealedBody))) chunks.push(chunk);
  return { ...stored, packedBody: await joinBytes(chunks) };
}

/** Decoded in pieces, so that each is quick. A multiple of four characters has whole bytes. */
async function* bytesOf(base64: string): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < base64.length; start += chunkBytes) yield Buffer.from(base64.slice(start, start + chunkBytes), "base64");
}

/** A text that is sealed for one job cannot be opened for another. */
function contextOf(jobId: string): string {
  return `job ${jobId}`;
}
