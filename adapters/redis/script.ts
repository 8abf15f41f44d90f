import { createHash } from "node:crypto";
import type { ScriptClient } from "./client.js";
import { isUnknownScript } from "./errors.js";

/** A Lua script over keys of one slot. */
export interface Script {
  readonly text: string;
  readonly sha1: string;
}

export function defineScript(text: string): Script {
  return { text, sha1: createHash("sha1").update(text).digest("hex") };
}

/** Runs a script by its hash; a server that does not know it, one that was started anew among them, is sent the text. */
export async function runScript(client: ScriptClient, { text, sha1 }: Script, keys: readonly string[], values: readonly string[]): Promise<unknown> {
  try {
    return await client.runHash(sha1, keys, values);
  } catch (error) {
    if (!isUnknownScript(error)) throw error;
    return client.runText(text, keys, values);
  }
}
