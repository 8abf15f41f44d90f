import type { ClientOptions, GuardedOptions } from "../options.js";
import { tagOf } from "../rowTags.js";
import { credentialsOf } from "./credentials.js";
import { ClientError, NetworkError, TimeoutError } from "./transportErrors.js";
import { maxTimerMs, unlessAborted, wait } from "./wait.js";

/** A request of a call. */
export interface Outgoing {
  /** The call: `orders.list`. */
  readonly operation: string;
  readonly method: string;
  /** Below the base address, with its query; or a whole address. */
  readonly path: string;
  /** A value that is sent as JSON. */
  readonly json?: unknown;
  /** A body that is sent as it is. A stream is sent once. */
  readonly body?: NonNullable<RequestInit["body"]> | undefined;
  /** The type of the body, if it is not JSON. */
  readonly type?: string | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** A POST that only reads. */
  readonly isSafe?: boolean | undefined;
  /** A status besides 2xx that is an answer. */
  readonly takes?: number | undefined;
  /** Leaves the body of the answer unread. */
  readonly streams?: boolean | undefined;
  readonly options: GuardedOptions & { readonly ifNoneMatch?: object | undefined };
}

/** An answer of the service. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; `undefined` without a body. */
  readonly value?: unknown;
  /** The unread body of a request that streams, and what ends it. */
  readonly stream?:
    | {
        readonly body: Response["body"];
        readonly controller: AbortController;
        /** The most bytes of a part that is kept until its end, such as a line. */
        readonly maxBytes: number;
        release(): void;
      }
    | undefined;
}

/** Sends requests, and repeats them. */
export interface Send {
  (outgoing: Outgoing): Promise<Answer>;
  /** That of the client, which a request whose options have another one does not look at. */
  readonly signal?: AbortSignal | undefined;
}

/** The transport of a client: credentials, keys, retries, time limits and errors. */
export function createTransport(client: ClientOptions): Send {
  const { auth, baseUrl, idempotencyKeys, onRequest, onResponse, onDeprecated } = client;
  const credentials = auth && credentialsOf(auth);
  const announce = announcerOf(onDeprecated);

  const send: Send = async (outgoing) => {
    const { method, operation, path, body, isSafe = method === "GET", options } = outgoing;
    const settings = {
      maxRetries: 2,
      maxRetryAfterMs: 60_000,
      maxAnswerBytes: 64 * 1_024 * 1_024,
      timeoutMs: 30_000,
      ...known(client),
      ...known(options),
    };
    const { signal, maxRetries, maxRetryAfterMs, idempotencyKey } = settings;
    const makesKey = !isSafe && idempotencyKeys !== false && (idempotencyKeys !== "post" || method === "POST");
    const key = idempotencyKey ?? (makesKey ? newKey() : undefined);
    const isOnce = body instanceof ReadableStream;
    const isRepeatable = !isOnce && (isSafe || key !== undefined || method === "PUT" || method === "DELETE");
    const url = path.startsWith("/") ? baseUrl.replace(/\/+$/, "") + path : path;
    let given = await unlessAborted(signal, credentials?.current());
    let isRenewed = isOnce;
    for (let attempt = 1, retries = 0; ; attempt += 1) {
      const about = { operation, method, url, attempt };
      onRequest?.(about);
      const tried = await tryOnce(settings, outgoing, url, headersOf(outgoing, settings, key, given?.headers));
      const { status, headers, error } = tried;
      if (headers) {
        onResponse?.({ ...about, status, headers });
        announce(operation, headers);
      }
      if (!error) return tried as Answer;
      error.attempts = attempt;
      if (status === 401 && credentials && given && !isRenewed) {
        isRenewed = true;
        given = await unlessAborted(signal, credentials.renew(given));
        continue;
      }
      const { mayPass, retryAfterMs: delayMs = Math.random() * Math.min(8_000, 500 * 2 ** retries) } = tried;
      if (!isRepeatable || !mayPass || retries >= maxRetries || delayMs > maxRetryAfterMs) throw error;
      retries += 1;
      await wait(delayMs, signal);
    }
  };
  return Object.assign(send, { signal: client.signal });
}

/** Tells `onDeprecated` of each deprecated operation once. */
function announcerOf(onDeprecated: ClientOptions["onDeprecated"]): (operation: string, headers: Headers) => void {
  const announced = new Set<string>();
  return (operation, headers) => {
    const [deprecation, sunset, link] = ["deprecation", "sunset", "link"].map((name) => headers.get(name));
    if (!(deprecation ?? sunset) || announced.has(operation)) return;
    announced.add(operation);
    onDeprecated?.({ operation, deprecation, sunset, link });
  };
}

/** Options that are not `undefined`: a call that passes one on does not take the client's away. */
function known<T extends object>(options: T): Known<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Known<T>;
}

type Known<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** A key of a write. */
export function newKey(): string {
  return crypto.getRandomValues(new Uint16Array(16)).join("-");
}

/** The headers of a request. */
export function headersOf(
  { json, type, headers: own }: Outgoing,
  options: Outgoing["options"],
  key: string | undefined,
  given: object | undefined,
): Headers {
  const headers = new Headers();
  const named = {
    accept: "application/json",
    "content-type": type ?? (json === undefined ? json : "application/json"),
    "if-match": tagOf("ifMatch", options.ifMatch),
    "if-none-match": tagOf("ifNoneMatch", options.ifNoneMatch),
    prefer: options.prefer,
    "x-api-version": options.version,
    "x-tenant-id": options.tenant,
    "accept-language": options.language,
    "idempotency-key": key,
  };
  for (const [name, value] of [named, options.headers, given, own].flatMap((some) => Object.entries(some ?? {}))) {
    if (value !== undefined) headers.set(name, value);
  }
  return headers;
}

/** Dates are ISO 8601 and bigints are digits. @throws {TypeError} for NaN, Infinity and invalid dates, which JSON would make null */
function jsonText(value: unknown): string {
  return JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, name, member) {
    const given = this[name];
    if ((typeof given === "number" || given instanceof Date) && !Number.isFinite(+given)) throw new TypeError(`"${name}" is ${given}.`);
    return typeof member === "bigint" ? String(member) : member;
  });
}

/** An answer, or the error of a try without one. */
interface Tried extends Partial<Answer> {
  /** 0 without an answer. */
  readonly status: number;
  readonly error?: ClientError & { attempts?: number };
  /** Whether another try may succeed. */
  readonly mayPass?: boolean;
  readonly retryAfterMs?: number | undefined;
}

type Settings = Pick<ClientOptions, "fetch" | "credentials" | "signal"> & { readonly timeoutMs: number; readonly maxAnswerBytes: number };

/** One try. Only an abort of the signal rejects. */
async function tryOnce(settings: Settings, outgoing: Outgoing, url: string, sent: Headers): Promise<Tried> {
  const { fetch = globalThis.fetch, credentials, signal: outer, timeoutMs, maxAnswerBytes: maxBytes } = settings;
  const { method, json, body = json === undefined ? null : jsonText(json), takes, streams } = outgoing;
  const controller = new AbortController();
  const { signal } = controller;
  // A faulty address or option is an error of the program, and no failure that may pass.
  const init = { method, headers: sent, body, signal, redirect: "manual", duplex: "half", ...(credentials && { credentials }) };
  const request = new Request(url, init as RequestInit);
  const abort = () => controller.abort(outer?.reason);
  // A listener that stays would be kept as long as the signal, which may be that of the whole page.
  const release = () => outer?.removeEventListener("abort", abort);
  outer?.addEventListener("abort", abort);
  const timer = setTimeout(() => controller.abort(new TimeoutError(`No answer within ${timeoutMs} ms.`)), Math.min(timeoutMs, maxTimerMs));
  let isOpen = false;
  try {
    // A function that is given as `fetch` may not look at the signal.
    let response = await unlessAborted(signal, fetch(request));
    // Of a write that is redirected, fetch may make a GET.
    if (method === "GET" && (response.type === "opaqueredirect" || (response.headers.has("location") && Math.floor(response.status / 100) === 3))) {
      response = await unlessAborted(signal, (await import("./redirects.js")).follow(fetch, request, response));
    }
    const isAnswer = response.ok || response.status === takes;
    const { status, headers, body: stream } = response;
    isOpen = isAnswer && streams === true && !headers.get("content-type")?.includes("html");
    if (isOpen) return { status, headers, stream: { body: stream, controller, maxBytes, release } };
    return { status, headers, ...(await unlessAborted(signal, readAnswer(isAnswer, method, response, maxBytes))) };
  } catch (cause) {
    if (outer?.aborted) throw outer.reason;
    const error = cause instanceof ClientError ? cause : new NetworkError("No answer or half of one.", { cause });
    return { status: 0, error, mayPass: error instanceof NetworkError };
  } finally {
    clearTimeout(timer);
    if (!isOpen) release();
  }
}

/** The text of an answer; `undefined` if it is too long. */
async function textOf(body: Response["body"], maxBytes: number): Promise<string | undefined> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let left = maxBytes; ; ) {
    const next = await reader?.read();
    if (!next || next.done) return text + decoder.decode();
    left -= next.value.byteLength;
    if (left < 0) return void reader?.cancel().catch(() => undefined);
    text += decoder.decode(next.value, { stream: true });
  }
}

/** The value of an answer, or what failed. The errors are loaded with the first one, which is a NetworkError if they cannot be. */
async function readAnswer(isAnswer: boolean, method: string, response: Response, maxBytes: number): Promise<Omit<Tried, "status">> {
  const { status, headers, body } = response;
  const text = await textOf(body, maxBytes);
  // The service sends no empty 200, which would pass for a row.
  if (isAnswer && text === "" && (status !== 200 || method === "HEAD")) return {};
  const type = headers.get("content-type") ?? "";
  const value = text && type.includes("json") ? parsed(text) : undefined;
  const isProblem = type.includes("problem");
  if (isAnswer && value !== undefined && !isProblem) return { value };
  return (await import("./failure.js")).failureOf(response, text, isProblem ? value : undefined);
}

/** The value of a JSON text; `undefined` if it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
