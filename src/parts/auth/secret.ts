import { createHash, timingSafeEqual } from "node:crypto";

/** Compares two secrets in constant time, which does not reveal even their lengths. */
export function equalSecrets(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
