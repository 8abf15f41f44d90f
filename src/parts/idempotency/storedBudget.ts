import { ConfigurationError } from "../../ground/problem/index.js";
import type { IdempotencyStore } from "../../ground/storage/idempotency.js";

/** Reserves this many bytes of one principal's budget for responses; `false` if too few are left. */
export type StoredRoom = (bytes: number) => boolean;

/** Budgets for stored responses, one per principal. */
export interface StoredBudget {
  /**
   * The remaining budget of a principal.
   *
   * @param store the store to query: within a transaction that of the transaction
   */
  roomOf(store: IdempotencyStore, owner: string): Promise<StoredRoom>;
}

interface Known {
  bytes: number;
  readonly askedMs: number;
}

/** How long a sum of the store is used, plus what this process adds to it: one query for many requests. */
const knownMs = 10_000;
/** The same for a principal without remaining budget: records may have expired. */
const knownFullMs = 1_000;
const maxOwners = 10_000;
const defaultBytes = 67_108_864;

/**
 * A budget that is counted by the store and, between two queries, by what this process has stored. Several processes together may exceed it by what they store
 * within ten seconds.
 *
 * @param given the option `maxStoredBytes` (64 MiB)
 * @param now milliseconds since the epoch
 * @param prefix prefix of the option in messages: `idempotency.`
 * @returns `undefined` for a store that cannot count, unless the option is given
 * @throws {ConfigurationError} for an invalid option, or one that the store cannot enforce
 */
export function storedBudget(store: IdempotencyStore, given: number | undefined, now: () => number, prefix = ""): StoredBudget | undefined {
  const maxBytes = given ?? defaultBytes;
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 0) {
    throw new ConfigurationError(`"${prefix}maxStoredBytes" must be a whole number of at least 0 bytes; got ${String(maxBytes)}.`);
  }
  if (store.storedBytes === undefined) {
    if (given === undefined) return undefined;
    throw new ConfigurationError(`"${prefix}maxStoredBytes" cannot be enforced: the store of records has no storedBytes().`);
  }
  const owners = new Map<string, Known>();
  return {
    async roomOf(at, owner) {
      const known = owners.get(owner);
      // A clock that was set back must not keep a principal without budget until it has caught up.
      const isKnown = known !== undefined && Math.abs(now() - known.askedMs) < (known.bytes >= maxBytes ? knownFullMs : knownMs);
      if (isKnown) return roomIn(known, maxBytes);
      const asked: Known = { bytes: known?.bytes ?? 0, askedMs: now() };
      if (owners.size >= maxOwners) owners.clear();
      // Other requests reserve bytes while the store is queried; those are counted in addition.
      owners.set(owner, asked);
      const before = asked.bytes;
      try {
        asked.bytes += ((await at.storedBytes?.(owner)) ?? 0) - before;
      } catch (error) {
        owners.delete(owner);
        throw error;
      }
      return roomIn(asked, maxBytes);
    },
  };
}

function roomIn(known: Known, maxBytes: number): StoredRoom {
  return (bytes) => {
    if (known.bytes + bytes > maxBytes) return false;
    known.bytes += bytes;
    return true;
  };
}
