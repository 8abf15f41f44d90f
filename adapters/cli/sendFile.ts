import { createReadStream } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { CommandError, Interrupted } from "./commandError.js";
import { connectionFault } from "./connectionFault.js";
import { TransientError } from "./transientError.js";

/** A file as it goes out. */
export interface OutgoingFile {
  readonly path: string;
  /** As it was when the command began. */
  readonly bytes: number;
}

export interface SendOptions {
  /** By lower-case name; the length is added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Hears of the bytes that have gone out so far. */
  sent(bytes: number): void;
}

/** What was answered to a file. */
export interface SentAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

const chunkBytes = 262_144;
const longestAnswer = 1_048_576;
/** Neither a byte out nor one in for this long: the other side is gone. */
const silenceMs = 120_000;

/**
 * POSTs a file from the disk. It is never in memory, and an answer that comes before its end is heard: nothing more is sent then.
 *
 * @throws {TransientError} where the connection is lost
 * @throws {CommandError} where the file is shorter than it was
 */
export function sendFile(url: URL, { path, bytes }: OutgoingFile, { headers, signal, sent }: SendOptions): Promise<SentAnswer> {
  return new Promise((resolve, reject) => {
    const open = url.protocol === "https:" ? requestHttps : requestHttp;
    // `fetch` would not say how much has gone out, nor hear of an early answer.
    const request = open(url, { method: "POST", headers: { ...headers, "content-length": bytes }, agent: false, signal });
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
    file.on("end", () => (passed < bytes ? fail(new CommandError(`${path} has become shorter while it was sent.`)) : request.end()));
    file.on("error", fail);
    request.on("error", fail);
    request.on("close", () => fail(new TransientError(`${url.origin} has closed the connection without an answer.`)));
    request.setTimeout(silenceMs, () => fail(new TransientError(`${url.origin} has been silent for ${silenceMs / 1_000} seconds.`)));
    request.on("response", (response) => {
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
    if (length > longestAnswer) break;
  }
  return Buffer.concat(chunks).toString();
}
