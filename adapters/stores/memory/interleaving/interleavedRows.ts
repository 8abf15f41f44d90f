import type {
  Call,
  Capabilities,
  Collection,
  CountedRows,
  CountOptions,
  GroupQuery,
  InsertCall,
  InsertManyOptions,
  NewRow,
  Row,
  RowPatch,
  RowUpdate,
  TotalQuery,
} from "../../../../src/ground/storage/collection.js";
import type { RemoveCall, UpdateCall } from "../../../../src/ground/storage/completed/rowsOver.js";
import type { Filter } from "../../../../src/ground/storage/filter.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import type { Outcome } from "../../../../src/ground/storage/outcome.js";
import type { Query } from "../../../../src/ground/storage/query.js";
import type { Id } from "../../../../src/ground/storage/values/scalar.js";
import type { TransactionLayer } from "../layer.js";
import { MemoryCollection } from "../rows/collection.js";
import type { Table } from "../rows/table.js";
import { refusedNames, rowName, type TenantTable, tenantTableName } from "./changes.js";
import type { Held } from "./locks.js";
import type { Session, SessionCall } from "./session.js";

type Rows = Required<Collection>;
type RowsCall<R> = Omit<SessionCall<R>, "run"> & { run(rows: Rows): Promise<R> };

/** The rows of a collection; each call takes one turn. */
export class InterleavedRows implements Rows {
  readonly #session: Session;
  readonly #model: CollectionModel;
  readonly #table: Table;

  constructor(session: Session, model: CollectionModel) {
    this.#session = session;
    this.#model = model;
    this.#table = session.shared.tableOf(model);
  }

  get can(): Capabilities {
    const { transactions, tableOf } = this.#session.shared;
    return new MemoryCollection(this.#table, { layer: transactions.committed, tableOf }).can;
  }

  find(query: Query, call: Call): Promise<Row[]> {
    return this.#send({ label: "find", reads, run: (rows) => rows.find(query, call), holds: (found) => this.#locked(found, query, call) });
  }

  get(id: Id, call: Call): Promise<Row | undefined> {
    return this.#send({ label: "get", reads: this.#ids([id], call), run: (rows) => rows.get(id, call) }, id);
  }

  count(filter: Filter | undefined, call: Call & CountOptions): Promise<number> {
    return this.#send({ label: "count", reads, run: (rows) => rows.count(filter, call) });
  }

  findAndCount(query: Query, total: TotalQuery, call: Call): Promise<CountedRows> {
    const run = (rows: Rows) => rows.findAndCount(query, total, call);
    return this.#send({ label: "findAndCount", reads, run, holds: (found) => this.#locked(found.rows, query, call) });
  }

  getMany(ids: readonly Id[], call: Call): Promise<Row[]> {
    return this.#send({ label: "getMany", reads: this.#ids(ids, call), run: (rows) => rows.getMany(ids, call) });
  }

  findGroups(query: GroupQuery, call: Call): Promise<Row[]> {
    return this.#send({ label: "findGroups", reads, run: (rows) => rows.findGroups(query, call) });
  }

  /** Reads all rows in one turn, as an iteration sees a snapshot. */
  async *iterate(query: Query, call: Call & { readonly batch?: number | undefined }): AsyncGenerator<Row[], void, void> {
    const run = async (rows: Rows) => {
      const batches: Row[][] = [];
      for await (const batch of rows.iterate(query, call)) batches.push(batch);
      return batches;
    };
    for (const batch of await this.#send({ label: "iterate", reads, run })) {
      call.signal?.throwIfAborted();
      yield batch;
    }
  }

  insert(row: NewRow, call: InsertCall): Promise<Outcome<Row>> {
    const id = row[this.#model.id] as Id | null | undefined;
    const run = (rows: Rows) => rows.insert(row, call);
    const describe = (outcome: Outcome<Row>) => (outcome.ok && id == null ? String(outcome.row[this.#model.id]) : refused(outcome));
    return this.#send({ label: "insert", run, describe, awaits: (outcome, layer) => this.#refusedBy([outcome], [row], call, layer) }, id);
  }

  insertMany(rows: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]> {
    const run = (inner: Rows) => inner.insertMany(rows, call);
    return this.#send({ label: "insertMany", run, awaits: (outcomes, layer) => this.#refusedBy(outcomes, rows, call, layer) });
  }

  update(id: Id, patch: RowPatch, call: UpdateCall): Promise<Outcome<Row>> {
    const run = (rows: Rows) => rows.update(id, patch, call);
    const awaits = (outcome: Outcome<Row>, layer: TransactionLayer) => this.#updateAwaits(outcome, { id, patch }, call, layer);
    return this.#send({ label: "update", reads: this.#ids([id], call), run, describe: refused, awaits }, id);
  }

  updateEach(updates: readonly RowUpdate[], call: Call): Promise<Outcome<Row>[]> {
    const reads = this.#ids(
      updates.map(({ id }) => id),
      call,
    );
    const run = (rows: Rows) => rows.updateEach(updates, call);
    const awaits = (outcomes: Outcome<Row>[], layer: TransactionLayer) =>
      updates.flatMap((update, index) => this.#updateAwaits(outcomes[index], update, call, layer));
    return this.#send({ label: "updateEach", reads, run, awaits });
  }

  updateMany(filter: Filter | undefined, patch: RowPatch, call: Call): Promise<number> {
    return this.#send({ label: "updateMany", reads, run: (rows) => rows.updateMany(filter, patch, call) });
  }

  remove(id: Id, call: RemoveCall): Promise<Outcome<Row>> {
    return this.#send({ label: "remove", reads: this.#ids([id], call), run: (rows) => rows.remove(id, call), describe: refused }, id);
  }

  removeMany(filter: Filter | undefined, call: Call): Promise<number> {
    return this.#send({ label: "removeMany", reads, run: (rows) => rows.removeMany(filter, call) });
  }

  isSameVersion(id: Id, ...request: [Parameters<Rows["isSameVersion"]>[1], Call]): Promise<boolean> {
    return this.#send({ label: "isSameVersion", reads, run: (rows) => rows.isSameVersion(id, ...request) });
  }

  #send<R>({ label, run, ...call }: RowsCall<R>, id?: Id | null): Promise<R> {
    const { name } = this.#model;
    return this.#session.call({
      ...call,
      label: `${label} ${name}${id == null ? "" : ` ${id}`}`,
      run: (storage) => run(storage.collection(this.#model) as Rows),
    });
  }

  #ids(ids: readonly Id[], call: Call): () => readonly string[] {
    return () => ids.map((id) => rowName(this.#tenantTable(call), id));
  }

  #tenantTable({ tenant }: Call): TenantTable {
    return { table: this.#table, tenant };
  }

  /** The found rows, if the query locks them. */
  #locked(found: readonly Row[], { lock }: Query, call: Call): Held[] {
    if (lock === undefined) return [];
    return found.map((row) => ({ name: rowName(this.#tenantTable(call), row[this.#model.id] as Id), mode: lock }));
  }

  #updateAwaits(outcome: Outcome<Row> | undefined, { id, patch }: Pick<RowUpdate, "id" | "patch">, call: Call, layer: TransactionLayer): Held[] {
    if (outcome === undefined) return [];
    const row = { ...layer.partition(this.#table, call.tenant).get(id), ...patch };
    const taken = this.#refusedBy([outcome], [row], call, layer);
    // The row itself is locked before its new keys are compared.
    return taken.length > 0 ? [{ name: rowName(this.#tenantTable(call), id), mode: "update" }, ...taken] : taken;
  }

  /** The ids and keys of rows that are taken; a transaction that may release one decides. */
  #refusedBy(outcomes: readonly Outcome<Row>[], rows: readonly Row[], call: Call, layer: TransactionLayer): Held[] {
    const tenantTable = this.#tenantTable(call);
    const partition = layer.partition(this.#table, call.tenant);
    return rows.flatMap((row, position) => {
      const outcome = outcomes[position];
      return outcome?.ok === false && outcome.why === "conflict" ? refusedNames(tenantTable, partition, row, outcome.fields) : [];
    });
  }
}

/** All rows of each collection that a call has read: which of them its conditions might have found is not compared. */
function* reads(layer: TransactionLayer): Generator<string, void, void> {
  for (const [table, tenant] of layer.partitions()) yield tenantTableName({ table, tenant });
}

function refused(outcome: Outcome<Row>): string | undefined {
  return outcome.ok ? undefined : `(${outcome.why})`;
}
