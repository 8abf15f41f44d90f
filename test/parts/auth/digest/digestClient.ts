import { createHash } from "node:crypto";

const hash = (algorithm: string, text: string) =>
  createHash(algorithm === "MD5" ? "md5" : "sha256")
    .update(text)
    .digest("hex");

/** What a test lets a client of Digest send; every part can be wrong. */
export interface DigestSent {
  readonly challenge: string;
  readonly username?: string;
  readonly password?: string;
  readonly method?: string;
  readonly uri?: string;
  readonly nc?: string;
  readonly cnonce?: string;
}

/** The challenges of Digest in a header whose lines were joined. */
export function challengesOf(header: string): readonly string[] {
  return header.split(/, (?=[A-Z]\w+ \w+=)/).filter((challenge) => challenge.startsWith("Digest "));
}

/** A parameter of a challenge, quoted or not. */
export function parameterOf(challenge: string, name: string): string {
  return new RegExp(`[ ,]${name}="?([^",]*)`).exec(challenge)?.[1] ?? "";
}

/** The parameters that a client answers with, by RFC 7616 §3.4.1, written apart from the sources. */
export function digestAnswer(sent: DigestSent): Record<string, string> {
  const { challenge, username = "alice", password = "wonderland", method = "GET", uri = "/users", nc = "00000001", cnonce = "c0ffee" } = sent;
  const [realm, nonce, algorithm] = [parameterOf(challenge, "realm"), parameterOf(challenge, "nonce"), parameterOf(challenge, "algorithm")];
  const ha1 = hash(algorithm, `${username}:${realm}:${password}`);
  const response = hash(algorithm, `${ha1}:${nonce}:${nc}:${cnonce}:auth:${hash(algorithm, `${method}:${uri}`)}`);
  const quoted = Object.entries({ username, realm, nonce, uri, cnonce, response }).map(([name, value]) => [name, `"${value}"`]);
  return { ...Object.fromEntries(quoted), algorithm, qop: "auth", nc };
}

/** `Digest name=value, …` */
export function authorizationOf(parameters: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return `Digest ${pairs.join(", ")}`;
}
