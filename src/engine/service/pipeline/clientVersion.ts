import type { RequestHeaders } from "../../../ground/http/headers/headers.js";
import { problemAt } from "../../../ground/problem/index.js";

/** Up to four numbers, and whether it is a pre-release, which is lower than its release. */
export interface ClientVersion {
  readonly numbers: readonly number[];
  readonly isPreRelease: boolean;
}

/** `2.3`, `v2.3.0`, `2.3.0-beta.1`, `2.3.0+build.7`; `undefined` for any other text. */
export function parseClientVersion(text: string): ClientVersion | undefined {
  const [, numbers, suffix] = /^v?(\d{1,9}(?:\.\d{1,9}){0,3})(?:([-+])[\w.+-]{1,64})?$/.exec(text) ?? [];
  return numbers === undefined ? undefined : { numbers: numbers.split(".").map(Number), isPreRelease: suffix === "-" };
}

/** @throws {ProblemError} CLIENT_TOO_OLD, MALFORMED_HEADER */
export function requireClientVersion(headers: RequestHeaders, minimum: string): void {
  const text = headers.get("x-client-version");
  const [sent, lowest] = [text === undefined ? undefined : parseClientVersion(text), parseClientVersion(minimum)];
  if (text === undefined || lowest === undefined) return;
  const header = "X-Client-Version";
  if (sent === undefined) {
    const detail = `The header "${header}" must be a version such as 2.3.0.`;
    throw problemAt("MALFORMED_HEADER", detail, { header });
  }
  if (!isLower(sent, lowest)) return;
  const detail = `This version of the client is no longer served; update it to ${minimum} or later.`;
  throw problemAt("CLIENT_TOO_OLD", detail, { header }, { extensions: { minimum } });
}

function isLower(one: ClientVersion, other: ClientVersion): boolean {
  for (let index = 0; index < 4; index++) {
    const difference = (one.numbers[index] ?? 0) - (other.numbers[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return one.isPreRelease && !other.isPreRelease;
}
