import { createReadStream } from "node:fs";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { CommandError, Interrupted, TransientError } from "../commandError.js";
import { connectionFault } from "../request/connectionFault.js";

/** A file to send. */
export interface OutgoingFile {
  readonly path: string;
  /** Size when the command began. */
  readonly bytes: number;
}

export interface SendOptions {
  /** By lower-case name; `content-length` is added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Called with the number of bytes sent so far. */
  sent(bytes: number): void;
}

/** The response to a file. */
export interface SentAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

const chunkBytes = 262_144;
const maxResponseBytes = 1_048_576;
/** The connection counts as lost if no byte is sent or received for so long. */
const silenceMs = 120_000;

/**
 * Streams a file from the disk as a POST. If the server responds before the end of the file, stops sending.
 *
 * @throws {TransientError} if the connection is lost
 * @throws {CommandError} if the file became shorter
 */
export function sendFile(url: URL, { path, bytes }: OutgoingFile, { headers, signal, sent }: SendOptions): Promise<SentAnswer> {
  return new Promise((resolve, reject) => {
    const open = url.protocol === "https:" ? requestHttps : requestHttp;
    // Not `fetch`, which reports neither the bytes sent nor an early response.
    // Kept alive: a server that answers early would otherwise close the connection while the file is sent, and its answer would be lost.
    const request = open(url, { method: "POST", headers: { ...headers, connection: "keep-alive", "content-length": bytes }, agent: false, signal });
    const file = createReadStream(path, { end: bytes - 1, highWaterMark: chunkBytes });
    const fail = (error: unknown) => {
      file.destroy();
      request.destroy();
      reject(signal.aborted ? new Interrupted() : connectionFault(error, url));
    };
    let passed = 0;
    file.on("data", (chunk) => {
      passed += chunk.length;
      sent(passed);
    });
    file.on("end", () => (passed < bytes ? fail(new CommandError(`${path} became shorter while it was sent.`)) : request.end()));
    file.on("error", fail);
    request.on("error", fail);
    const lost = () => fail(new TransientError(`${url.origin} closed the connection without a response.`));
    request.on("close", lost);
    request.setTimeout(silenceMs, () => fail(new TransientError(`No data was exchanged with ${url.origin} for ${silenceMs / 1_000} seconds.`)));
    request.on("response", (response) => {
      // A request is closed with the end of its response, before the text of that is read.
      request.off("close", lost);
      file.unpipe(request).destroy();
      readText(response).then((text) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        request.destroy();
      }, fail);
    });
    file.pipe(request, { end: false });
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxResponseBytes) break;
  }
  return Buffer.concat(chunks).toString();
}
