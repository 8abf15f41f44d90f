import assert from "node:assert/strict";
import type { Call, Collection, NewRow, Row } from "../../ground/storage/collection.js";
import { joinId } from "../../ground/storage/compositeId.js";
import type { CollectionModel, Column } from "../../ground/storage/model.js";
import type { Storage } from "../../ground/storage/storage.js";
import type { RowValues } from "../../ground/storage/values/rowValues.js";
import type { Id } from "../../ground/storage/values/scalar.js";
import { FakeClock } from "../clock.js";
import { writtenRow } from "../storage/assertions.js";
import { completeWrites } from "../storage/completeWrites.js";

/** The sample rows that a case may use. */
export const sampleCount = 24;

/** One collection of a developer's, and rows for it. */
export class CollectionStage {
  readonly storage: Storage;
  readonly model: CollectionModel;
  readonly rows: Required<Collection>;
  /** The tenant of all calls, and another one; `undefined` if all tenants share the rows. */
  readonly tenants: readonly [string, string] | undefined;
  readonly call: Call;
  readonly #sample: (index: number) => RowValues;
  readonly #reset: () => Promise<void>;
  readonly #clock = new FakeClock();
  #writes = 0;

  constructor(
    storage: Storage,
    parts: {
      readonly model: CollectionModel;
      readonly row: (index: number) => RowValues;
      readonly reset: () => Promise<void>;
      readonly tenants: readonly [string, string] | undefined;
    },
  ) {
    this.storage = storage;
    this.model = parts.model;
    this.tenants = parts.tenants;
    this.call = parts.tenants === undefined ? {} : { tenant: parts.tenants[0] };
    this.rows = this.in(storage);
    this.#sample = parts.row;
    this.#reset = parts.reset;
  }

  /** The same collection in another storage, such as a transaction. */
  in(storage: Storage): Required<Collection> {
    return completeWrites(storage.collection(this.model), this.model.id);
  }

  /** Empties the collection and stores the first sample rows. @returns them as they are read back */
  async fill(count = sampleCount): Promise<readonly Row[]> {
    await this.#reset();
    const ids: Id[] = [];
    for (let index = 0; index < count; index++) ids.push(this.idOf(writtenRow(await this.rows.insert(this.sample(index), this.call))));
    const stored = await Promise.all(ids.map((id) => this.rows.get(id, this.call)));
    return stored.map((row, index) => {
      assert.ok(row !== undefined, `the row ${String(ids[index])} is missing after its insert`);
      return row;
    });
  }

  /** A sample row with a new version. */
  sample(index: number): NewRow {
    const values = this.#sample(index);
    const { id, idParts } = this.model;
    return { ...values, ...(idParts && { [id]: joinId(idParts.map((part) => values[part])) }), ...this.stamp() };
  }

  idOf(row: Row): Id {
    const id = row[this.model.id];
    assert.ok(typeof id === "string" || typeof id === "number" || typeof id === "bigint", `a row has no id in "${this.model.id}"`);
    return id;
  }

  /** The version and update time of a write. */
  stamp(): { readonly _version: string; readonly _updatedAt: Date } {
    this.#writes += 1;
    this.#clock.advance(1);
    return { _version: `v${String(this.#writes).padStart(8, "0")}`, _updatedAt: new Date(this.#clock.now()) };
  }

  /** The columns that filters and orders compare: all but structures and bytes. */
  get scalars(): readonly Column[] {
    const { columns, table } = this.model;
    const bytes = new Set(table?.fields.filter(({ type }) => type === "bytes" || type === "base64").map(({ name }) => name));
    return columns.filter(({ name, kind }) => kind !== "json" && !bytes.has(name) && !name.startsWith("_"));
  }

  /** A column that a write may set without touching a key, with a value that the first row does not have. */
  change(stored: readonly Row[]): { readonly name: string; readonly value: unknown } {
    const { model } = this;
    const keys = new Set([model.id, ...(model.idParts ?? []), ...model.unique.flatMap(({ fields }) => fields)]);
    const fixed = new Set(model.table?.fields.filter(({ isReadOnly, madeBy }) => isReadOnly || madeBy !== "client").map(({ name }) => name));
    for (const { name } of this.scalars.filter((column) => !keys.has(column.name) && !fixed.has(column.name))) {
      const [value] = stored.map((row) => row[name] ?? null).filter((each) => each !== null && String(each) !== String(stored[0]?.[name] ?? null));
      if (value !== undefined) return { name, value };
    }
    throw new assert.AssertionError({ message: "The sample rows differ in no column that is no key; let row(0) and row(1) differ in one." });
  }
}
