import { createHash } from "node:crypto";
import { canonicalJson, sortedMembers } from "../../ground/http/json/canonicalJson.js";
import { isLight, type JsonStyle, partsOf } from "../../ground/http/json/writeJson.js";
import { turnIsOver, yieldToEventLoop } from "../../ground/http/yieldToEventLoop.js";
import { type FingerprintInput, fingerprintOf, headOf } from "./fingerprint.js";

const canonical: JsonStyle = { write: canonicalJson, membersOf: sortedMembers };

/** The same as {@link fingerprintOf}. A large JSON value, whose depth a parser has limited, is hashed in slices, with a yield to the event loop between them. */
export async function fingerprintInTurns(input: FingerprintInput): Promise<string> {
  const { body } = input;
  if (body === undefined || !("json" in body) || isLight(body.json)) return fingerprintOf(input);
  const digest = createHash("sha256").update(headOf(input));
  for (const part of partsOf(body.json, canonical)) {
    digest.update(part);
    if (turnIsOver()) await yieldToEventLoop();
  }
  return digest.digest("base64url");
}
