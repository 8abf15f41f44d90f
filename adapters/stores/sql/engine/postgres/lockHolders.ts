import { addTo } from "../../../../../src/ground/storage/addTo.js";
import { discard, type PoolOfPg } from "./beside/ownConnection.js";

/** What a process of the server waits for. */
export interface LockWait {
  /** Whether it is the lock of a table, which all statements of that table wait for. */
  readonly isTable: boolean;
  /** The transactions that it waits for in the end, each of which waits for none itself. */
  readonly holders: readonly LockHolder[];
}

export interface LockHolder {
  /** 0 for a prepared transaction. */
  readonly pid: number;
  /** No two transactions have the same. */
  readonly name: string;
}

/** One process that waits, and one of those that it waits for. */
interface Edge {
  readonly pid: number;
  readonly isTable: boolean;
  readonly blocker: LockHolder;
}

/**
 * Who waits for whom; nobody, if none of the given processes waits. Every role may read it. `pg_blocking_pids` stops all locking for a moment, so it is asked for few. Everything that waits is
 * asked, since a transaction of another program may wait between ours and the holder.
 */
const text = `with locks as materialized (select pid, locktype, granted, virtualtransaction from pg_locks),
waits as (select pid, bool_or(locktype = 'relation') as is_table from locks where not granted group by pid)
select pid, is_table, blocker, (select max(virtualtransaction) from locks as held where held.pid = blocker) as transaction
from waits, unnest(pg_blocking_pids(pid)) as blocker where exists (select 1 from waits where pid = any($1::int[]))`;

/** What each of these processes of the server waits for, if it waits. Asked outside of the pool, which may have no connection left. */
export async function lockWaits({ Client, options }: PoolOfPg, pids: readonly unknown[]): Promise<ReadonlyMap<unknown, LockWait>> {
  if (Client === undefined) return new Map();
  const connection = new Client(options);
  connection.on("error", () => {});
  try {
    await connection.connect();
    const { rows } = await connection.query({ text, values: [pids] });
    return waitsOf(
      rows.map(({ pid, is_table, blocker, transaction }) => ({
        pid: Number(pid),
        isTable: is_table === true,
        blocker: { pid: Number(blocker), name: `${blocker} ${transaction}` },
      })),
    );
  } finally {
    discard(connection);
  }
}

/** Follows the edges to those that do not wait. */
function waitsOf(edges: readonly Edge[]): ReadonlyMap<unknown, LockWait> {
  const blockers = new Map<number, Edge[]>();
  for (const edge of edges) addTo(blockers, edge.pid, edge);
  const waits = new Map<unknown, LockWait>();
  for (const [pid, own] of blockers) {
    const holders = new Map<number, LockHolder>();
    const seen = new Set([pid]);
    const open = [...own];
    for (let edge = open.pop(); edge !== undefined; edge = open.pop()) {
      const { blocker } = edge;
      if (seen.has(blocker.pid)) continue;
      seen.add(blocker.pid);
      const further = blockers.get(blocker.pid);
      if (further === undefined) holders.set(blocker.pid, blocker);
      else open.push(...further);
    }
    waits.set(pid, { isTable: own.some(({ isTable }) => isTable), holders: [...holders.values()] });
  }
  return waits;
}
