import { anonymous, type Principal } from "../auth/verifier.js";
import { gunzipAll, gzipFast } from "../http/body/gzip.js";
import { readJson } from "../http/json/readJson.js";
import { writeJson } from "../http/json/writeJson.js";
import type { HttpRequest, RawHeaders } from "../http/message.js";
import type { Context } from "../operation/context.js";

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

/** Headers that change how the request is processed. The principal is kept instead of the credentials. */
const keptHeaders = ["prefer", "content-type", "accept", "accept-language"] as const;

export async function storeRequest({ request, headers, requestId, principal, body, operationId, environment }: Context): Promise<StoredRequest> {
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
    ...(await storeBody(body)),
    principal: sender,
    operationId,
    version: environment.version?.name,
  };
}

/** Returns the principal who sent the request. */
export function principalOf({ principal }: StoredRequest): Principal {
  return principal ?? anonymous;
}

/** @param signal the signal of the job */
export async function restoreRequest(stored: StoredRequest, signal: AbortSignal): Promise<HttpRequest & { readonly body: RestoredBody }> {
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

type RestoredBody = { readonly kind: "none" } | { readonly kind: "parsed"; readonly value: unknown };

/** The limits were checked when the request arrived. */
const unlimited = { depth: Number.POSITIVE_INFINITY, members: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };

async function storeBody(body: unknown): Promise<Pick<StoredRequest, "body" | "packedBody">> {
  const json = typeof body === "object" && body !== null ? await writeJson(body) : undefined;
  if (!(json instanceof Uint8Array)) return { body };
  return { packedBody: (await gzipFast(json)).toString("base64") };
}

async function restoreBody({ body, packedBody }: StoredRequest): Promise<RestoredBody> {
  if (packedBody !== undefined) {
    const json = await gunzipAll(Buffer.from(packedBody, "base64"));
    return { kind: "parsed", value: await readJson(json, unlimited, { checksText: false }) };
  }
  return body === undefined ? { kind: "none" } : { kind: "parsed", value: body };
}
