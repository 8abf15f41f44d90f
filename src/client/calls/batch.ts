import type { ProblemDocument } from "../../ground/problem/index.js";
import type { resourceCalls } from "../collection.js";
import type { ApiError } from "../errors.js";
import { checkOptions, type WriteOptions, writeNames } from "../options.js";
import { apiError } from "../transport/failure.js";
import { headersOf, type Outgoing, type Send } from "../transport/transport.js";
import { type JobState, jobOf } from "./job.js";

/** An operation that a batch has recorded. */
export interface Recorded {
  readonly collection: string;
  readonly method: string;
  readonly given: readonly unknown[];
}

/** Whether an action is read by GET. */
export type IsRead = (collection: string, method: string) => boolean;

/** How an operation of a batch ended. */
export type BatchResult<T = unknown> =
  | { readonly ok: true; readonly status: number; readonly data: T; readonly etag: string | undefined }
  | { readonly ok: false; readonly status: number; readonly error: ApiError };

/** Options of `send`. */
export interface BatchOptions extends WriteOptions {
  /** `strict`: all operations or none. `lenient`: each by itself (default: the setting of the service). */
  readonly mode?: "strict" | "lenient" | undefined;
}

interface WireResult {
  readonly status: number;
  readonly headers?: { readonly etag?: string };
  readonly data?: unknown;
  readonly error?: ProblemDocument;
}

/** Sends all operations in one request. If the service makes a job of it, waits for its end. */
export async function sendBatch(send: Send, recorded: readonly Recorded[], options: BatchOptions, callsOf: typeof resourceCalls, isRead: IsRead) {
  const operation = "batch.send";
  checkOptions(operation, options, `mode ${writeNames}`, { mode: ["strict", "lenient"] });
  const { mode, prefer, ...others } = options;
  const handling = [mode && `handling=${mode}`, prefer].filter(Boolean).join(", ");
  const sent = { ...others, prefer: handling || undefined };
  const requests = await Promise.all(recorded.map((each) => requestOf(each, callsOf, isRead)));
  const operations = requests.map((request, index) => ({ name: `op${index + 1}`, ...operationOf(request) }));
  const { status, value } = await send({ operation, method: "POST", path: "/batch", json: { operations }, options: sent, takes: 422 });
  const wire =
    status === 202 ? await resultsOfJob(send, operation, `/batches/${(value as { id: string }).id}`, sent) : (value as WireResults).results;
  const results = wire.map(resultOf);
  return {
    /** Whether every operation succeeded. */
    ok: results.every(({ ok }) => ok),
    /** In the order of the operations. */
    results,
    /** The result of an operation. */
    of: (handle: { readonly index: number }) => results[handle.index],
  };
}

interface WireResults {
  readonly results: readonly WireResult[];
}

/** The results of a batch that became a job, when it has ended. They come in pages. */
async function resultsOfJob(send: Send, operation: string, path: string, options: WriteOptions): Promise<WireResult[]> {
  await jobOf(send, operation, path, options).result();
  const results: WireResult[] = [];
  for (let query: string | undefined = ""; query !== undefined; ) {
    const { value } = await send({ operation, method: "GET", path: path + query, options: { signal: options.signal } });
    const { result, links } = value as JobState<WireResults>;
    results.push(...(result?.results ?? []));
    query = links["next"]?.replace(/^[^?]*/, "");
  }
  return results;
}

function resultOf({ status, headers, data, error }: WireResult): BatchResult {
  if (error === undefined) return { ok: true, status, data, etag: headers?.etag };
  return { ok: false, status, error: Object.assign(apiError({ ...error, status }), { attempts: 1 }) };
}

/** The request that a call would send. @throws {TypeError} for a call that takes several */
function requestOf({ collection, method, given }: Recorded, callsOf: typeof resourceCalls, isRead: IsRead): Promise<Outgoing> {
  return new Promise((resolve, reject) => {
    const sent: Send = (outgoing) => {
      resolve(outgoing);
      return new Promise(() => undefined);
    };
    const { action, ...calls } = callsOf(sent, collection);
    const one = calls as unknown as Readonly<Record<string, (...given: readonly unknown[]) => Promise<unknown>>>;
    if (/^(walk|count|watch|live|import|export)$/.test(method) || typeof given[1] === "function")
      throw new TypeError(`${collection}.${method} cannot be part of a batch.`);
    const [first, ...others] = given;
    (one[method] ?? action(method, isRead(collection, method)))(isReference(first) ? String(first) : first, ...others).catch(reject);
  });
}

function isReference(value: unknown): value is object {
  return typeof value === "object" && value !== null && "$result" in value;
}

/** The operation of a request. References in its path stand between NULs, which no id can have. */
function operationOf({ method, path, json, ...outgoing }: Outgoing) {
  const { accept: _, ...headers } = Object.fromEntries(
    headersOf({ ...outgoing, method, path, json }, outgoing.options, outgoing.options.idempotencyKey, undefined),
  );
  return { method, url: path.replace(/%00(.*?)%00/g, "{$1}"), headers, body: json };
}
