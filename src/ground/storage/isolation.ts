/** From the loosest to the strictest. */
export const isolations = ["committed", "snapshot", "serializable"] as const;

/**
 * What a transaction sees of others that run at the same time. `committed`: each read sees what has been committed before it. `snapshot`: all reads see the state of the first
 * one, and a row that another transaction has changed since cannot be written. `serializable`: as if transactions ran one after the other.
 */
export type Isolation = (typeof isolations)[number];

/** Whether an isolation is at least as strict as another one. */
export function isAtLeast(isolation: Isolation, other: Isolation): boolean {
  return isolations.indexOf(isolation) >= isolations.indexOf(other);
}
