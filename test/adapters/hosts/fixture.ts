import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Handle, HttpRequest, HttpResponse, RequestBody } from "../../../src/ground/http/message.js";

/** What the service saw of a request, as `/echo` answers it. */
export interface Echo {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly mount: string;
  readonly headers: readonly string[];
  readonly address?: string;
  readonly body: { readonly kind: RequestBody["kind"]; readonly text: string };
}

/** What is under way, and what has been. */
export interface FixtureState {
  handles: number;
  streams: number;
  /** Chunks that streams have handed out. */
  chunks: number;
  aborted: number;
}

export interface Fixture {
  readonly handle: Handle;
  readonly state: FixtureState;
}

export const chunkBytes = 64 * 1024;

/** A chunk of a stream: its number, over and over, so that order shows. */
export function chunkOf(index: number): Uint8Array {
  return new Uint8Array(chunkBytes).fill(index % 251);
}

/** A service made by hand, with one route for each thing that an adapter can get wrong. */
export function createFixture(): Fixture {
  const state: FixtureState = { handles: 0, streams: 0, chunks: 0, aborted: 0 };
  const handle: Handle = async (request) => {
    const route = request.path.startsWith("/") ? routes[request.path.split("/")[1] ?? ""] : undefined;
    state.handles += 1;
    try {
      return await route?.(request, state);
    } finally {
      state.handles -= 1;
    }
  };
  return { handle, state };
}

type Route = (request: HttpRequest, state: FixtureState) => Promise<HttpResponse> | HttpResponse;

const routes: Record<string, Route | undefined> = {
  "": () => text("root"),
  echo: async (request) => json(200, await echo(request)),
  read,
  wait,
  "read-then-wait": readThenWait,
  cookies: () => ({ ...text("cookies"), headers: { ...text("cookies").headers, "set-cookie": ["a=1; Path=/", "b=2; Path=/"] } }),
  cookie: () => ({ ...text("cookie"), headers: { ...text("cookie").headers, "set-cookie": "a=1; Path=/" } }),
  links: () => ({ ...text("links"), headers: { ...text("links").headers, link: ["</1>; rel=a", "</2>; rel=b"] } }),
  vary: () => ({ ...text("vary"), headers: { ...text("vary").headers, vary: "Accept" } }),
  "vary-by-origin": () => ({ ...text("vary"), headers: { ...text("vary").headers, vary: "Accept, origin" } }),
  text: () => text("Grüße"),
  bytes: () => ({
    status: 200,
    headers: { "content-type": "application/octet-stream", "content-length": "4" },
    body: new Uint8Array([0, 255, 13, 10]),
  }),
  created: () => ({ status: 201, headers: { location: "/echo/7", "content-length": "0" }, body: null }),
  nothing: () => ({ status: 204, headers: { etag: '"1"', "content-type": "application/json", "content-length": "7" }, body: null }),
  unchanged: () => ({ status: 304, headers: { etag: '"1"', "content-type": "application/json", "content-length": "7" }, body: null }),
  problem: () => problem(400, "MALFORMED_JSON"),
  json: async ({ body }) => (isJson(await textOf(body)) ? json(200, {}) : problem(400, "MALFORMED_JSON")),
  stream,
  file,
  late,
  broken,
  "too-large": () => problem(413, "PAYLOAD_TOO_LARGE"),
  "too-large-after-a-chunk": async ({ body }) => {
    if (body.kind === "stream") for await (const _chunk of body.stream) break;
    return problem(413, "PAYLOAD_TOO_LARGE");
  },
  "wait-late": async (request, state) => {
    await sleep(100);
    return wait(request, state);
  },
  "fail-after-a-chunk": async ({ body }) => {
    if (body.kind === "stream") for await (const _chunk of body.stream) break;
    throw new Error("the service is broken");
  },
  fail: () => Promise.reject(new Error("the service is broken")),
};

function text(body: string): HttpResponse {
  return { status: 200, headers: { "content-type": "text/plain; charset=utf-8", "content-length": String(Buffer.byteLength(body)) }, body };
}

function json(status: number, value: unknown, type = "application/json"): HttpResponse {
  const body = JSON.stringify(value);
  return { status, headers: { "content-type": type, "content-length": String(Buffer.byteLength(body)) }, body };
}

function problem(status: number, code: string): HttpResponse {
  return json(status, { status, code }, "application/problem+json");
}

async function echo({ method, path, query, mount, headers, address, body }: HttpRequest): Promise<Echo> {
  return { method, path, query, mount, headers, ...(address === undefined ? {} : { address }), body: { kind: body.kind, text: await textOf(body) } };
}

async function textOf(body: RequestBody): Promise<string> {
  switch (body.kind) {
    case "none":
      return "";
    case "parsed":
      return JSON.stringify(body.value);
    case "bytes":
      return Buffer.from(body.bytes).toString();
    case "stream":
      return (await collect(body.stream)).toString();
  }
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function isJson(source: string): boolean {
  try {
    JSON.parse(source);
    return true;
  } catch {
    return false;
  }
}

/** Reads the body to its end, and tells when the client went away before. */
async function read({ body, signal }: HttpRequest, state: FixtureState): Promise<HttpResponse> {
  try {
    return text(String(Buffer.byteLength(await textOf(body))));
  } catch {
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    state.aborted += 1;
    return problem(400, "ABORTED");
  }
}

/** Answers only once the client is gone. */
async function wait({ signal }: HttpRequest, state: FixtureState): Promise<HttpResponse> {
  await sleep(60_000, undefined, { signal, ref: false }).catch(() => undefined);
  state.aborted += 1;
  return text("too late");
}

async function readThenWait(request: HttpRequest, state: FixtureState): Promise<HttpResponse> {
  await textOf(request.body);
  return wait(request, state);
}

/** Begins to answer when the client is gone already. */
async function late(request: HttpRequest, state: FixtureState): Promise<HttpResponse> {
  await wait(request, state);
  return stream(request, state);
}

/** `?chunks=16` chunks, with their length told where `&sized` stands. */
function stream({ query }: HttpRequest, state: FixtureState) {
  const parameters = new URLSearchParams(query);
  const chunks = Number(parameters.get("chunks"));
  const length: Record<string, string> = parameters.has("sized") ? { "content-length": String(chunks * chunkBytes) } : {};
  return { status: 200, headers: { "content-type": "application/octet-stream", ...length }, body: openStream(chunks, state) };
}

/** The same as a stream of Node, as a file would be. */
function file(request: HttpRequest, state: FixtureState): HttpResponse {
  const { status, headers, body } = stream(request, state);
  return { status, headers, body: Readable.from(body, { objectMode: false }) };
}

function broken({ query }: HttpRequest, state: FixtureState): HttpResponse {
  const length: Record<string, string> = query === "sized" ? { "content-length": String(8 * chunkBytes) } : {};
  return { status: 200, headers: { "content-type": "application/octet-stream", ...length }, body: breakOff(openStream(4, state)) };
}

async function* breakOff(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
  await sleep(10);
  throw new Error("the store went away");
}

/** Is open from now on, read or not, as a cursor of a database is; a generator would open at the first read only. */
function openStream(chunks: number, state: FixtureState): AsyncIterableIterator<Uint8Array> {
  let index = 0;
  let open = true;
  const close = () => {
    if (open) state.streams -= 1;
    open = false;
    return { done: true as const, value: undefined };
  };
  state.streams += 1;
  return {
    async next() {
      if (!open || index === chunks) return close();
      state.chunks += 1;
      index += 1;
      return { done: false, value: chunkOf(index - 1) };
    },
    return: async () => close(),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
