import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/**
 * The cost that Node.js has by default: 16 MB, and about 50 ms, for which other writers of SQLite wait. A service that can let them wait longer takes more; the text of each
 * hash says with which cost it was made, so hashes from before stay valid.
 */
const cost = { ln: 14, r: 8, p: 1 };

/** A cost that this process can pay: at most 512 MB. */
const phcText = /^\$scrypt\$ln=(1\d),r=(8),p=([1-9])\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** A salted hash as a text that has all that a check needs: `$scrypt$ln=14,r=8,p=1$<salt>$<hash>`. It is made in a thread of its own. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, 32, optionsOf(cost.ln, cost.r, cost.p));
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${base64(salt)}$${base64(hash)}`;
}

/** Whether a password is the one of a hash. A text that is no hash of {@link hashPassword} fits none. */
export async function verifyPassword(password: string, text: string): Promise<boolean> {
  const [, ln, r, p, salt = "", hash = ""] = phcText.exec(text) ?? [];
  if (ln === undefined) return false;
  const expected = Buffer.from(hash, "base64");
  const actual = await derive(password, Buffer.from(salt, "base64"), expected.length, optionsOf(Number(ln), Number(r), Number(p)));
  return timingSafeEqual(actual, expected);
}

/** The hook of users: keeps the hash of a password that the caller sent, and no password. Without one the hash stays, on PUT too. */
export async function keepHash({ changes }: { readonly changes: { readonly password?: string | undefined } | undefined }) {
  const password = changes?.password;
  return typeof password === "string" ? { passwordHash: await hashPassword(password), password: undefined } : undefined;
}

function optionsOf(ln: number, r: number, p: number): ScryptOptions {
  const N = 2 ** ln;
  return { N, r, p, maxmem: 256 * N * r };
}

/** Without padding, as the texts of password hashes have it. */
function base64(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
