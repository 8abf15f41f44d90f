import type { Context } from "../../../engine/operation/context.js";
import { gunzipAll, gzipFast } from "../../../ground/http/body/gzip.js";
import { readJson } from "../../../ground/http/json/readJson.js";
import { writeJson } from "../../../ground/http/json/writeJson.js";
import type { HttpRequest, RawHeaders } from "../../../ground/http/message.js";
import { anonymous, type Principal } from "../../../parts/auth/verifier.js";

/** A request that continues as a job, as JSON. */
export interface StoredRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly mount: string;
  readonly headers: RawHeaders;
  /** Absent if `packedBody` is present. */
  readonly body?: unknown;
  /** A large body: its JSON, compressed, in base64. As plain JSON it would be written and parsed without yielding to the event loop. */
  readonly packedBody?: string | undefined;
  /** `null` for the anonymous principal. Its claims must be JSON values. */
  readonly principal: Principal | null;
  /** Id of the operation, if the request had an Idempotency-Key: an earlier attempt may have completed a part. */
  readonly operationId?: string | undefined;
  /** The version of the API in which it was sent, if its rows are not those of the schemas. */
  readonly version?: string | undefined;
}

/** A request to be stored, whose large body is compressed. */
export type PackedRequest = Omit<StoredRequest, "packedBody"> & { readonly packedBody?: Uint8Array | undefined };

/** A stored request, whose large body may be decoded already. */
export type OpenedRequest = StoredRequest | PackedRequest;

/** Headers that change how the request is processed. The principal is kept instead of the credentials. */
const keptHeaders = ["prefer", "content-type", "accept", "accept-language"] as const;

export async function storeRequest(context: Context): Promise<StoredRequest> {
  return encodeRequest(await packRequest(context));
}

/** The form in which stores keep a request. */
export function encodeRequest({ packedBody, ...request }: PackedRequest): StoredRequest {
  return packedBody === undefined ? request : { ...request, packedBody: Buffer.from(packedBody).toString("base64") };
}

/** A request as it is stored, but for the encoding of its large body. */
export async function packRequest({ request, headers, requestId, principal, body, operationId, environment }: Context): Promise<PackedRequest> {
  const { method, path, query, mount } = request;
  const kept = keptHeaders.flatMap((name) => {
    const value = headers.get(name);
    return value === undefined ? [] : [name, value];
  });
  const sender = principal === anonymous ? null : principal;
  return {
    requestId,
    method,
    path,
    query,
    mount,
    headers: kept,
    ...(await packBody(body)),
    principal: sender,
    operationId,
    version: environment.version?.name,
  };
}

/** Returns the principal who sent the request. */
export function principalOf({ principal }: OpenedRequest): Principal {
  return principal ?? anonymous;
}

/** @param signal the signal of the job */
export async function restoreRequest(stored: OpenedRequest, signal: AbortSignal): Promise<HttpRequest & { readonly body: RestoredBody }> {
  const { method, path, query, mount, headers } = stored;
  const body = await restoreBody(stored);
  return {
    method,
    path,
    query,
    mount,
    headers,
    body,
    signal,
    native: undefined,
  };
}

type RestoredBody = { readonly kind: "none" } | { readonly kind: "parsed"; readonly value: unknown; readonly isExact: true };

/** The limits were checked when the request arrived. */
const unlimited = { depth: Number.POSITIVE_INFINITY, members: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };

async function packBody(body: unknown): Promise<Pick<PackedRequest, "body" | "packedBody">> {
  const json = typeof body === "object" && body !== null ? await writeJson(body) : undefined;
  if (!(json instanceof Uint8Array)) return { body };
  return { packedBody: await gzipFast(json) };
}

async function restoreBody({ body, packedBody }: OpenedRequest): Promise<RestoredBody> {
  if (packedBody !== undefined) {
    const json = await gunzipAll(typeof packedBody === "string" ? Buffer.from(packedBody, "base64") : packedBody);
    return { kind: "parsed", value: await readJson(json, unlimited, { checksText: false }), isExact: true };
  }
  return body === undefined ? { kind: "none" } : { kind: "parsed", value: body, isExact: true };
}
