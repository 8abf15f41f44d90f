import { yieldToEventLoop } from "../../../../src/ground/http/yieldToEventLoop.js";
import type {
  Call,
  Capabilities,
  Collection,
  CountedRows,
  CountOptions,
  GroupQuery,
  InsertManyOptions,
  IterateOptions,
  NewRow,
  Row,
  RowPatch,
  RowUpdate,
  TotalQuery,
} from "../../../../src/ground/storage/collection.js";
import type { Filter } from "../../../../src/ground/storage/filter.js";
import type { Evaluation } from "../../../../src/ground/storage/matches/compileFilter.js";
import type { Outcome } from "../../../../src/ground/storage/outcome.js";
import type { Query } from "../../../../src/ground/storage/query.js";
import type { Id, Version } from "../../../../src/ground/storage/values/scalar.js";
import { selectGroups } from "./groups.js";
import type { Partition } from "./partition.js";
import { evaluationOf, type Tables } from "./relatedRows.js";
import { countRows, knownCount, projection, selectRows } from "./select.js";
import type { Table } from "./table.js";
import { insertRow, removeRow, updateRow } from "./write.js";
import { changeMatching, insertRows, removeMatching } from "./writeMany.js";

/**
 * The rows of one collection in one layer.
 *
 * Returns stored rows without copying them: every write creates a new row, and callers must not change a row or a JSON value in it.
 */
export class MemoryCollection implements Required<Collection> {
  readonly #table: Table;
  readonly #tables: Tables;

  constructor(table: Table, tables: Tables) {
    this.#table = table;
    this.#tables = tables;
  }

  get can(): Capabilities {
    return {
      transactions: true,
      snapshot: true,
      compareAndSet: true,
      uniqueKeys: this.#table.model.unique.map(({ fields }) => fields),
      ops: ["and", "or", "not", "eq", "ne", "gt", "gte", "lt", "lte", "in", "like", "has", "contains", "search", "related"],
      sortable: "all",
      caseFold: "unicode",
      maxBatch: Number.MAX_SAFE_INTEGER,
      sharedLocks: true,
    };
  }

  async get(id: Id, call: Call): Promise<Row | undefined> {
    return this.#read(call).get(id);
  }

  async find(query: Query, call: Call): Promise<Row[]> {
    return selectRows(this.#read(call), query, this.#evaluation(call), call);
  }

  async insert(row: NewRow, call: Call & { readonly operationId?: string | undefined }): Promise<Outcome<Row>> {
    return this.#write(call, (partition) => insertRow(this.#table, partition, row, call.operationId));
  }

  async update(
    id: Id,
    patch: RowPatch,
    call: Call & { readonly ifVersion?: Version | undefined; readonly replace?: boolean | undefined },
  ): Promise<Outcome<Row>> {
    return this.#write(call, (partition) => updateRow(partition, id, patch, call));
  }

  async remove(id: Id, call: Call & { readonly ifVersion?: Version | undefined }): Promise<Outcome<Row>> {
    return this.#write(call, (partition) => removeRow(partition, id, call.ifVersion));
  }

  async count(filter: Filter | undefined, call: Call & CountOptions): Promise<number> {
    return countRows(this.#read(call), filter, this.#evaluation(call), call);
  }

  /** Counts only if nothing has to be read for it: a page that is the last one needs no count. */
  async findAndCount(query: Query, { filter, max }: TotalQuery, call: Call): Promise<CountedRows> {
    const partition = this.#read(call);
    const found = selectRows(partition, query, this.#evaluation(call), call);
    const total = knownCount(partition, filter);
    return { rows: found instanceof Promise ? await found : found, total: total && Math.min(total, max ?? total) };
  }

  async getMany(ids: readonly Id[], call: Call): Promise<Row[]> {
    const partition = this.#read(call);
    return ids.map((id) => partition.get(id)).filter((row) => row !== undefined);
  }

  async findGroups(query: GroupQuery, call: Call): Promise<Row[]> {
    return selectGroups(this.#read(call), query, this.#evaluation(call), call);
  }

  async insertMany(rows: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]> {
    return this.#write(call, (partition) => insertRows(this.#table, partition, rows, call));
  }

  async updateEach(updates: readonly RowUpdate[], call: Call): Promise<Outcome<Row>[]> {
    return this.#write(call, (partition) => updates.map(({ id, patch, ...options }) => updateRow(partition, id, patch, options)));
  }

  async updateMany(filter: Filter | undefined, patch: RowPatch, call: Call): Promise<number> {
    return this.#write(call, (partition) => changeMatching(this.#table, partition, filter, patch, this.#evaluation(call)));
  }

  async removeMany(filter: Filter | undefined, call: Call): Promise<number> {
    return this.#write(call, (partition) => removeMatching(this.#table, partition, filter, this.#evaluation(call)));
  }

  /** Versions are given to this store. */
  async isSameVersion(): Promise<boolean> {
    return false;
  }

  /** The snapshot is the list of rows at the time of the first batch. */
  async *iterate(query: Query, call: Call & IterateOptions): AsyncGenerator<Row[], void, void> {
    const { batch = 1_000 } = call;
    const { fields, ...whole } = query;
    const rows = await selectRows(this.#read(call), whole, this.#evaluation(call), call);
    const project = fields === undefined ? (row: Row) => row : projection(this.#table.model.id, fields);
    for (let start = 0; start < rows.length; start += batch) {
      await yieldToEventLoop(call.signal);
      yield rows.slice(start, start + batch).map(project);
    }
  }

  /** Does not read `call.signal`: hosts create it on first access, and most reads never wait. */
  #read(call: Call): Partition {
    return this.#tables.layer.partition(this.#table, call.tenant);
  }

  #evaluation(call: Call): Evaluation {
    return evaluationOf(this.#table.model, this.#tables, call.tenant);
  }

  /** Writes at once if no transaction is open: a single write is synchronous, so nothing can interleave. */
  #write<R>(call: Call, apply: (partition: Partition) => R): R | Promise<R> {
    const { layer } = this.#tables;
    if (!layer.writes.isBusy) return this.#writeNow(call, apply);
    return layer.writes.run(() => this.#writeNow(call, apply));
  }

  #writeNow<R>(call: Call, apply: (partition: Partition) => R): R {
    call.signal?.throwIfAborted();
    const { layer } = this.#tables;
    layer.assertWritable();
    return apply(layer.partition(this.#table, call.tenant));
  }
}
