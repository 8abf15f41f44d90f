import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import type { Id } from "../../../../src/ground/storage/values/scalar.js";
import { CommittedPartition } from "./committed.js";
import { idKey } from "./partition.js";

/** The committed rows of one collection, one partition per tenant, and the counter of its ids. */
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

  /** The next id. Ids of a transaction that was rolled back are not reused. */
  nextId(): Id {
    this.#lastId += 1;
    return this.#idKind() === "bigint" ? BigInt(this.#lastId) : this.#lastId;
  }

  /** Moves the counter past an id that the caller assigned. */
  reserve(id: Id): void {
    const key = idKey(id);
    if (typeof key === "number" && key > this.#lastId) this.#lastId = key;
  }

  /** Replaces the model: keeps the rows and rebuilds the indexes. */
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
