import { Bindings } from "../engine/bindings.js";
import { joined, run, type Session } from "../engine/session.js";
import type { LeasedRows } from "./recoverLeases.js";

/** The proof of a worker that it holds a lease. */
interface Lease {
  readonly id: string;
  readonly fence: number;
}

/**
 * The leases that a claim has made and that are still held.
 *
 * @param lock waits for claims that are still under way: the connection of a claim may break while its transaction commits
 */
export function heldByClaim(
  session: Session,
  { table, held }: LeasedRows,
  claimId: string,
  lock: (session: Session) => Promise<unknown>,
): Promise<readonly Lease[]> {
  return joined(session, async (inner) => {
    await lock(inner);
    const bindings = new Bindings(inner.dialect);
    const text = `select "id", "fence" from ${table} where ${held} and "claim" = ${bindings.bind(claimId)}`;
    const { rows } = await run(inner, { text, values: bindings.values, writes: true, returns: "many" });
    return rows.map(({ id, fence }) => ({ id: String(id), fence: Number(fence) }));
  });
}

/** Releases leases one by one, so that each locks what it must in the usual order. @returns how many */
export async function releaseEach(leases: readonly Lease[], release: (lease: Lease) => Promise<boolean>): Promise<number> {
  let released = 0;
  for (const lease of leases) if (await release(lease)) released += 1;
  return released;
}
