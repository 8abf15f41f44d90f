import type { CollectionModel } from "../../src/storage/model.js";
import type { Id } from "../../src/storage/scalar.js";
import { CommittedPartition } from "./committed.js";
import { idKey } from "./partition.js";

/** The committed rows of one collection, a partition for each tenant, and the numbers given to its rows. */
export class Table {
  readonly #partitions = new Map<string | undefined, CommittedPartition>();
  #model: CollectionModel;
  #lastId = 0;

  constructor(model: CollectionModel) {
    this.#model = model;
  }

  get model(): CollectionModel {
    return this.#model;
  }

  partition(tenant: string | undefined): CommittedPartition {
    let partition = this.#partitions.get(tenant);
    if (partition === undefined) {
      partition = new CommittedPartition(this.#model);
      this.#partitions.set(tenant, partition);
    }
    return partition;
  }

  /** The next number. One that a rolled-back transaction has taken is not given again. */
  nextId(): Id {
    this.#lastId += 1;
    return this.#idKind() === "bigint" ? BigInt(this.#lastId) : this.#lastId;
  }

  /** Keeps the numbers above an id that a row brought along. */
  reserve(id: Id): void {
    const key = idKey(id);
    if (typeof key === "number" && key > this.#lastId) this.#lastId = key;
  }

  /** Takes a changed model over: the rows stay, the indexes are built anew. */
  adopt(model: CollectionModel): void {
    this.#model = model;
    for (const [tenant, before] of this.#partitions) {
      const partition = new CommittedPartition(model);
      before.copyInto(partition);
      this.#partitions.set(tenant, partition);
    }
  }

  #idKind(): string | undefined {
    return this.#model.columns.find(({ name }) => name === this.#model.id)?.kind;
  }
}
