import { createHash } from "node:crypto";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import type { QueryPair } from "../../../../src/parts/auth/aws4/canonicalRequest.js";
import type { S3Keys } from "../options.js";
import { Body } from "./body.js";
import { type BucketLocation, pathOf, urlOf } from "./bucketLocation.js";
import type { S3Client, S3Response } from "./client.js";
import { errorOf } from "./errors.js";
import { withRetries } from "./retries.js";
import { signRequest } from "./sign.js";
import { withTimeout } from "./withTimeout.js";

/** Bytes to send, and their SHA-256 in hexadecimal digits. */
export interface Payload {
  readonly chunks: readonly Uint8Array[];
  readonly length: number;
  readonly sha256: string;
}

/** A body to send. */
export function payloadOf(bytes: Uint8Array): Payload {
  return { chunks: [bytes], length: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** One call of the S3 API. */
export interface S3Call {
  /** `PutObject`. */
  readonly name: string;
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** The key of a blob; without it the call concerns the bucket. */
  readonly key?: string | undefined;
  readonly query?: readonly QueryPair[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly payload?: Payload | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

export interface S3Answer extends Pick<S3Response, "status" | "header"> {
  readonly text: string;
}

/** A response with an unread body, which must be read or released. */
export interface S3Stream extends Pick<S3Response, "status" | "header"> {
  readonly body: Body;
}

export interface S3ApiOptions {
  readonly place: BucketLocation;
  readonly region: string;
  readonly keys: () => Promise<S3Keys>;
  readonly client: S3Client;
  readonly now: () => number;
  readonly timeoutMs: number;
}

/** The slowest upload that is waited for. */
const slowestBytesPerMs = 64;

const nothing: Payload = { ...payloadOf(new Uint8Array()), chunks: [] };

/** Calls to one bucket: signed, with time limits, and retried if a retry may succeed. */
export class S3Api {
  readonly options: S3ApiOptions;

  constructor(options: S3ApiOptions) {
    this.options = options;
  }

  /** @throws {Unavailable | S3Error} */
  send(call: S3Call): Promise<S3Answer> {
    return withRetries({ name: nameOf(call), signal: call.signal }, (attempt) => this.sendOnce(call, attempt));
  }

  /** Without retries. @throws {S3Error}, and any error of the client */
  async sendOnce(call: S3Call, attempt = 1): Promise<S3Answer> {
    const { status, header, body } = await this.#begin(call);
    const text = await body.text();
    if (status < 200 || status > 299 || /^\s*(?:<\?[^>]*>\s*)?<Error[\s>]/.test(text)) throw errorOf(nameOf(call), { status, header }, text, attempt);
    return { status, header, text };
  }

  /** The same, for a response whose body may be long. */
  open(call: S3Call): Promise<S3Stream> {
    return withRetries({ name: nameOf(call), signal: call.signal }, async (attempt) => {
      const answer = await this.#begin(call);
      if (answer.status >= 200 && answer.status <= 299) return answer;
      throw errorOf(nameOf(call), answer, await answer.body.text(), attempt);
    });
  }

  async #keys(): Promise<S3Keys> {
    try {
      return await this.options.keys();
    } catch (cause) {
      throw new Unavailable(`Getting the keys for S3 failed. Check the option "credentials".`, { cause });
    }
  }

  async #begin(call: S3Call): Promise<S3Stream> {
    const { place, region, client, now, timeoutMs } = this.options;
    const { method, query = [], payload = nothing, signal } = call;
    const controller = new AbortController();
    const abort = () => controller.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    try {
      const path = pathOf(place, call.key);
      const keys = await withTimeout(timeoutMs, controller, this.#keys());
      const unsigned = { method, path, query, headers: { ...call.headers, host: place.host }, payloadHash: payload.sha256 };
      const { host, ...headers } = signRequest(unsigned, { keys, region, nowMs: now() });
      const sent = client({ method, url: urlOf(place, path, query), headers, body: payload.chunks, signal: controller.signal });
      const response = await withTimeout(timeoutMs + Math.ceil(payload.length / slowestBytesPerMs), controller, sent);
      const header = (name: string) => response.header(name);
      return { status: response.status, header, body: new Body(response, controller, timeoutMs) };
    } catch (error) {
      controller.abort(error);
      throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }
}

function nameOf({ name, key }: S3Call): string {
  return key === undefined ? name : `${name} of "${key}"`;
}
