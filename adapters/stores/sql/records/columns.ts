/** The tenant of a record. The empty string means no tenant. */
export function toTenant(stored: unknown): string | undefined {
  return stored === "" ? undefined : String(stored);
}

/** A time in milliseconds since the epoch; null means absent. */
export function toDate(ms: unknown): Date | undefined {
  return ms === null ? undefined : new Date(Number(ms));
}

/** A number; null means absent. */
export function toNumber(stored: unknown): number | undefined {
  return stored === null ? undefined : Number(stored);
}

/** A text; null means absent. */
export function toText(stored: unknown): string | undefined {
  return stored === null ? undefined : String(stored);
}

/** Milliseconds from now, 0 if it is over; null means never. */
export function toDelayMs(ms: unknown): number | undefined {
  return ms === null || ms === undefined ? undefined : Math.max(0, Number(ms));
}
