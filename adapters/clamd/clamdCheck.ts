import { systemTimers, type Timers } from "../../src/http/timers.js";
import { ConfigurationError, oneOf, requireOptions, wholeNumber } from "../../src/problem/index.js";
import { type CheckInput, type FileCheck, pass, type Verdict } from "../../src/uploads/checks/fileCheck.js";
import { reject } from "../../src/uploads/checks/rejection.js";
import type { ClamdAddress } from "./connection.js";
import { type ClamdAnswer, scanStream } from "./scanStream.js";

/** Where clamd is, and what is done without it. */
export type ClamdCheckOptions = ClamdAddress & {
  /** From the connection to the answer, in milliseconds; 9,500 unless given, so that it ends before the time of the check. */
  readonly timeoutMs?: number | undefined;
  /** What is done with a file that could not be scanned: `reject` it (unless given), with 503, or `defer` it, so that it is kept but shown to nobody. */
  readonly whenUnavailable?: "reject" | "defer" | undefined;
  /** Those of the system unless given. */
  readonly timers?: Timers | undefined;
};

const optionNames = { host: true, port: true, path: true, timeoutMs: true, whenUnavailable: true, timers: true } as const satisfies Record<
  keyof ClamdCheckOptions,
  true
>;

/** What clamd finds where it could not look: its options AlertEncrypted and AlertExceedsMax say so. */
const notScanned = /^Heuristics\.(?:Encrypted|Limits)\./;

/**
 * Has every file scanned by clamd. A file is clean only where clamd says so: whatever else it answers, and where it does not, the file could not be scanned.
 *
 * @throws {ConfigurationError} for options that cannot work
 * @example
 * clamdCheck({ host: "127.0.0.1", port: 3310 });
 */
export function clamdCheck(options: ClamdCheckOptions): FileCheck {
  requireOptions("clamdCheck", options, optionNames);
  requireAddress(options);
  const { timers = systemTimers } = options;
  const timeoutMs = wholeNumber("clamdCheck.timeoutMs", options.timeoutMs ?? 9_500, 1);
  const whenUnavailable = oneOf("clamdCheck.whenUnavailable", options.whenUnavailable ?? "reject", ["reject", "defer"]);
  return {
    name: "clamd",
    needs: "stream",
    async run(input) {
      const ending = new AbortController();
      const leave = () => ending.abort(input.signal.reason);
      input.signal.addEventListener("abort", leave);
      if (input.signal.aborted) leave();
      const timer = timers.setTimeout(() => ending.abort(new Error(`clamd has not answered within ${timeoutMs} ms.`)), timeoutMs);
      try {
        return judge(await scanInput(options, input, ending.signal));
      } catch (cause) {
        if (cause instanceof ReadingFailed) throw cause.cause;
        if (whenUnavailable === "defer") return { verdict: "defer" };
        return { ...reject("SCAN_UNAVAILABLE", "The virus scanner cannot scan this file now."), cause };
      } finally {
        timer.cancel();
        input.signal.removeEventListener("abort", leave);
      }
    },
  };
}

function requireAddress({ port, path }: ClamdAddress): void {
  if (typeof path === "string" && path !== "") return;
  if (port === undefined) throw new ConfigurationError('"clamdCheck" needs "port", with a "host", or the "path" of a socket.');
  wholeNumber("clamdCheck.port", port, 1, 65_535);
}

/** A file that cannot be read is no fault of the scanner. */
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

/** @throws {Error} for what is no verdict */
function judge({ text, isWhole }: ClamdAnswer): Verdict {
  if (text === "stream: OK" && isWhole) return pass;
  const signature = /^stream: (.+) FOUND$/.exec(text)?.[1];
  if (signature === undefined) throw new Error(`clamd has answered "${text}".`);
  if (notScanned.test(signature))
    return reject("UNSCANNABLE", "The file is encrypted, or larger inside than the virus scanner looks into.", { signature });
  return reject("VIRUS_DETECTED", `The virus scanner has found ${signature}.`, { signature });
}
