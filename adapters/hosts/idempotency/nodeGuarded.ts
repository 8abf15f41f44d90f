import type { IncomingMessage } from "node:http";
import { payloadTooLarge } from "../../../src/ground/http/body/body.js";
import { BodyWatch } from "../../../src/ground/http/body/bodyWatch.js";
import { ByteCollector } from "../../../src/ground/http/body/byteCollector.js";
import { ClientGone } from "../../../src/ground/http/clientGone.js";
import type { HttpRequest } from "../../../src/ground/http/message.js";
import { systemTimers } from "../../../src/ground/http/timers.js";
import { bodyPace } from "../../../src/ground/limits/bodyPace.js";
import { defaultLimits } from "../../../src/ground/limits/limits.js";
import type { ProblemError } from "../../../src/ground/problem/index.js";
import type { Found } from "../../../src/parts/auth/verifier.js";
import type { GuardedRequest } from "../../../src/parts/idempotency/guardedRequest.js";

/** The request of node:http for the guard. A body that was not read before is put back after reading. */
export function nodeGuarded(
  { method, path, query, headers, body }: HttpRequest,
  incoming: IncomingMessage,
  limitBytes: number,
  principal: () => Found | Promise<Found>,
): GuardedRequest {
  return {
    method,
    target: `${path}?${query}`,
    headers,
    principal,
    async body() {
      return body.kind === "stream" ? { kind: "bytes", bytes: await readAndPutBack(incoming, limitBytes) } : body;
    },
  };
}

/**
 * Reads the body of a request and puts it back, so that a later parser can read it.
 *
 * @throws {ProblemError} PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT
 * @throws {ClientGone} if the connection ends first
 */
async function readAndPutBack(incoming: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  if (Number(incoming.headers["content-length"]) > limitBytes) throw payloadTooLarge(limitBytes);
  if (incoming.readableEnded) return new Uint8Array(0);
  if (incoming.destroyed) throw new ClientGone();
  return new Promise((resolve, reject) => {
    const collector = new ByteCollector();
    const stop = (end: () => void) => {
      watch.end();
      incoming.off("readable", read).off("end", finish).off("error", leave).off("close", leave);
      end();
    };
    const watch = new BodyWatch(systemTimers, bodyPace(defaultLimits));
    const refuse = (problem: ProblemError) => stop(() => reject(problem));
    const leave = (error?: Error) => stop(() => reject(new ClientGone(error)));
    const finish = () => stop(() => resolve(collector.bytes()));
    const read = () => {
      const before = collector.length;
      for (let chunk: Buffer | null = incoming.read(); chunk !== null; chunk = incoming.read()) collector.add(chunk);
      watch.arrived(collector.length - before);
      watch.wait(refuse);
      if (collector.length > limitBytes) refuse(payloadTooLarge(limitBytes));
      else if (incoming.complete && collector.length > 0) {
        // In this turn of the event loop: in the next one the stream ends, and `unshift` no longer works.
        incoming.unshift(collector.bytes());
        finish();
      }
    };
    watch.wait(refuse);
    incoming.on("readable", read).on("end", finish).on("error", leave).on("close", leave);
  });
}
