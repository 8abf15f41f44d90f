import { systemTimers, type Timers } from "../../src/ground/http/timers.js";
import { oneOf, optionsCheck, strict, text, timers as timersSchema, whole } from "../../src/ground/options/index.js";
import { ConfigurationError } from "../../src/ground/problem/index.js";
import { type CheckInput, type FileCheck, pass, type Verdict } from "../../src/parts/checks/fileCheck.js";
import { reject } from "../../src/parts/checks/rejection.js";
import type { ClamdAddress } from "./connection.js";
import { type ClamdAnswer, scanStream } from "./scanStream.js";

/** Options of `clamdCheck`. */
export type ClamdCheckOptions = ClamdAddress & {
  /** From the connection to the answer, in milliseconds. Defaults to 9,500, so that it ends before the deadline of the check. */
  readonly timeoutMs?: number | undefined;
  /** What happens to a file that could not be scanned: with `reject` (default) the answer is 503, with `defer` the file is stored and not served. */
  readonly whenUnavailable?: "reject" | "defer" | undefined;
  /** Timers of the timeout. Defaults to the timers of the system. */
  readonly timers?: Timers | undefined;
};

const check = /* @__PURE__ */ optionsCheck("clamdCheck", () =>
  strict<ClamdCheckOptions>({
    host: text("the name of a host"),
    port: whole(1, 65_535),
    path: text("the path of a socket"),
    timeoutMs: whole(1),
    whenUnavailable: oneOf("reject", "defer"),
    timers: timersSchema(),
  }),
);

/** Findings for files that clamd could not read completely: its options AlertEncrypted and AlertExceedsMax report them. */
const notScanned = /^Heuristics\.(?:Encrypted|Limits)\./;

/**
 * Scans every file with clamd. A file is clean only if clamd says so; after any other answer, or none, the file counts as not scanned.
 *
 * @throws {ConfigurationError} for invalid options
 * @example
 * clamdCheck({ host: "127.0.0.1", port: 3310 });
 */
export function clamdCheck(options: ClamdCheckOptions): FileCheck {
  check(options);
  if (options.port === undefined && !options.path) throw new ConfigurationError('clamdCheck needs "port", with a "host", or the "path" of a socket.');
  const { timers = systemTimers, timeoutMs = 9_500, whenUnavailable = "reject" } = options;
  return {
    name: "clamd",
    needs: "stream",
    async run(input) {
      const ending = new AbortController();
      const leave = () => ending.abort(input.signal.reason);
      input.signal.addEventListener("abort", leave);
      if (input.signal.aborted) leave();
      const timer = timers.setTimeout(() => ending.abort(new Error(`clamd did not answer within ${timeoutMs} ms.`)), timeoutMs);
      try {
        return verdictOf(await scanInput(options, input, ending.signal));
      } catch (cause) {
        if (cause instanceof ReadingFailed) throw cause.cause;
        if (whenUnavailable === "defer") return { verdict: "defer" };
        return { ...reject("SCAN_UNAVAILABLE", "The virus scanner is not available; try again later."), cause };
      } finally {
        timer.cancel();
        input.signal.removeEventListener("abort", leave);
      }
    },
  };
}

/** An error while reading the file is not an error of the scanner. */
class ReadingFailed extends Error {}

function scanInput(address: ClamdAddress, input: CheckInput, signal: AbortSignal): Promise<ClamdAnswer> {
  async function* watched(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* input.read();
    } catch (cause) {
      throw new ReadingFailed("The file cannot be read.", { cause });
    }
  }
  return scanStream(address, watched(), signal);
}

/** @throws {Error} for an answer that is neither `OK` nor `FOUND` */
function verdictOf({ text, isWhole }: ClamdAnswer): Verdict {
  if (text === "stream: OK" && isWhole) return pass;
  const signature = /^stream: (.+) FOUND$/.exec(text)?.[1];
  if (signature === undefined) throw new Error(`clamd answered "${text}".`);
  if (notScanned.test(signature))
    return reject("UNSCANNABLE", "The file is encrypted, or its contents exceed the limits of the virus scanner.", { signature });
  return reject("VIRUS_DETECTED", `The virus scanner found ${signature}.`, { signature });
}
