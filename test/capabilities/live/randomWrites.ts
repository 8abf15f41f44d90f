import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { integer, type Random } from "../../fuzz/random.js";
import type { Row } from "./followedList.js";
import type { LiveService } from "./liveService.js";

const states = ["open", "paid", "closed"] as const;

/** What one of several writers does. */
export interface RandomWriter {
  readonly services: readonly LiveService[];
  readonly owners: readonly string[];
  readonly count: number;
  readonly random: Random;
  /** Of this writer alone: its rows are its own. */
  readonly name: string;
  /** The longest pause between two writes, also within a transaction, in milliseconds. Default: none. */
  readonly pauseMs?: number | undefined;
}

/** Writes at random: rows that come, change hands, are closed and go, and transactions that commit or not. */
export async function writeAtRandom({ services, owners, count, random, name, pauseMs = 0 }: RandomWriter): Promise<void> {
  const ids: string[] = [];
  const one = <T>(values: readonly T[]) => values[integer(random, values.length)] as T;
  const pause = async () => {
    if (pauseMs > 0) await sleep(integer(random, pauseMs));
  };
  for (let total = 0; total < count; total += 1) {
    const values = () => ({ total, status: one(states), owner: one(owners), secret: String(integer(random, 5)) });
    const system = one(services).asSystem();
    const known = ids.length === 0 ? undefined : one(ids);
    const kind = integer(random, 10);
    await pause();
    if (known === undefined || kind < 3) {
      const id = `${name}-${total}`;
      ids.push(id);
      await system.orders.create({ id, ...values() });
    } else if (kind < 7) await system.orders.update(known, values());
    else if (kind < 8) {
      await system.orders.remove(known);
      ids.splice(ids.indexOf(known), 1);
    } else {
      const commits = integer(random, 3) > 0;
      const done = system.transaction(async (tx) => {
        await tx.orders.update(known, values());
        await pause();
        await tx.orders.update(known, values());
        if (!commits) throw new Error("on purpose");
      });
      await (commits ? done : assert.rejects(done, /on purpose/));
    }
  }
}

/** A stream, and which rows its caller may be told of. */
export interface FollowedStream {
  readonly query: string;
  readonly token: string;
  mayHave(row: Row): boolean;
}

/** Streams with filters and scopes: of one that sees all rows, and of each owner. */
export function streamsOf(owners: readonly string[]): readonly FollowedStream[] {
  const [first = ""] = owners;
  return [
    { query: "", token: "admin", mayHave: () => true },
    { query: "status=open", token: "admin", mayHave: (row) => row["status"] === "open" },
    { query: `status[in]=open,paid&owner=${first}`, token: "admin", mayHave: (row) => row["owner"] === first },
    ...owners.flatMap((token) => [
      { query: "", token, mayHave: (row: Row) => row["owner"] === token },
      { query: "status[ne]=closed", token, mayHave: (row: Row) => row["owner"] === token && row["status"] !== "closed" },
    ]),
  ];
}
