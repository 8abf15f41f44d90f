import { createHash } from "node:crypto";
import { Unavailable } from "../../../src/ground/storage/errors.js";
import type { ScriptClient } from "./client.js";
import { isUnknownScript, translateError } from "./errors.js";

/** A Lua script over keys of one slot. */
export interface Script {
  readonly text: string;
  readonly sha1: string;
}

export function defineScript(text: string): Script {
  return { text, sha1: createHash("sha1").update(text).digest("hex") };
}

/** Runs a script. @throws {Unavailable} if the server cannot answer, or does not answer in time */
export type RunScript = (script: Script, keys: readonly string[], values: readonly (string | number)[]) => Promise<unknown>;

/** How long a script may take where the developer has not said it, in milliseconds. */
export const defaultTimeoutMs = 1_500;
/** How long a server that did not answer is left alone, in milliseconds. */
const restMs = 500;

/** After a script without an answer others are refused at once, so that not each of them waits; one asks again after half a second. */
export function scriptRunner(client: ScriptClient, timeoutMs: number): RunScript {
  /** When the server may be asked again; `undefined` while it answers. */
  let againAtMs: number | undefined;
  let isAsking = false;
  const ask = async (script: Script, keys: readonly string[], values: readonly (string | number)[]): Promise<unknown> => {
    try {
      const answer = await withinDeadline(sendScript(client, script, keys, values.map(String)), timeoutMs);
      againAtMs = undefined;
      return answer;
    } catch (error) {
      const translated = translateError(error);
      againAtMs = translated instanceof Unavailable ? performance.now() + restMs : undefined;
      throw translated;
    }
  };
  return async (script, keys, values) => {
    if (againAtMs === undefined) return ask(script, keys, values);
    if (isAsking || performance.now() < againAtMs) throw new Unavailable("Redis did not answer a moment ago. Check that it runs and can be reached.");
    isAsking = true;
    return ask(script, keys, values).finally(() => {
      isAsking = false;
    });
  };
}

/** Sends the hash of a script. If the server does not know it, for example after a restart, sends the text. */
async function sendScript(client: ScriptClient, { text, sha1 }: Script, keys: readonly string[], values: readonly string[]): Promise<unknown> {
  try {
    return await client.runHash(sha1, keys, values);
  } catch (error) {
    if (!isUnknownScript(error)) throw error;
    return client.runText(text, keys, values);
  }
}

/** Writes a key that expires after one second. Fails on a replica and on a server whose memory is full. Keys: the key to write. */
export const probeScript = defineScript(`redis.call('SET', KEYS[1], '1', 'PX', 1000)
return 1
`);

/**
 * The reply, if it arrives in time. Clients queue commands while there is no connection, some of them forever.
 *
 * @throws {Unavailable} after `timeoutMs`; the server may still execute the command
 */
async function withinDeadline<R>(answer: Promise<R>, timeoutMs: number): Promise<R> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Unavailable(`Redis did not answer within ${timeoutMs} ms. Check that it runs and can be reached.`)),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
