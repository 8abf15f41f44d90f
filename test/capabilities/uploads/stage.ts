import { createServer, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { BlobStore, Service, Storage } from "restwright";
import { bearer } from "restwright/auth";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { nodeHandler } from "restwright/node";
import { type FullServiceOptions, fullService, type UploadRules } from "../../tools/fullService.js";

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  readonly bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly json: any;
}

export interface Sent {
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: Uint8Array | string;
  /** Without Content-Length. */
  readonly chunked?: boolean;
}

export interface StageOptions extends Omit<Partial<FullServiceOptions>, "uploads" | "storage" | "blobs"> {
  readonly uploads?: Partial<UploadRules>;
  readonly storage?: Storage;
  readonly blobs?: BlobStore;
}

/** A service with uploads on a socket. */
export interface UploadStage {
  readonly service: Service;
  readonly storage: Storage;
  readonly blobs: BlobStore;
  readonly origin: string;
  /** What the developer heard of as faults of the server. */
  readonly faults: unknown[];
  send(method: string, path: string, sent?: Sent): Promise<Answer>;
  /** A connection on which a request has begun: its head, and as much of the body as is given. */
  begin(method: string, path: string, headers: Readonly<Record<string, string | number>>, body?: Uint8Array): Promise<Connection>;
  /** Begins an upload. @returns its path */
  create(length: number, headers?: OutgoingHttpHeaders): Promise<string>;
  patch(path: string, offset: number, body: Uint8Array | string, headers?: OutgoingHttpHeaders): Promise<Answer>;
  close(): Promise<void>;
}

/** A request that is not over. */
export interface Connection {
  readonly socket: Socket;
  write(bytes: Uint8Array): Promise<void>;
  /** All that has been answered when the connection is closed by the server. */
  readonly answered: Promise<string>;
  /** Sends nothing more, once an answer has begun: before, Node answers the end of an unfinished request with its own 400. */
  endAfterAnswer(): Promise<void>;
}

export async function uploadStage(options: StageOptions = {}): Promise<UploadStage> {
  const { storage = memoryStorage(), blobs = memoryBlobs() } = options;
  const faults: unknown[] = [];
  const service = fullService({
    resources: [],
    notFound: "problem",
    onError: (error) => faults.push(error),
    ...options,
    storage,
    blobs,
    uploads: { types: "any", ...options.uploads },
  });
  const server = createServer(nodeHandler(service));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const send = (method: string, path: string, sent: Sent = {}) => sendRequest(port, method, path, sent);
  return {
    service,
    storage,
    blobs,
    origin: `http://127.0.0.1:${port}`,
    faults,
    send,
    begin: (method, path, headers, body) => beginRequest(port, { method, path, headers, body }),
    async create(length, headers = {}) {
      const { status, headers: answered, text } = await send("POST", "/uploads", { headers: { "upload-length": length, ...headers } });
      if (status !== 201) throw new Error(`The upload was not begun: ${status} ${text}`);
      return String(answered.location);
    },
    patch: (path, offset, body, headers = {}) =>
      send("PATCH", path, { headers: { "upload-offset": offset, "content-type": "application/offset+octet-stream", ...headers }, body }),
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await service.close({ graceMs: 100 });
    },
  };
}

function sendRequest(port: number, method: string, path: string, { headers = {}, body, chunked = false }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined || chunked ? {} : { "content-length": Buffer.byteLength(body) };
    const request = httpRequest({ port, host: "127.0.0.1", method, path, headers: { ...length, ...headers }, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const bytes = Buffer.concat(chunks);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: bytes.toString(),
          bytes,
          get json() {
            return JSON.parse(bytes.toString());
          },
        });
      });
    });
    request.on("error", reject);
    if (body !== undefined && chunked) request.write(body);
    request.end(chunked ? undefined : body);
  });
}

interface BegunRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Uint8Array | undefined;
}

async function beginRequest(port: number, { method, path, headers, body }: BegunRequest): Promise<Connection> {
  const socket = connect(port, "127.0.0.1");
  await new Promise<void>((resolve, reject) => socket.once("connect", () => resolve()).once("error", reject));
  const answers: Buffer[] = [];
  const begun = new Promise<void>((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      answers.push(chunk);
      resolve();
    });
  });
  socket.on("error", () => {});
  const answered = new Promise<string>((resolve) => socket.once("close", () => resolve(Buffer.concat(answers).toString())));
  const write = (bytes: Uint8Array) => new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  await write(Buffer.from(`${[`${method} ${path} HTTP/1.1`, "Host: test", ...lines].join("\r\n")}\r\n\r\n`));
  if (body !== undefined) await write(body);
  return { socket, write, answered, endAfterAnswer: () => Promise.race([begun, answered]).then(() => void socket.end()) };
}

const tenants: Readonly<Record<string, string>> = { ada: "t", bo: "t", cy: "u" };

/** Three callers by their tokens: `ada` and `bo` of the tenant t, `cy` of the tenant u. */
export const callers = bearer((token) => (tenants[token] === undefined ? undefined : { id: token, tenant: tenants[token] }));

/** Headers of a caller. */
export function as(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}
