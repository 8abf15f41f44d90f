import { anonymous, type Principal } from "../auth/verifier.js";
import type { HttpRequest, RawHeaders } from "../http/message.js";
import type { Context } from "../operation/context.js";

/** A request that goes on as a job: all that it is made of, as JSON. */
export interface StoredRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly mount: string;
  readonly headers: RawHeaders;
  readonly body: unknown;
  /** `null`: nobody in particular. What it claims has to be JSON. */
  readonly principal: Principal | null;
  /** Of the request, where it had an Idempotency-Key: an earlier try of it may have done a part. */
  readonly operationId?: string | undefined;
}

/** Headers that say how it is to be done. Credentials are not kept: the principal is. */
const keptHeaders = ["prefer", "content-type", "accept", "accept-language"] as const;

export function storeRequest({ request, headers, requestId, principal, body, operationId }: Context): StoredRequest {
  const { method, path, query, mount } = request;
  const kept = keptHeaders.flatMap((name) => {
    const value = headers.get(name);
    return value === undefined ? [] : [name, value];
  });
  return { requestId, method, path, query, mount, headers: kept, body, principal: principal === anonymous ? null : principal, operationId };
}

/** Who sent it. */
export function principalOf({ principal }: StoredRequest): Principal {
  return principal ?? anonymous;
}

/** @param signal ends with the job */
export function restoreRequest({ method, path, query, mount, headers, body }: StoredRequest, signal: AbortSignal): HttpRequest {
  return {
    method,
    path,
    query,
    mount,
    headers,
    body: body === undefined ? { kind: "none" } : { kind: "parsed", value: body },
    signal,
    native: undefined,
  };
}
