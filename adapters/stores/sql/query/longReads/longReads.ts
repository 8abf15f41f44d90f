import type { Call, CountLimits, Row } from "../../../../../src/ground/storage/collection.js";
import type { Filter } from "../../../../../src/ground/storage/filter.js";
import type { Query } from "../../../../../src/ground/storage/query.js";
import { translateError } from "../../engine/errors.js";
import type { SqlExecutor, SqlScan } from "../../engine/executor.js";
import type { Table } from "../../schema/table.js";
import type { Counted } from "../counting.js";
import { tenantOf } from "../select.js";
import type { ReadPlans } from "./readPlans.js";
import { scanCount, scanRows } from "./scanRows.js";

/** What long reads of a table need. */
export interface LongReads {
  readonly executor: SqlExecutor;
  readonly plans: ReadPlans;
  readonly table: Table;
}

/** `find` for a query that may read many rows. */
export async function findLong(reads: LongReads, query: Query, call: Call): Promise<Row[]> {
  return scanning(reads, call, async (scan) => {
    const found: Row[] = [];
    for await (const rows of scanRows(scan, reads.plans, reads.table, query, tenantOf(call))) found.push(...rows);
    return found;
  });
}

/** `count` for a filter that may read many rows. */
export async function countLong(reads: LongReads, filter: Filter | undefined, call: Call & CountLimits): Promise<Counted> {
  return scanning(reads, call, (scan) => scanCount(scan, reads, filter, tenantOf(call), call));
}

/** `iterate` for a query that may read many rows before the first match. The budget starts again with each batch. */
export async function* iterateLong(reads: LongReads, query: Query, call: Call, batchRows: number): AsyncGenerator<Row[], void, void> {
  const scan = await openScan(reads, call, true);
  const kept: Row[][] = [];
  try {
    for await (const rows of scanRows(scan, reads.plans, reads.table, query, tenantOf(call))) {
      for (let start = 0; start < rows.length; start += batchRows) {
        const batch = rows.slice(start, start + batchRows);
        // A slow consumer must not block writes.
        if (scan.isExclusive) kept.push(batch);
        else yield batch;
        scan.renew();
      }
    }
  } finally {
    scan.close();
  }
  yield* kept;
}

async function scanning<R>(reads: LongReads, call: Call, work: (scan: SqlScan) => Promise<R>): Promise<R> {
  try {
    const scan = await openScan(reads, call, false);
    try {
      return await work(scan);
    } finally {
      scan.close();
    }
  } catch (error) {
    throw translateError(error);
  }
}

async function openScan({ executor }: LongReads, call: Call, isStream: boolean): Promise<SqlScan> {
  if (executor.openScan === undefined) throw new Error("This executor cannot scan: it has no openScan method.");
  return executor.openScan(call, isStream);
}
