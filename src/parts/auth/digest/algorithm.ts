import { createHash } from "node:crypto";

/** A hash of Digest authentication, by its name on the wire. */
export type DigestAlgorithm = "SHA-256" | "MD5";

const hashes = { "SHA-256": "sha256", MD5: "md5" } as const;

/** The names of the algorithms, the strongest first. */
export const digestAlgorithms: readonly DigestAlgorithm[] = ["SHA-256", "MD5"];

/** What a password is stored as, and hashed from. */
export interface DigestPassword {
  readonly username: string;
  /** The realm of the verifier: another realm needs another hash. */
  readonly realm: string;
  readonly password: string;
}

/**
 * The hash of a user that `digest` needs, in hexadecimal: `H(username:realm:password)` in UTF-8, normalised to NFC. Store one for each algorithm that you offer. It is
 * as good as the password itself for this realm, so keep it as secret as one.
 *
 * @see RFC 7616 §3.4.2, §4
 */
export function digestHa1({ username, realm, password }: DigestPassword, algorithm: DigestAlgorithm): string {
  return createHash(hashes[algorithm])
    .update(`${username.normalize("NFC")}:${realm}:${password.normalize("NFC")}`)
    .digest("hex");
}

/** The hash of a text of header values, whose characters are bytes. */
export function hashBytes(algorithm: DigestAlgorithm, text: string): string {
  return createHash(hashes[algorithm]).update(text, "latin1").digest("hex");
}

const lengths = { "SHA-256": 64, MD5: 32 } as const;

/** Whether a text is a hash of this algorithm in lower-case hexadecimal. */
export function isHash(algorithm: DigestAlgorithm, text: string): boolean {
  return text.length === lengths[algorithm] && /^[0-9a-f]+$/.test(text);
}
