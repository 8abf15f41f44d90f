import type {
  Call,
  Capabilities,
  Collection,
  CountedRows,
  CountOptions,
  GroupQuery,
  InsertCall,
  InsertManyOptions,
  IterateOptions,
  NewRow,
  Row,
  RowPatch,
  RowUpdate,
  TotalQuery,
} from "../collection.js";
import type { Filter } from "../filter.js";
import type { Outcome } from "../outcome.js";
import type { Query } from "../query.js";
import type { Id, Version } from "../values/scalar.js";

/**
 * Passes every call on to the rows of another collection: a base for classes that change some of the methods. Transactions make such objects for each write, and
 * an object with methods of its own takes microseconds to make.
 */
export abstract class RowsOver implements Required<Collection> {
  protected readonly rows: Required<Collection>;

  constructor(rows: Required<Collection>) {
    this.rows = rows;
  }

  get can(): Capabilities {
    return this.rows.can;
  }

  find(query: Query, call: Call): Promise<Row[]> {
    return this.rows.find(query, call);
  }

  get(id: Id, call: Call): Promise<Row | undefined> {
    return this.rows.get(id, call);
  }

  count(filter: Filter | undefined, call: Call & CountOptions): Promise<number> {
    return this.rows.count(filter, call);
  }

  findAndCount(query: Query, total: TotalQuery, call: Call): Promise<CountedRows> {
    return this.rows.findAndCount(query, total, call);
  }

  getMany(ids: readonly Id[], call: Call): Promise<Row[]> {
    return this.rows.getMany(ids, call);
  }

  findGroups(query: GroupQuery, call: Call): Promise<Row[]> {
    return this.rows.findGroups(query, call);
  }

  iterate(query: Query, call: Call & IterateOptions): AsyncIterable<Row[]> {
    return this.rows.iterate(query, call);
  }

  insert(row: NewRow, call: InsertCall): Promise<Outcome<Row>> {
    return this.rows.insert(row, call);
  }

  insertMany(rows: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]> {
    return this.rows.insertMany(rows, call);
  }

  update(id: Id, patch: RowPatch, call: UpdateCall): Promise<Outcome<Row>> {
    return this.rows.update(id, patch, call);
  }

  updateEach(updates: readonly RowUpdate[], call: Call): Promise<Outcome<Row>[]> {
    return this.rows.updateEach(updates, call);
  }

  updateMany(filter: Filter | undefined, patch: RowPatch, call: Call): Promise<number> {
    return this.rows.updateMany(filter, patch, call);
  }

  remove(id: Id, call: RemoveCall): Promise<Outcome<Row>> {
    return this.rows.remove(id, call);
  }

  removeMany(filter: Filter | undefined, call: Call): Promise<number> {
    return this.rows.removeMany(filter, call);
  }

  isSameVersion(id: Id, versions: { readonly current: Version; readonly earlier: Version }, call: Call): Promise<boolean> {
    return this.rows.isSameVersion(id, versions, call);
  }
}

export type UpdateCall = Call & Known & { readonly ifVersion?: Version | undefined; readonly replace?: boolean | undefined };
export type RemoveCall = Call & Known & { readonly ifVersion?: Version | undefined };

interface Known {
  /** The row as it was read, with the version `ifVersion`: rows over a store need not read it again. */
  readonly before?: Row | undefined;
}
