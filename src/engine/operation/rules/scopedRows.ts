import type { Call, Collection, CountedRows, CountOptions, GroupQuery, IterateOptions, Row, TotalQuery } from "../../../ground/storage/collection.js";
import { RowsOver } from "../../../ground/storage/completed/rowsOver.js";
import type { Filter } from "../../../ground/storage/filter.js";
import type { RowTest } from "../../../ground/storage/matches/compileFilter.js";
import type { Query } from "../../../ground/storage/query.js";
import type { Id } from "../../../ground/storage/values/scalar.js";

/** The rows of a collection that match a filter; the others do not exist here. Every read is one statement, as it is without the filter. */
export class ScopedRows extends RowsOver {
  readonly #filter: Filter;
  readonly #idName: string;
  readonly #test: RowTest | undefined;

  /** @param test the filter, compiled; `undefined` if it needs other rows */
  constructor(rows: Required<Collection>, filter: Filter, idName: string, test: RowTest | undefined) {
    super(rows);
    this.#filter = filter;
    this.#idName = idName;
    this.#test = test;
  }

  override find(query: Query, call: Call): Promise<Row[]> {
    return this.rows.find(this.#within(query), call);
  }

  override async get(id: Id, call: Call): Promise<Row | undefined> {
    if (this.#test !== undefined) {
      // The statement that stores have ready, whether the row is there, hidden or missing.
      const found = await this.rows.get(id, call);
      return found !== undefined && this.#test(found) ? found : undefined;
    }
    const [row] = await this.rows.find({ filter: this.#and({ op: "eq", path: [this.#idName], value: id }), sort: [], limit: 1 }, call);
    return row;
  }

  override count(filter: Filter | undefined, call: Call & CountOptions): Promise<number> {
    return this.rows.count(this.#and(filter), call);
  }

  override findAndCount(query: Query, total: TotalQuery, call: Call): Promise<CountedRows> {
    return this.rows.findAndCount(this.#within(query), this.#within(total), call);
  }

  override getMany(ids: readonly Id[], call: Call): Promise<Row[]> {
    const filter = this.#and({ op: "in", path: [this.#idName], values: ids });
    return this.rows.find({ filter, sort: [], limit: ids.length }, call);
  }

  override findGroups(query: GroupQuery, call: Call): Promise<Row[]> {
    return this.rows.findGroups(this.#within(query), call);
  }

  override iterate(query: Query, call: Call & IterateOptions): AsyncIterable<Row[]> {
    return this.rows.iterate(this.#within(query), call);
  }

  #within<Q extends { readonly filter?: Filter | undefined }>(query: Q): Q {
    return { ...query, filter: this.#and(query.filter) };
  }

  #and(filter: Filter | undefined): Filter {
    return filter === undefined ? this.#filter : { op: "and", args: [filter, this.#filter] };
  }
}
