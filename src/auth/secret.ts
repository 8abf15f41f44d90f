import { createHash, timingSafeEqual } from "node:crypto";

/** Compares two secrets in a time that tells nothing about them, not even their lengths. */
export function equalSecrets(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
