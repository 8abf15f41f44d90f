import * as http from "node:http";
import * as https from "node:https";
import type { S3Client } from "./client.js";

/** Servers close idle connections after a while, and some networks drop them silently. */
const idleMs = 15_000;

const pieceBytes = 131_072;

/** A client on node:http and node:https that keeps its connections alive; `close` ends them. */
export function nodeClient(protocol: string, timeoutMs: number): { readonly send: S3Client; close(): void } {
  const { Agent, request } = protocol === "https:" ? https : http;
  const agent = new Agent({ keepAlive: true, timeout: idleMs });
  const send: S3Client = ({ method, url, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const length = body.reduce((sum, chunk) => sum + chunk.length, 0);
      const lengthHeader = method === "PUT" || method === "POST" ? { "content-length": length } : {};
      const outgoing = request(url, { method, headers: { ...headers, ...lengthHeader, "accept-encoding": "identity" }, agent });
      destroyOnAbort(outgoing, signal);
      // A slow body is allowed. A body of which no byte is sent for the timeout is not.
      outgoing.setTimeout(timeoutMs, () => outgoing.destroy(new Error(`no byte was transferred for ${timeoutMs} ms`)));
      outgoing.on("error", reject);
      outgoing.once("response", (incoming) => {
        // From here on the reader of the response may be slow.
        outgoing.setTimeout(0);
        incoming.on("error", () => {});
        const header = (name: string) => {
          const value = incoming.headers[name];
          return Array.isArray(value) ? value.join(", ") : value;
        };
        resolve({ status: incoming.statusCode ?? 0, header, body: incoming });
      });
      feed(outgoing, piecesOf(body));
    });
  return { send, close: () => agent.destroy() };
}

/**
 * Aborts the request, or its response, with the signal. The option `signal` is not used: it destroys the connection with an error, and if the whole response
 * has already arrived, Node no longer listens for errors of the connection, so that the error would end the process.
 */
function destroyOnAbort(outgoing: http.ClientRequest, signal: AbortSignal): void {
  let hasAnswer = false;
  const abort = () => outgoing.destroy(!hasAnswer && signal.reason instanceof Error ? signal.reason : undefined);
  outgoing.once("response", () => {
    hasAnswer = true;
  });
  outgoing.once("close", () => signal.removeEventListener("abort", abort));
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
}

/** Writes no more than the connection accepts: TLS would encrypt everything at once, into as much memory again. */
function feed(outgoing: http.ClientRequest, pieces: Iterator<Uint8Array, void>): void {
  for (let piece = pieces.next(); !piece.done; piece = pieces.next()) {
    if (outgoing.write(piece.value)) continue;
    outgoing.once("drain", () => feed(outgoing, pieces));
    return;
  }
  outgoing.end();
}

function* piecesOf(body: readonly Uint8Array[]): Generator<Uint8Array, void> {
  for (const chunk of body) for (let at = 0; at < chunk.length; at += pieceBytes) yield chunk.subarray(at, at + pieceBytes);
}
