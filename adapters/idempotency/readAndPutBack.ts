import type { IncomingMessage } from "node:http";
import { payloadTooLarge } from "../../src/http/body.js";
import { ByteCollector } from "../../src/http/byteCollector.js";
import { ClientGone } from "../../src/http/clientGone.js";
import { StallWatch } from "../../src/http/stallWatch.js";
import { systemTimers } from "../../src/http/timers.js";
import { defaultLimits } from "../../src/limits/limits.js";
import { ProblemError } from "../../src/problem/index.js";

const { bodyStallMs } = defaultLimits;

/**
 * Reads the body of a request and puts it back, so that a parser behind us finds it as it came.
 *
 * @throws {ProblemError} PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT
 * @throws {ClientGone} when the connection ends first
 */
export async function readAndPutBack(incoming: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  if (Number(incoming.headers["content-length"]) > limitBytes) throw payloadTooLarge(limitBytes);
  if (incoming.readableEnded) return new Uint8Array(0);
  if (incoming.destroyed) throw new ClientGone();
  return new Promise((resolve, reject) => {
    const collector = new ByteCollector();
    const settle = (end: () => void) => {
      watch.end();
      incoming.off("readable", read).off("end", finish).off("error", leave).off("close", leave);
      end();
    };
    const watch = new StallWatch(systemTimers, bodyStallMs, () => settle(() => reject(stalled())));
    const leave = (error?: Error) => settle(() => reject(new ClientGone(error)));
    const finish = () => settle(() => resolve(collector.bytes()));
    const read = () => {
      watch.progress();
      for (let chunk: Buffer | null = incoming.read(); chunk !== null; chunk = incoming.read()) collector.add(chunk);
      if (collector.length > limitBytes) settle(() => reject(payloadTooLarge(limitBytes)));
      else if (incoming.complete && collector.length > 0) {
        // Now, and not one turn later: the stream ends then, and takes nothing back.
        incoming.unshift(collector.bytes());
        finish();
      }
    };
    incoming.on("readable", read).on("end", finish).on("error", leave).on("close", leave);
  });
}

function stalled(): ProblemError {
  const detail = `Nothing of the body arrived for ${bodyStallMs / 1_000} s.`;
  return new ProblemError("REQUEST_TIMEOUT", detail, { headers: { connection: "close" } });
}
