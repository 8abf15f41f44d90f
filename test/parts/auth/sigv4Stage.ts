import { expect } from "vitest";
import { type AccessKey, type SigV4Options, sigv4 } from "../../../src/parts/auth/index.js";
import { failure, type Verdict } from "../../../src/parts/auth/verifier.js";
import { FakeClock } from "../../../src/testing/clock.js";
import { sentRequest, type WireRequest } from "./sentRequest.js";
import { signedAt } from "./signedRequest.js";

const principal = { id: "ada" };
/** The second key has temporary credentials. */
export const accessKeys = new Map<string, AccessKey>([
  ["AKID", { secretAccessKey: "secret", principal }],
  ["ASIA", { secretAccessKey: "secret", principal, sessionToken: "token/1+=" }],
]);

interface Asked extends Partial<SigV4Options> {
  readonly nowMs?: number;
}

/** What the verifier says at the time of the signature, or at another one. */
export async function verify(wire: WireRequest, { nowMs = signedAt, ...options }: Asked = {}): Promise<Verdict> {
  const clock = new FakeClock(nowMs);
  const verifier = sigv4({ secret: (accessKeyId) => accessKeys.get(accessKeyId), service: "shop", region: "local", clock, ...options });
  return verifier.verify(sentRequest(wire).request);
}

export const accepted = async (wire: WireRequest, asked?: Asked) => expect(await verify(wire, asked)).toBe(principal);
export const refused = async (wire: WireRequest, asked?: Asked) => expect(await verify(wire, asked)).toBe(failure);
