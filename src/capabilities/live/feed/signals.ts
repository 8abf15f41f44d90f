import type { Call, Collection, InsertCall, InsertManyOptions, NewRow, Row, RowPatch, RowUpdate } from "../../../ground/storage/collection.js";
import { complete } from "../../../ground/storage/completed/complete.js";
import { type RemoveCall, RowsOver, type UpdateCall } from "../../../ground/storage/completed/rowsOver.js";
import type { Filter } from "../../../ground/storage/filter.js";
import type { CollectionModel } from "../../../ground/storage/model.js";
import type { Outcome } from "../../../ground/storage/outcome.js";
import type { Storage, TransactionOptions } from "../../../ground/storage/storage.js";
import type { Id } from "../../../ground/storage/values/scalar.js";

/** Called after a commit that may have changed rows of a collection; without a name, of any. */
export type NoteChange = (collection?: string) => void;

/**
 * The storage, with word of each commit of this process that may have changed rows of collections whose changes are kept. It only says where to look: the log says what has changed.
 */
export function signalling(storage: Storage, note: NoteChange): Storage {
  const { transaction: begin, sql } = storage;
  const known = new WeakMap<CollectionModel, Collection>();
  const collection = (model: CollectionModel): Collection => {
    if (!model.keepsChanges) return storage.collection(model);
    const rows = known.get(model) ?? new SignallingRows(complete(storage.collection(model), model.id), () => note(model.name));
    known.set(model, rows);
    return rows;
  };
  const members: Partial<Storage> = {
    collection,
    ...(begin && { transaction: (run, options) => signallingTransaction(begin.bind(storage), run, options, note) }),
    // What a statement of the developer's writes is not known.
    ...(sql && {
      async sql(text, values) {
        const rows = await sql.call(storage, text, values);
        note();
        return rows;
      },
    }),
  };
  return new Proxy(storage, {
    get(target, key) {
      if (Object.hasOwn(members, key)) return members[key as keyof Storage];
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

async function signallingTransaction<R>(
  begin: NonNullable<Storage["transaction"]>,
  run: (tx: Storage) => Promise<R>,
  options: TransactionOptions | undefined,
  note: NoteChange,
): Promise<R> {
  const changed = new Set<string | undefined>();
  const result = await begin((tx) => run(signalling(tx, (name) => void changed.add(name))), options);
  for (const name of changed) note(name);
  return result;
}

/** Rows whose writes are told of. */
class SignallingRows extends RowsOver {
  readonly #note: () => void;

  constructor(rows: Required<Collection>, note: () => void) {
    super(rows);
    this.#note = note;
  }

  override insert(row: NewRow, call: InsertCall): Promise<Outcome<Row>> {
    return this.#after(this.rows.insert(row, call));
  }

  override insertMany(rows: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]> {
    return this.#after(this.rows.insertMany(rows, call));
  }

  override update(id: Id, patch: RowPatch, call: UpdateCall): Promise<Outcome<Row>> {
    return this.#after(this.rows.update(id, patch, call));
  }

  override updateEach(updates: readonly RowUpdate[], call: Call): Promise<Outcome<Row>[]> {
    return this.#after(this.rows.updateEach(updates, call));
  }

  override updateMany(filter: Filter | undefined, patch: RowPatch, call: Call): Promise<number> {
    return this.#after(this.rows.updateMany(filter, patch, call));
  }

  override remove(id: Id, call: RemoveCall): Promise<Outcome<Row>> {
    return this.#after(this.rows.remove(id, call));
  }

  override removeMany(filter: Filter | undefined, call: Call): Promise<number> {
    return this.#after(this.rows.removeMany(filter, call));
  }

  async #after<R>(write: Promise<R>): Promise<R> {
    const result = await write;
    this.#note();
    return result;
  }
}
