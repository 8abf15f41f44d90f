import type { ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { isStream } from "../../src/ground/http/endingBody.js";
import { inPieces, pieceBytes } from "../../src/ground/http/inPieces.js";
import type { HttpResponse, UnreadLimit } from "../../src/ground/http/message.js";
import { watchStall } from "../../src/ground/http/watchStall.js";
import { resetBroken } from "./resetBroken.js";

/** A response of node:http, or of node:http2, which has a stream of its own. */
type Outgoing = ServerResponse & { readonly stream?: ServerHttp2Stream };

/**
 * Sees to it that a client that reads nothing of its answer is disconnected: over HTTP/1 its connection is destroyed, over HTTP/2 its stream is reset. A body that fails resets
 * the connection if the client could not tell that from its end.
 *
 * @returns the response for the host to send, which has no limit any more that another could watch
 */
export function watchAnswer(outgoing: ServerResponse, response: HttpResponse): HttpResponse {
  const answer = resetBroken(outgoing, response);
  const { status, headers, body, unread } = answer;
  if (unread === undefined) return answer;
  const { stream, req } = outgoing as Outgoing;
  if (stream !== undefined) return { status, headers, body: watchStream(stream, body, unread) };
  if (req?.socket) watchConnection(req.socket, outgoing, unread);
  return { status, headers, body };
}

interface Answer {
  readonly outgoing: ServerResponse;
  readonly unread: UnreadLimit;
}

/** The answers of each connection that may have been sent in part only, in the order in which they were ready. */
const answersOf = new WeakMap<Socket, Answer[]>();

/**
 * Watches the connection, not the answer: pipelined answers wait for those before them, and what an answer costs is an entry in a list. The limit is that of the first
 * answer; once all are sent the watch ends, and the next answer begins another.
 */
function watchConnection(socket: Socket, outgoing: ServerResponse, unread: UnreadLimit): void {
  const known = answersOf.get(socket);
  if (known !== undefined) {
    dropSent(known);
    known.push({ outgoing, unread });
    return;
  }
  if (socket.destroyed) return;
  const answers = [{ outgoing, unread }];
  answersOf.set(socket, answers);
  const end = () => {
    stop();
    answersOf.delete(socket);
    socket.off("close", end);
  };
  const taken = () => {
    dropSent(answers);
    if (answers.length === 0) end();
    return takenBytes(socket);
  };
  const stalled = () => {
    // The others are pipelined, and wait for it.
    const turn = answers.find((answer) => answer.outgoing.socket !== null);
    end();
    socket.destroy();
    (turn ?? answers[0])?.unread.stalled();
  };
  const stop = watchStall(unread, taken, stalled);
  socket.once("close", end);
}

function dropSent(answers: Answer[]): void {
  while (answers[0]?.outgoing.writableFinished === true) answers.shift();
}

/** Node's handle of a socket, which is internal; that of TLS has the one below it as `_parent`. */
interface Handle {
  readonly bytesWritten?: number;
  readonly writeQueueSize?: number;
  readonly _parent?: Handle;
}

/**
 * What the kernel has taken for the client; `undefined` if it has taken all. `socket.bytesWritten` counts what waits in the process too, which for an answer in one text
 * is all of it, so the handle is asked. Runtimes without it show each write when it is done.
 */
function takenBytes(socket: Socket & { readonly _handle?: Handle | null }): number | undefined {
  if (socket.writableLength === 0) return undefined;
  const { bytesWritten, writeQueueSize } = socket._handle?._parent ?? socket._handle ?? {};
  return bytesWritten === undefined || writeQueueSize === undefined ? socket.bytesWritten - socket.writableLength : bytesWritten - writeQueueSize;
}

/** `CANCEL` of RFC 9113 §7. */
const cancel = 8;

/** Node does not show how much of a write to a stream has been sent, so that the body is written in small pieces, which are counted. */
function watchStream(stream: ServerHttp2Stream, body: HttpResponse["body"], unread: UnreadLimit): HttpResponse["body"] {
  let pieces = 0;
  const stalled = () => {
    stream.close(cancel);
    // A connection that is full would not send the reset, and keep the body for it.
    stream.destroy();
    unread.stalled();
  };
  stream.once(
    "close",
    watchStall(unread, () => (stream.writableLength === 0 ? undefined : pieces), stalled),
  );
  if (body === null || (!isStream(body) && body.length <= pieceBytes)) return body;
  const source = inPieces(body);
  return Object.assign(source, {
    next: countCalls(source.next, () => {
      pieces += 1;
    }),
  });
}

function countCalls<Result>(call: () => Result, count: () => void): () => Result {
  return () => {
    count();
    return call();
  };
}
